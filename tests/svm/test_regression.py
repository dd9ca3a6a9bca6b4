"""Support vector regression and the one-class machine against LIBSVM and their definitions."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm

from learnable.svm import SVR, NuSVR, OneClassSVM


def wave(seed=0, rows=150):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (rows, 2))
    return X, np.sin(X[:, 0]) + 0.2 * X[:, 1] + 0.1 * rng.standard_normal(rows)


@pytest.mark.parametrize(
    "options",
    [{"gamma": 0.3}, {"kernel": "linear"}, {"C": 20.0, "gamma": 0.2}, {"kernel": "poly", "degree": 2, "gamma": 0.1}],
)
@pytest.mark.parametrize("name", ["SVR", "NuSVR"])
def test_predictions_are_those_of_libsvm(name, options):
    X, y = wave()
    weight = np.random.default_rng(1).uniform(0.2, 2, len(y))
    ours, theirs = ({"SVR": SVR, "NuSVR": NuSVR}[name], getattr(sklearn.svm, name))
    ours, theirs = (cls(tol=1e-8, **options).fit(X, y, weight) for cls in (ours, theirs))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4 * np.abs(theirs.dual_coef_).max())
    assert ours.n_support_.tolist() == theirs.n_support_.tolist() and ours.shape_fit_ == theirs.shape_fit_


def test_the_gap_of_the_tube_from_scratch():
    X, y = wave()
    C, epsilon, gamma = 3.0, 0.15, 0.4
    model = SVR(C=C, epsilon=epsilon, gamma=gamma, tol=1e-7).fit(X, y)
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))
    b = np.zeros(len(y))
    b[model.support_] = model.dual_coef_[0]
    f = K @ b
    primal = b @ f / 2 + C * np.maximum(0, np.abs(y - f - model.intercept_[0]) - epsilon).sum()
    dual = y @ b - epsilon * np.abs(b).sum() - b @ f / 2
    assert primal - dual + 1e-9 >= 0 and primal - dual <= 1e-5 * primal
    assert np.abs(b).max() <= C and abs(b.sum()) < 1e-9
    inside = np.abs(y - model.predict(X)) < epsilon - 1e-6
    assert not b[inside].any(), "rows inside the tube do not matter"


def test_nu_bounds_the_rows_outside_the_tube():
    X, y = wave(2)
    for nu in (0.1, 0.4, 0.8):
        model = NuSVR(nu=nu, C=5.0, tol=1e-7).fit(X, y)
        outside = np.abs(y - model.predict(X)) > model.epsilon_ + 1e-5
        assert outside.mean() <= nu <= len(model.support_) / len(y)
        same = SVR(epsilon=model.epsilon_, C=5.0, tol=1e-7).fit(X, y)
        np.testing.assert_allclose(same.predict(X), model.predict(X), atol=1e-4)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.9])
def test_the_one_class_machine_is_that_of_libsvm(nu):
    X, _ = wave(3)
    ours, theirs = (cls(nu=nu, tol=1e-9, gamma=0.3).fit(X) for cls in (OneClassSVM, sklearn.svm.OneClassSVM))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-6)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-6)
    clear = np.abs(ours.decision_function(X)) > 1e-5
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    np.testing.assert_array_equal(ours.fit_predict(X), ours.predict(X))
    outliers = (ours.decision_function(X) < -1e-6).mean()
    assert outliers <= nu <= len(ours.support_) / len(X) + 1e-9
    assert (ours.predict([[100.0, 100.0]]) == -1).all()


def test_weights_of_a_regression_are_copies_in_rounds_too():
    """More variables than are solved at once."""
    X, y = wave(4, 700)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    copies = np.repeat(np.arange(len(y)), weight.astype(int))
    weighted = SVR(tol=1e-8).fit(X, y, weight)
    copied = SVR(tol=1e-8).fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), atol=1e-6)
