"""Gaussian process regression against scikit-learn, brute force, copies of rows, and the exact marginal likelihood."""

import numpy as np
import pytest
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as their_kernels

import learnable
import learnable.gaussian_process.kernels as ours
from learnable import DataError, GaussianProcessRegressor, ParameterError

RNG = np.random.default_rng(0)
X, Z = RNG.uniform(-3, 3, size=(50, 2)), RNG.uniform(-3, 3, size=(20, 2))
y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=50)
Y = np.column_stack([y, np.cos(y)])


def kernel(module):
    return 2.0 * module.RBF([1.0, 2.0]) + module.WhiteKernel(0.1)


def differences(function, theta, step=1e-5):
    return [(function(theta + d) - function(theta - d)) / (2 * step) for d in np.eye(len(theta)) * step]


@pytest.mark.parametrize("target", [y, Y], ids=["one target", "two targets"])
@pytest.mark.parametrize("normalize_y", [False, True])
def test_predictions_are_those_of_scikit_learn(target, normalize_y):
    found = GaussianProcessRegressor(kernel(ours), alpha=1e-3, normalize_y=normalize_y).fit(X, target)
    other = theirs.GaussianProcessRegressor(kernel(their_kernels), alpha=1e-3, normalize_y=normalize_y).fit(X, target)
    assert found.certificate_.holds
    assert found.log_marginal_likelihood_value_ >= other.log_marginal_likelihood_value_ - 1e-6
    model = GaussianProcessRegressor(found.kernel_, alpha=1e-3, normalize_y=normalize_y, optimizer=None).fit(X, target)
    other.set_params(kernel=kernel(their_kernels).clone_with_theta(found.kernel_.theta), optimizer=None).fit(X, target)
    for option in ("return_std", "return_cov"):
        for one, that in zip(model.predict(Z, **{option: True}), other.predict(Z, **{option: True}), strict=True):
            np.testing.assert_allclose(one, that, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.sample_y(Z, 3, 0), other.sample_y(Z, 3, 0), atol=1e-5)
    theta = model.kernel_.theta + 0.1
    for one, that in zip(
        model.log_marginal_likelihood(theta, True), other.log_marginal_likelihood(theta, True), strict=True
    ):
        np.testing.assert_allclose(one, that, rtol=1e-8)
    np.testing.assert_allclose(model.L_, other.L_, atol=1e-10)
    np.testing.assert_allclose(model.alpha_, other.alpha_, rtol=1e-6)


def test_before_a_fit_the_prior_is_predicted():
    one, other = GaussianProcessRegressor(kernel(ours)), theirs.GaussianProcessRegressor(kernel(their_kernels))
    for option in ("return_std", "return_cov"):
        for found, that in zip(one.predict(Z, **{option: True}), other.predict(Z, **{option: True}), strict=True):
            np.testing.assert_allclose(found, that, rtol=1e-12)
    np.testing.assert_allclose(one.sample_y(Z, 2, 0), other.sample_y(Z, 2, 0), atol=1e-5)
    with pytest.raises(RuntimeError, match="At most one of"):
        one.predict(Z, return_std=True, return_cov=True)


@pytest.mark.parametrize("weight", [None, RNG.integers(1, 4, 50).astype(float)], ids=["plain", "weighted"])
def test_leave_one_out_is_that_of_brute_force(weight):
    settings = {"alpha": 1e-2, "optimizer": None}
    model = GaussianProcessRegressor(kernel(ours), **settings).fit(X, y, weight)
    mean, std = model.leave_one_out(return_std=True)
    score = 0.0
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        part = GaussianProcessRegressor(kernel(ours), **settings)
        part.fit(X[others], y[others], None if weight is None else weight[others])
        there, spread = part.predict(X[[row]], return_std=True)
        assert mean[row] == pytest.approx(there[0], abs=1e-9) and std[row] == pytest.approx(spread[0], abs=1e-9)
        variance = spread[0] ** 2 + 1e-2
        density = -((y[row] - there[0]) ** 2) / (2 * variance) - np.log(2 * np.pi * variance) / 2
        score += density * (1.0 if weight is None else weight[row])
    assert model.leave_one_out_log_score() == pytest.approx(score, rel=1e-9)


@pytest.mark.parametrize("n_inducing", [None, 12])
def test_weights_are_copies_with_independent_noise(n_inducing):
    weight = RNG.integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    settings = {"alpha": 1e-2, "n_inducing": n_inducing, "optimizer": None}
    one = GaussianProcessRegressor(kernel(ours), **settings).fit(X, Y, weight)
    other = GaussianProcessRegressor(kernel(ours), **settings).fit(X[copies], Y[copies])
    assert one.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=1e-9)
    theta = one.kernel_.theta + 0.2
    for found, that in zip(
        one.log_marginal_likelihood(theta, True), other.log_marginal_likelihood(theta, True), strict=True
    ):
        np.testing.assert_allclose(found, that, rtol=1e-7)
    for found, that in zip(one.predict(Z, return_cov=True), other.predict(Z, return_cov=True), strict=True):
        np.testing.assert_allclose(found, that, atol=1e-8)


def test_the_gradient_is_that_of_differences_with_weights_and_inducing_points():
    weight = RNG.uniform(0.5, 3, size=len(X))
    for n_inducing in (None, 10):
        model = GaussianProcessRegressor(kernel(ours), alpha=1e-2, n_inducing=n_inducing, optimizer=None)
        model.fit(X, Y, weight)
        theta = model.kernel_.theta + 0.2
        gradient = model.log_marginal_likelihood(theta, eval_gradient=True)[1]
        np.testing.assert_allclose(gradient, differences(model.log_marginal_likelihood, theta), rtol=1e-5)


def test_the_bound_of_inducing_points_rises_to_the_likelihood():
    exact = GaussianProcessRegressor(kernel(ours), alpha=1e-2, optimizer=None).fit(X, y)
    bounds = []
    for count in (5, 15, 30, 50):
        model = GaussianProcessRegressor(kernel(ours), alpha=1e-2, optimizer=None, n_inducing=count).fit(X, y)
        bounds.append(model.log_marginal_likelihood_value_)
        assert model.inducing_points_.shape == (count, 2)
    assert np.all(np.diff(bounds) > 0) and bounds[-1] <= exact.log_marginal_likelihood_value_ + 1e-9
    assert bounds[-1] == pytest.approx(exact.log_marginal_likelihood_value_, abs=1e-3)
    for found, that in zip(model.predict(Z, return_std=True), exact.predict(Z, return_std=True), strict=True):
        np.testing.assert_allclose(found, that, atol=1e-5)
    tuned = GaussianProcessRegressor(kernel(ours), alpha=1e-4, n_inducing=20).fit(X, y)
    assert tuned.certificate_.holds and tuned.score(Z, np.sin(Z[:, 0]) + 0.5 * Z[:, 1]) > 0.95


def test_restarts_find_the_higher_of_two_optima():
    rng = np.random.default_rng(1)
    column = np.sort(rng.uniform(0, 5, size=(25, 1)), axis=0)
    target = np.sin(2 * column[:, 0]) + 0.4 * rng.normal(size=25)
    start = ours.RBF(80.0, (1e-2, 1e3)) + ours.WhiteKernel(1.0, (1e-5, 1e2))
    with pytest.warns(learnable.ConvergenceWarning, match="close to the specified upper bound"):
        one = GaussianProcessRegressor(start, random_state=0).fit(column, target)
    several = GaussianProcessRegressor(start, n_restarts_optimizer=5, random_state=0).fit(column, target)
    assert several.log_marginal_likelihood_value_ > one.log_marginal_likelihood_value_ + 1
    with pytest.raises(ParameterError, match="all bounds are finite"):
        GaussianProcessRegressor(ours.RBF(1.0, (1e-5, np.inf)), n_restarts_optimizer=1, alpha=0.1).fit(column, target)


def test_an_optimizer_of_the_caller_is_used():
    def halfway(objective, theta, bounds):
        value, gradient = objective(theta)
        assert objective(theta, eval_gradient=False) == pytest.approx(value) and gradient.shape == theta.shape
        return theta / 2, objective(theta / 2, eval_gradient=False)

    model = GaussianProcessRegressor(kernel(ours), optimizer=halfway, alpha=0.1).fit(X, y)
    np.testing.assert_allclose(model.kernel_.theta, kernel(ours).theta / 2)
    with pytest.raises(ParameterError, match="must return the hyperparameters"):
        GaussianProcessRegressor(kernel(ours), optimizer=lambda f, theta, bounds: None, alpha=0.1).fit(X, y)


class SharedLetters(ours.GenericKernelMixin, ours.Kernel):
    """Number of letters that two words share."""

    def __init__(self, scale=1.0, scale_bounds=(1e-3, 1e3)):
        self.scale, self.scale_bounds = scale, scale_bounds

    @property
    def hyperparameter_scale(self):
        return ours.Hyperparameter("scale", "numeric", self.scale_bounds)

    def __call__(self, X, Y=None, eval_gradient=False):
        K = np.array([[self.scale * len({*one} & {*other}) for other in (X if Y is None else Y)] for one in X])
        return (K, K[:, :, None]) if eval_gradient else K

    def diag(self, X):
        return np.array([self.scale * len({*one}) for one in X])

    def is_stationary(self):
        return False


def test_kernels_of_words():
    words, lengths = ["ant", "bee", "cat", "cow", "elephant"], [3.0, 3.0, 3.0, 3.0, 8.0]
    model = GaussianProcessRegressor(SharedLetters() + ours.WhiteKernel(0.1), optimizer=None).fit(words, lengths)
    mean, std = model.predict(["hen", "ant"], return_std=True)
    assert mean.shape == (2,) and (std > 0).all()
    K = model.kernel_(words) + 1e-10 * np.eye(5)
    np.testing.assert_allclose(mean, model.kernel_(["hen", "ant"], words) @ np.linalg.solve(K, lengths), rtol=1e-8)
    with pytest.raises(ParameterError, match="sample_weight needs a kernel"):
        model.fit(words, lengths, [1, 2, 3, 4, 5])


def test_kernels_are_kept_in_model_files(tmp_path):
    every = (
        2.0 * ours.RBF([1.0, 2.0]) ** 2 + ours.Matern(1.5, nu=np.inf) * ours.RationalQuadratic(2.0)
        + ours.WhiteKernel(0.1, "fixed") + ours.DotProduct() * 0.01 + 0.1 * ours.PairwiseKernel(0.5, metric="laplacian")
        + ours.ExpSineSquared(3.0, 2.0)
    )  # fmt: skip
    model = GaussianProcessRegressor(every, optimizer=None, alpha=0.1).fit(X, y)
    learnable.save(model, tmp_path / "model.lrn")
    again = learnable.load(tmp_path / "model.lrn")
    assert again.kernel == every and again.kernel_ == model.kernel_
    for one, other in zip(again.predict(Z, return_std=True), model.predict(Z, return_std=True), strict=True):
        np.testing.assert_array_equal(one, other)


def test_bad_input_is_named():
    with pytest.raises(ParameterError, match=r"length_scale must be finite and above 0; got -1\.0"):
        GaussianProcessRegressor(ours.RBF(-1.0)).fit(X, y)
    with pytest.raises(ParameterError, match="CompoundKernel"):
        GaussianProcessRegressor(ours.CompoundKernel([ours.RBF()])).fit(X, y)
    with pytest.raises(ParameterError, match=r"same number of entries as y\. \(3 != 50\)"):
        GaussianProcessRegressor(alpha=np.ones(3)).fit(X, y)
    with pytest.raises(ParameterError, match="number of targets seen"):
        GaussianProcessRegressor(n_targets=2).fit(X, y)
    with pytest.raises(DataError, match="n_inducing needs noise"):
        GaussianProcessRegressor(ours.RBF(), alpha=0.0, n_inducing=5).fit(X, y)
    with pytest.raises(np.linalg.LinAlgError, match="not returning a positive definite matrix"):
        GaussianProcessRegressor(ours.DotProduct(), alpha=0.0, optimizer=None).fit(X, y)
    with pytest.raises(ParameterError, match="leave-one-out predictions need exact inference"):
        GaussianProcessRegressor(alpha=0.1, n_inducing=5, optimizer=None).fit(X, y).leave_one_out()
    with pytest.raises(ValueError, match="theta!=None"):
        GaussianProcessRegressor(alpha=0.1, optimizer=None).fit(X, y).log_marginal_likelihood(eval_gradient=True)


def test_bits_do_not_depend_on_threads_with_many_rows():
    rng = np.random.default_rng(2)
    rows = rng.uniform(-3, 3, size=(1100, 2))
    target = np.sin(rows[:, 0]) + 0.1 * rng.normal(size=1100)
    found = []
    for count in (1, 3):
        with learnable.threads(count):
            model = GaussianProcessRegressor(kernel(ours), optimizer=None).fit(rows, target)
            value, gradient = model.log_marginal_likelihood(model.kernel_.theta, True)
            found.append([value, gradient, *model.predict(Z, return_std=True)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    value, gradient = (
        theirs.GaussianProcessRegressor(kernel(their_kernels), optimizer=None)
        .fit(rows, target)
        .log_marginal_likelihood(model.kernel_.theta, True)
    )
    np.testing.assert_allclose(found[0][0], value, rtol=1e-9)
    np.testing.assert_allclose(found[0][1], gradient, rtol=1e-8)


class TheirOwn(their_kernels.RBF):
    """A kernel of a class that was written for scikit-learn."""


def test_kernels_of_scikit_learn_are_accepted():
    for make in (kernel, lambda module: module.Matern(0.7, nu=2.5) ** 2.0 * module.RationalQuadratic()):
        one = GaussianProcessRegressor(make(their_kernels), alpha=1e-3).fit(X, y)
        other = GaussianProcessRegressor(make(ours), alpha=1e-3).fit(X, y)
        assert one.kernel_ == other.kernel_ and one.kernel == make(their_kernels)
        np.testing.assert_array_equal(one.predict(Z), other.predict(Z))
    before = GaussianProcessRegressor(kernel(their_kernels)).predict(Z, return_std=True)[1]
    np.testing.assert_array_equal(before, GaussianProcessRegressor(kernel(ours)).predict(Z, return_std=True)[1])
    assert ours.WhiteKernel() + their_kernels.RBF(2.0) == ours.WhiteKernel() + ours.RBF(2.0)
    for wrong in ("rbf", TheirOwn(), 2.0 * TheirOwn(), their_kernels.RBF):
        with pytest.raises(ParameterError, match="kernel must be a kernel of learnable"):
            GaussianProcessRegressor(wrong).fit(X, y)


def test_a_row_is_predicted_alone_as_among_others():
    model = GaussianProcessRegressor(1e5 * ours.RBF(3.0), alpha=1e-4, optimizer=None).fit(X, y)
    np.testing.assert_array_equal([model.predict(row[None])[0] for row in Z], model.predict(Z))
