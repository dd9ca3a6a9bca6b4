"""Ways to tune and to test that keep the test rows out of the tuning (RES-02, RES-10, RES-11), and the choice of K."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge as TheirRidge

from learnable import (
    SVC,
    GridSearchCV,
    GroupKFold,
    KFold,
    LinearRegression,
    Ridge,
    cross_val_score,
    nested_cross_validate,
    rotating_cross_validate,
    train_validate_test,
)
from learnable.core import DataError

X, Y = load_diabetes(return_X_y=True)
GRID = {"alpha": [1e-3, 0.1, 10.0]}


def test_a_search_inside_cross_validation():
    ours = nested_cross_validate(GridSearchCV(Ridge(), GRID, cv=3), X, Y, cv=4, return_estimator=True)
    other = theirs.cross_validate(theirs.GridSearchCV(TheirRidge(), GRID, cv=3), X, Y, cv=4, return_estimator=True)
    np.testing.assert_allclose(ours.test_scores["score"], other["test_score"])
    assert ours.best_params == [search.best_params_ for search in other["estimator"]]
    assert len(ours.searches) == 4 and ours.summary()["score"].folds == 4


def test_the_best_of_many_on_noise_flatters_and_the_nested_score_does_not():
    rng = np.random.default_rng(0)
    flattered, honest = [], []
    for _ in range(20):
        noise, y = rng.standard_normal((40, 10)), rng.standard_normal(40)
        search = GridSearchCV(Ridge(), {"alpha": np.geomspace(1e-2, 1e3, 20)}, scoring="neg_mean_squared_error", cv=4)
        flattered.append(-search.fit(noise, y).best_score_)
        honest.append(-nested_cross_validate(search, noise, y, cv=4).test_scores["score"].mean())
    assert np.mean(flattered) < np.mean(honest)


def test_one_fold_tests_and_one_chooses():
    result = rotating_cross_validate(Ridge(), GRID, X, Y, cv=5)
    parts = list(KFold(5).split(X))
    for place, (train, test) in enumerate(parts):
        validation = parts[(place + 1) % 5][1]
        training = np.setdiff1d(train, validation)
        scores = [Ridge(a).fit(X[training], Y[training]).score(X[validation], Y[validation]) for a in GRID["alpha"]]
        best = GRID["alpha"][int(np.argmax(scores))]
        assert result.best_params[place] == {"alpha": best}
        expected = Ridge(best).fit(X[train], Y[train]).score(X[test], Y[test])
        assert result.test_scores["score"][place] == pytest.approx(expected)
    with pytest.raises(DataError, match="at least three folds are needed"):
        rotating_cross_validate(Ridge(), GRID, X, Y, cv=2)


def test_train_validate_test_uses_each_row_once():
    result = train_validate_test(Ridge(), GRID, X, Y, random_state=0)
    rows = np.concatenate(list(result.rows.values()))
    assert sorted(rows) == list(range(len(Y)))
    train, validation, test = result.rows.values()
    assert len(test) == pytest.approx(0.2 * len(Y), abs=1) and len(validation) == pytest.approx(0.2 * len(Y), abs=1)
    scores = [Ridge(a).fit(X[train], Y[train]).score(X[validation], Y[validation]) for a in GRID["alpha"]]
    np.testing.assert_allclose(result.validation_scores, scores)
    known = np.concatenate([train, validation])
    again = Ridge(**result.best_params).fit(X[known], Y[known])
    assert result.test_scores["score"] == pytest.approx(again.score(X[test], Y[test]), rel=1e-9)


def test_the_choice_of_k():
    """Few folds train on few rows and overstate the error; many folds come close to it (RES-05)."""
    rng = np.random.default_rng(0)
    n, p, noise = 40, 10, 1.0
    errors = {2: [], 5: [], n: []}
    for _ in range(150):
        A = rng.standard_normal((n, p))
        b = A.sum(axis=1) + noise * rng.standard_normal(n)
        for k, found in errors.items():
            found.append(-cross_val_score(LinearRegression(), A, b, cv=k, scoring="neg_mean_squared_error").mean())
    truth = {k: noise**2 * (1 + p / (m - p - 2) + 1 / m) for k, m in ((2, 20), (5, 32), (n, n - 1))}
    means = {k: np.mean(found) for k, found in errors.items()}
    assert means[2] > means[5] > means[n]
    for k in (2, 5, n):
        assert means[k] == pytest.approx(truth[k], rel=0.25)


def test_groups_reach_the_search_inside():
    groups = np.arange(len(X)) // 3
    search = GridSearchCV(Ridge(), GRID, cv=GroupKFold(3))
    found = nested_cross_validate(search, X, Y, cv=GroupKFold(4), groups=groups)
    assert len(found.best_params) == 4


def test_a_search_inside_says_that_its_folds_cut_through_groups():
    groups = np.arange(len(Y)) % 20
    search = GridSearchCV(Ridge(), GRID, cv=3)
    with pytest.warns(UserWarning, match=r"GridSearchCV: group \d+ has training rows and test rows"):
        nested_cross_validate(search, X, Y, cv=GroupKFold(4), groups=groups)


def _tuned(X, y, kernel):
    model, grid = SVC(kernel=kernel), {"C": [0.01, 1.0]}
    nested = nested_cross_validate(GridSearchCV(model, grid, cv=3), X, y, cv=3)
    rotated = rotating_cross_validate(model, grid, X, y, cv=3)
    held = train_validate_test(model, grid, X, y, random_state=0)
    return [*nested.test_scores["score"], *rotated.test_scores["score"], held.test_scores["score"]]


def test_kernels_that_are_given_are_cut_to_the_training_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    assert _tuned(X @ X.T, y, "precomputed") == pytest.approx(_tuned(X, y, "linear"))
