"""One-class descent against the exact machine, and against scikit-learn's interface."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import SGDOneClassSVM as Reference

from learnable import OneClassSVM, SGDOneClassSVM
from learnable.core.errors import DataError, ParameterError


def cloud(n=400, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 3)) + [3.0, 2.0, 1.0]


def objective(X, nu, w, r):
    """What is minimised, from the definition."""
    return nu / 2 * w @ w - nu * r + np.maximum(0, r - X @ w).mean()


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_it_converges_to_the_exact_one_class_svm(nu):
    X = cloud()
    exact = OneClassSVM(kernel="linear", nu=nu, tol=1e-8).fit(X)
    unit = nu * len(X)  # LIBSVM's scale is a sum over rows
    best = objective(X, nu, exact.coef_[0] / unit, float(exact.offset_[0]) / unit)
    steady = {"learning_rate": "constant", "eta0": 0.01, "average": 200 * len(X)}
    model = SGDOneClassSVM(nu=nu, tol=None, max_iter=400, random_state=0, **steady).fit(X)
    assert objective(X, nu, model.coef_, model.offset_[0]) == pytest.approx(best, rel=1e-3)
    assert (model.predict(X) == exact.predict(X)).mean() > 0.98
    assert (model.predict(X) < 0).mean() == pytest.approx(nu, abs=0.05)


def test_the_objective_is_at_most_that_of_scikit_learn():
    X = cloud(seed=1)
    options = {"nu": 0.3, "tol": None, "max_iter": 100, "average": len(X), "random_state": 0}
    ours, theirs = SGDOneClassSVM(**options).fit(X), Reference(**options).fit(X)
    assert ours.coef_.shape == theirs.coef_.shape and ours.offset_.shape == theirs.offset_.shape
    requested = objective(X, 0.3, theirs.coef_, theirs.offset_[0])
    assert objective(X, 0.3, ours.coef_, ours.offset_[0]) <= requested + 1e-2 * abs(requested)


@pytest.mark.parametrize("average", [False, 10])
def test_calls_of_partial_fit_are_epochs(average):
    X = cloud(50)
    options = {"shuffle": False, "average": average, "random_state": 0}
    whole = SGDOneClassSVM(tol=None, max_iter=3, **options).fit(X)
    parts = SGDOneClassSVM(**options)
    for _ in range(3):
        parts.partial_fit(X)
    assert_array_equal(parts.coef_, whole.coef_)
    assert_array_equal(parts.offset_, whole.offset_)
    assert parts.t_ == whole.t_ == 151


def test_scores_sparse_rows_and_starting_values():
    X = cloud(60)
    model = SGDOneClassSVM(random_state=0).fit(X)
    assert_allclose(model.score_samples(X), X @ model.coef_)
    assert_allclose(model.decision_function(X), X @ model.coef_ - model.offset_[0])
    assert_array_equal(model.fit_predict(X), np.where(model.decision_function(X) >= 0, 1, -1))
    kept = model.predict(X)
    assert_array_equal(model.sparsify().predict(sparse.csr_array(X)), kept)
    assert_array_equal(model.densify().predict(X), kept)
    one = SGDOneClassSVM(max_iter=1, tol=None, shuffle=False, learning_rate="constant", eta0=1e-9)
    near = one.fit(X, coef_init=[1.0, 2.0, 3.0], offset_init=[4.0])
    assert_allclose(near.coef_, [1.0, 2.0, 3.0], atol=1e-6)
    assert_allclose(near.offset_, [4.0], atol=1e-6)
    assert_array_equal(SGDOneClassSVM(fit_intercept=False).fit(X).offset_, [0.0])


def test_bad_arguments_are_refused_with_a_message():
    X = cloud(20)
    with pytest.raises(ParameterError, match="nu"):
        SGDOneClassSVM(nu=1.5).fit(X)
    with pytest.raises(DataError, match=r"coef_init must hold finite numbers in the shape \(3,\); got .*\(2,\)"):
        SGDOneClassSVM().fit(X, coef_init=[1.0, 2.0])
    with pytest.raises(DataError, match="expecting 3 features"):
        SGDOneClassSVM().partial_fit(X).partial_fit(X[:, :2])
