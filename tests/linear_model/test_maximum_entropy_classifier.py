"""Maximum-entropy models: constraints, three solvers, and the equality with softmax regression."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import learnable
from learnable import DataError
from learnable.linear_model import MaximumEntropyClassifier


def counted(seed: int = 0, rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Counts between 0 and 3, the first column always at its maximum somewhere, and three overlapping classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = rng.poisson(np.array([[1.0, 2.0, 0.5], [2.0, 0.5, 1.0], [0.5, 1.0, 2.0]])[y]).clip(0, 3).astype(float)
    X[0] = 3
    return X, y


@pytest.mark.parametrize("solver", ["lbfgs", "gis", "iis"])
def test_the_expectations_are_those_of_the_data(solver):
    X, y = counted()
    model = MaximumEntropyClassifier(alpha=0, solver=solver, max_iter=20_000).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(X.T @ probabilities, X.T @ np.eye(3)[y], atol=2e-6 * 3 * len(X))
    np.testing.assert_allclose(probabilities.sum(axis=0), np.bincount(y), atol=2e-6 * len(X))
    assert model.certificate_.kind == "constraint violation" and model.certificate_.holds


@pytest.mark.parametrize("solver", ["lbfgs", "gis", "iis"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
def test_it_is_softmax_regression(solver, alpha):
    X, y = counted(1)
    X = X / 3
    model = MaximumEntropyClassifier(alpha=alpha, fit_intercept=False, solver=solver, tol=1e-8, max_iter=50_000)
    model.fit(X, y)
    theirs = LogisticRegression(C=1 / (alpha * len(X)), fit_intercept=False, tol=1e-12, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=2e-5)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_no_distribution_with_these_expectations_has_a_larger_entropy():
    """Moves along the constraints, which change no expectation, lower the entropy."""
    X, y = counted(2, rows=30)
    model = MaximumEntropyClassifier(alpha=0, fit_intercept=True, tol=1e-9, max_iter=20_000).fit(X, y)
    p = model.predict_proba(X)
    features = np.hstack([X, np.ones((len(X), 1))])
    constraints = []
    for k in range(3):
        for j in range(features.shape[1]):
            row = np.zeros((len(X), 3))
            row[:, k] = features[:, j]
            constraints.append(row.ravel())
    for i in range(len(X)):
        row = np.zeros((len(X), 3))
        row[i] = 1
        constraints.append(row.ravel())
    null = np.linalg.svd(np.array(constraints))[2][np.linalg.matrix_rank(np.array(constraints)) :]
    rng = np.random.default_rng(0)

    def entropy(q):
        return -(q * np.log(q)).sum()

    for _ in range(20):
        move = (null.T @ rng.normal(size=len(null))).reshape(p.shape)
        size = 0.5 * (p / np.maximum(np.abs(move), 1e-300)).min()
        assert entropy(p + size * move) < entropy(p)


@pytest.mark.parametrize("solver", ["gis", "iis"])
def test_no_iteration_raises_the_dual(solver):
    X, y = counted(3)
    model = MaximumEntropyClassifier(alpha=0.01, solver=solver, max_iter=5000).fit(X, y)
    assert (np.diff(model.trace_["objective"]) <= 1e-12).all()
    assert model.trace_["objective"][0] < np.log(3)


def test_improved_scaling_takes_fewer_iterations():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 12)) < 0.15).astype(float)
    y = (X[:, :4].sum(axis=1) + rng.random(200) > 1).astype(int)
    iterations = {
        solver: MaximumEntropyClassifier(alpha=0.01, solver=solver, tol=1e-5, max_iter=20_000)
        .fit(X, y)
        .trace_.iterations
        for solver in ("gis", "iis")
    }
    assert iterations["iis"] < 0.8 * iterations["gis"]


def test_features_that_do_not_occur_have_no_weight_without_a_prior():
    X = np.array([[1.0, 0], [1, 1], [1, 0], [1, 0]])
    with pytest.warns(learnable.ConvergenceWarning):  # the other weight of that feature grows without limit
        model = MaximumEntropyClassifier(alpha=0, fit_intercept=False, max_iter=5).fit(X, [0, 1, 1, 0])
    assert model.coef_[0, 1] == 0 and np.isfinite(model.coef_).all()


def test_negative_features_are_refused_by_scaling():
    X, y = counted()
    X[4, 1] = -2
    with pytest.raises(DataError, match="has -2 in row 4"):
        MaximumEntropyClassifier(solver="gis").fit(X, y)
    assert MaximumEntropyClassifier().fit(X, y).certificate_.holds
