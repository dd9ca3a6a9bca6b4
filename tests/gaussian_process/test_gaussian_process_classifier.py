"""Gaussian process classification against scikit-learn, differences, copies of rows and the optimum of the mode."""

import numpy as np
import pytest
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as their_kernels

import learnable.gaussian_process.kernels as ours
from learnable import DataError, GaussianProcessClassifier, ParameterError

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(60, 2)), RNG.normal(size=(20, 2))
two = (X[:, 0] ** 2 + X[:, 1] + 0.3 * RNG.normal(size=60) > 0.5).astype(int)
three = two + (X[:, 1] > 0.8)


def kernel(module):
    return 1.5 * module.RBF([1.0, 2.0]) + module.ConstantKernel(0.3, "fixed")


@pytest.mark.parametrize(("y", "how"), [(two, "one_vs_rest"), (three, "one_vs_rest"), (three, "one_vs_one")])
def test_predictions_are_those_of_scikit_learn(y, how):
    one = GaussianProcessClassifier(kernel(ours), optimizer=None, multi_class=how).fit(X, y)
    other = theirs.GaussianProcessClassifier(kernel(their_kernels), optimizer=None, multi_class=how).fit(X, y)
    np.testing.assert_array_equal(one.predict(Z), other.predict(Z))
    assert one.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=1e-9)
    if how == "one_vs_rest":
        np.testing.assert_allclose(one.predict_proba(Z), other.predict_proba(Z), atol=1e-8)
    else:
        with pytest.raises(ParameterError, match="does not support predicting probability"):
            one.predict_proba(Z)
    theta = np.tile(other.kernel_.theta[:3] + 0.1, 1)
    assert one.log_marginal_likelihood(theta) == pytest.approx(other.log_marginal_likelihood(theta), rel=1e-9)


def test_the_latent_function_and_the_gradient():
    one = GaussianProcessClassifier(kernel(ours), optimizer=None).fit(X, two)
    other = theirs.GaussianProcessClassifier(kernel(their_kernels), optimizer=None).fit(X, two)
    for found, that in zip(one.latent_mean_and_variance(Z), other.latent_mean_and_variance(Z), strict=True):
        np.testing.assert_allclose(found, that, atol=1e-8)
    theta = one.kernel_.theta + 0.1
    _, gradient = one.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(gradient, other.log_marginal_likelihood(theta, eval_gradient=True)[1], rtol=1e-8)
    steps = np.eye(3) * 1e-5
    rises = [(one.log_marginal_likelihood(theta + s) - one.log_marginal_likelihood(theta - s)) / 2e-5 for s in steps]
    np.testing.assert_allclose(gradient, rises, rtol=1e-5)
    model = one.base_estimator_
    K = model.kernel_(X)
    np.testing.assert_allclose(K @ (two - model.pi_), np.log(model.pi_ / (1 - model.pi_)), atol=1e-4)  # at the mode


def test_hyperparameters_are_optimised():
    one = GaussianProcessClassifier(kernel(ours)).fit(X, two)
    other = theirs.GaussianProcessClassifier(kernel(their_kernels)).fit(X, two)
    assert one.log_marginal_likelihood_value_ >= other.log_marginal_likelihood_value_ - 1e-6
    assert one.certificate_.kind == "projected gradient" and one.certificate_.holds
    several = GaussianProcessClassifier(kernel(ours), n_restarts_optimizer=1, random_state=0).fit(X, three)
    assert several.kernel_.theta.shape == (9,) and several.certificate_.holds
    theta = several.kernel_.theta + 0.1
    _, gradient = several.log_marginal_likelihood(theta, eval_gradient=True)
    step = np.eye(9)[4] * 1e-5
    rise = several.log_marginal_likelihood(theta + step) - several.log_marginal_likelihood(theta - step)
    assert gradient[4] == pytest.approx(rise / 2e-5, rel=1e-4)
    with pytest.raises(ParameterError, match="Shape of theta must be either 3 or 9"):
        several.log_marginal_likelihood(theta[:4])
    with pytest.raises(ParameterError, match="only supported for binary"):
        several.latent_mean_and_variance(Z)


def test_weights_are_copies():
    weight = RNG.integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    one = GaussianProcessClassifier(kernel(ours), optimizer=None).fit(X, two, weight)
    other = GaussianProcessClassifier(kernel(ours), optimizer=None).fit(X[copies], two[copies])
    assert one.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=1e-8)
    np.testing.assert_allclose(one.predict_proba(Z), other.predict_proba(Z), atol=1e-8)


def test_bad_input_is_named():
    with pytest.raises(DataError, match="2 or more distinct classes"):
        GaussianProcessClassifier().fit(X, np.zeros(60))
    with pytest.raises(ParameterError, match="kernel cannot be a CompoundKernel"):
        GaussianProcessClassifier(ours.CompoundKernel([ours.RBF()])).fit(X, two)


@pytest.mark.parametrize("y", [two, three], ids=["two classes", "three classes"])
def test_kernels_of_scikit_learn_are_accepted(y):
    one = GaussianProcessClassifier(kernel(their_kernels), optimizer=None).fit(X, y)
    other = GaussianProcessClassifier(kernel(ours), optimizer=None).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(Z), other.predict_proba(Z))
