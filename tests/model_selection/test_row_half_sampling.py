"""What folds share is measured on halves drawn row by row: their design, and the intervals that follow from them."""

import numpy as np
import pytest
from scipy import stats

from learnable import GroupKFold, KFold, LogisticRegression, Ridge, compare
from learnable.metrics._score_range import ACCURACY, EXPLAINED, Scale
from learnable.model_selection._row_half_sampling import (
    HALVINGS,
    WORTH,
    folds_of_row_halves,
    freedom,
    interval_by_row_halves,
)
from learnable.parts.confidence_intervals import around, wilson

N = 101
LABELS = np.arange(N) % 3


@pytest.mark.parametrize("classes", [False, True])
def test_halves_are_disjoint_and_split_into_folds(classes):
    found = folds_of_row_halves("test", N, 12, LABELS if classes else None, np.random.default_rng(0))
    assert len(found) == HALVINGS * 2 * 6
    for place in range(0, len(found), 12):
        halves = [found[place : place + 6], found[place + 6 : place + 12]]
        rows = [np.sort(np.concatenate([test for _, test in half])) for half in halves]
        assert sorted(np.concatenate(rows)) == list(range(N)) and [len(own) for own in rows] == [50, 51]
        for half, own in zip(halves, rows, strict=True):
            for train, test in half:
                np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), own)


def test_classes_vary_between_halves_as_between_tables_but_hardly_within_them():
    found = folds_of_row_halves("test", N, 5, LABELS, np.random.default_rng(0))
    counts = np.array([[(LABELS[test] == label).sum() for _, test in found] for label in range(3)])
    by_half = counts.reshape(3, HALVINGS * 2, 5)
    assert np.ptp(by_half, axis=2).max() <= 2, "folds of a half have equal shares"
    drawn = by_half.sum(axis=2)[0, ::2]
    assert np.ptp(drawn) >= 4, "halves have not"


def test_as_many_degrees_of_freedom_as_differences_of_halves_have():
    draws = np.random.default_rng(0)
    signs = np.array([np.where(np.argsort(draws.random(60)) < 30, 1, -1) for _ in range(HALVINGS * 200)])
    found = []
    for halvings in signs.reshape(200, HALVINGS, 60):
        covariance = halvings @ halvings.T / 60
        found.append(np.trace(covariance) ** 2 / (covariance**2).sum())
    assert np.mean(found) == pytest.approx(freedom(60), rel=0.01)


def test_an_interval_of_a_proportion_is_that_of_fewer_independent_rows():
    halves = np.zeros((HALVINGS, 2, 5))
    halves[:, 0], halves[:, 1] = 0.9, 0.7
    effect = (WORTH + freedom(100) * 0.01 / (0.8 * 0.2 / 100)) / (WORTH + freedom(100))
    widened = stats.t.ppf(0.95, WORTH + freedom(100)) / stats.norm.ppf(0.95)
    rows = 100 / effect / widened**2
    found = interval_by_row_halves(np.full(10, 0.85), halves.ravel(), 100, ACCURACY, 0.9)
    assert found == pytest.approx(wilson(0.85 * rows, rows, 0.9))
    errors = interval_by_row_halves(np.full(10, -0.15), halves.ravel() - 1, 100, Scale(-1.0, 0.0, True), 0.9)
    assert errors == pytest.approx([end - 1 for end in found])


def test_a_proportion_without_any_error_has_wilsons_interval():
    low, high = interval_by_row_halves(np.ones(10), np.ones(HALVINGS * 10), 100, ACCURACY, 0.95)
    assert high == 1 and 0.94 < low < wilson(100, 100)[0]


@pytest.mark.parametrize("folds", [10, 11])
def test_an_interval_of_another_score_follows_how_folds_of_the_whole_table_vary(folds):
    draws = np.random.default_rng(3)
    halves = draws.normal(size=(HALVINGS, 2, 5)) + draws.normal(size=(HALVINGS, 2, 1))
    scores = 0.1 * draws.normal(size=folds)
    missing = halves.mean(axis=2) @ [1, -1]
    effect = np.mean(missing**2) / 4 / (halves.var(axis=2, ddof=1).mean() / 10)
    known = 1 / (1 / freedom(200) + 1 / (folds - 1))
    requested = around(scores.mean(), np.sqrt(effect * scores.var(ddof=1) / folds), known, 0.95)
    assert interval_by_row_halves(scores, halves.ravel(), 200, EXPLAINED, 0.95) == pytest.approx(requested)


def test_folds_that_all_score_the_same_are_uninformative():
    found = interval_by_row_halves(np.full(10, 0.5), np.full(HALVINGS * 10, 0.5), 100, EXPLAINED, 0.95)
    assert found == (-np.inf, 1.0)


def test_rows_are_halved_where_nothing_says_that_they_belong_together(monkeypatch):
    rng, calls = np.random.default_rng(0), []
    X = rng.normal(size=(120, 2))
    y, codes = X[:, 0] + rng.normal(size=120), np.arange(120) % 2

    def messages(*arguments):
        calls.append(arguments[:3])
        return folds_of_row_halves(*arguments)

    monkeypatch.setattr("learnable.inference.compare_models.folds_of_row_halves", messages)
    first = compare({"line": Ridge()}, X, y)
    assert calls == [("compare", 120, 10)] and compare({"line": Ridge()}, X, y).rows == first.rows
    assert compare({"line": Ridge()}, X, y, cv=KFold(10)).interval == "halves" and len(calls) == 2
    compare({"line": Ridge()}, X, y, groups=np.arange(120) // 4)
    compare({"line": Ridge()}, X, y, cv=GroupKFold(10), groups=np.arange(120) // 4)
    assert len(calls) == 2, "groups stay together"
    compare({"curve": LogisticRegression()}, X, codes)
    assert calls[-1] == ("compare", 120, 10)
