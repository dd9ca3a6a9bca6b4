"""Boosting with exact splits, compared with brute force; and infinite values."""

import numpy as np
import pytest
import sklearn.ensemble as theirs

import learnable
from learnable.core import DataError
from learnable.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RegularizedBoostingClassifier,
    RegularizedBoostingRegressor,
)


def rows(seed, n=400, missing=0.0):
    """Distinct values, some missing, and a nonlinear target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def grown(X, gradient, curvature, depth):
    """Scores of the best tree of some rows with an L2 penalty of one, by trying every split."""

    def worth(side):
        return gradient[side].sum() ** 2 / (curvature[side].sum() + 1.0)

    best, kept = worth(np.full(len(X), True)), None
    for column in X.T if depth else ():
        gone = np.isnan(column)
        for cut in np.unique(column[~gone]):
            for side in (column <= cut, (column <= cut) | gone):
                if min(curvature[side].sum(), curvature[~side].sum()) >= 1 and worth(side) + worth(~side) > best + 1e-9:
                    best, kept = worth(side) + worth(~side), side
    if kept is None:
        return np.full(len(X), -gradient.sum() / (curvature.sum() + 1.0))
    found = np.empty(len(X))
    for side in (kept, ~kept):
        found[side] = grown(X[side], gradient[side], curvature[side], depth - 1)
    return found


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_exact_trees_agree_with_brute_force(missing):
    X, y = rows(0, 300, missing)
    options = {"tree_method": "exact", "n_estimators": 2, "learning_rate": 0.5, "max_depth": 3, "base_score": 0.0}
    score = np.zeros(len(y))
    for _ in range(2):
        score += 0.5 * grown(X, score - y, np.ones(len(y)), 3)
    np.testing.assert_allclose(RegularizedBoostingRegressor(**options).fit(X, y).predict(X), score, atol=1e-9)
    score = np.zeros(len(y))
    for _ in range(2):
        probability = 1 / (1 + np.exp(-score))
        score += 0.5 * grown(X, probability - (y > 0), probability * (1 - probability), 3)
    model = RegularizedBoostingClassifier(**options).fit(X, y > 0)
    np.testing.assert_allclose(model.decision_function(X), score, atol=1e-9)


def test_exact_trees_equal_those_of_one_bin_per_value():
    X, y = rows(1, 2000)
    options = {"n_estimators": 5, "max_depth": None, "min_samples_leaf": 3}
    exact = RegularizedBoostingRegressor(tree_method="exact", **options).fit(X, y)
    binned = RegularizedBoostingRegressor(max_bin=2000, **options).fit(X, y)
    np.testing.assert_array_equal(exact.predict(X), binned.predict(X))
    coarse = RegularizedBoostingRegressor(max_bin=16, **options).fit(X, y)
    assert exact.score(X, y) > coarse.score(X, y)


def test_exact_search_of_more_than_65536_values():
    rng = np.random.default_rng(2)
    X = rng.permutation(70_000).astype(float)[:, None]
    y = (X[:, 0] > 66_000.5).astype(float)
    model = RegularizedBoostingRegressor(tree_method="exact", n_estimators=1, learning_rate=1.0, max_depth=1).fit(X, y)
    assert model.trees_[0].threshold[0] == 66_000.5


@pytest.mark.parametrize("kind", [HistGradientBoostingRegressor, RegularizedBoostingRegressor])
def test_infinite_values_exceed_all_thresholds(kind):
    X = np.array([[-np.inf], [0.0], [1.0], [np.inf]] * 30)
    y = np.array([0.0, 1.0, 1.0, 3.0] * 30)
    model = kind(learning_rate=0.9).fit(X, y)
    np.testing.assert_allclose(model.predict([[-np.inf], [0.5], [1e300], [np.inf]]), [0, 1, 1, 3], atol=0.05)
    np.testing.assert_allclose(model.predict(X[:4].astype(np.float32)), model.predict(X[:4]), rtol=1e-6, atol=1e-6)


def test_infinite_values_agree_with_scikit_learn():
    X, y = rows(3, 500)
    X = np.round(4 * X)
    X[:50, 0], X[50:80, 1] = np.inf, -np.inf
    ours = HistGradientBoostingClassifier(max_iter=20, early_stopping=False).fit(X, y > 0)
    peer = theirs.HistGradientBoostingClassifier(max_iter=20, early_stopping=False).fit(X, y > 0)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    odd = IsolationForest(random_state=0).fit(X)
    assert np.isfinite(odd.score_samples(X)).all()
    assert odd.score_samples(X[:80]).mean() < odd.score_samples(X[80:]).mean()
    with pytest.raises(DataError, match="infinity in column 0, row 0"):
        GradientBoostingRegressor().fit(X, y)
    with pytest.raises(DataError, match="infinity in column 0, row 0"):
        learnable.RandomForestRegressor().fit(X, y)
