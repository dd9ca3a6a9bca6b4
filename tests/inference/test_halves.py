"""What folds share is measured on halves: their design, the estimate on scores whose covariance is known."""

import numpy as np
import pytest

from learnable.inference.halves import balanced_halvings, folds_of_halves, freedom, inflation, interval_by_halves
from learnable.parts.intervals import around, corrected_resampled


@pytest.mark.parametrize("folds", [8, 9, 10, 15, 20])
def test_halvings_are_halves_and_about_independent(folds):
    halvings = balanced_halvings(folds)
    assert halvings.shape == (9, folds) and set(np.unique(halvings)) == {-1, 1}
    assert (np.abs(halvings.sum(axis=1)) == folds % 2).all()
    assert 6 < freedom(halvings) <= min(9, folds - 1) + 1e-9
    np.testing.assert_array_equal(halvings, balanced_halvings(folds))


def test_models_of_a_half_never_see_the_other():
    rows = np.array_split(np.random.default_rng(0).permutation(43), 10)
    parts = [(np.setdiff1d(np.arange(43), test), test) for test in rows]
    for sides in balanced_halvings(10):
        for fold, (train, test) in enumerate(folds_of_halves(parts, sides)):
            np.testing.assert_array_equal(test, rows[fold])
            half = np.concatenate([rows[other] for other in range(10) if sides[other] == sides[fold]])
            np.testing.assert_array_equal(train, np.setdiff1d(half, test))


@pytest.mark.parametrize("shared", [0.0, 0.05, 0.2])
def test_the_inflation_of_scores_with_a_known_covariance(shared):
    """A score is noise of its fold plus what its half shares, drawn anew for either half: 1 + 5 shared / 1."""
    draws, halvings = np.random.default_rng(1), balanced_halvings(10)
    found = []
    for _ in range(4000):
        parts = draws.normal(size=(9, 2)) * np.sqrt(shared)
        scores = draws.normal(size=(9, 10)) + np.where(halvings > 0, parts[:, :1], parts[:, 1:])
        found.append(inflation(scores, halvings))
    assert np.mean(found) == pytest.approx(1 + 5 * shared, rel=0.05)


def test_the_interval_is_bounded_by_independent_folds_and_the_correction():
    draws = np.random.default_rng(2)
    parts = [(np.setdiff1d(np.arange(50), test), test) for test in np.arange(50).reshape(10, 5)]
    scores, halvings = draws.normal(size=10), balanced_halvings(10)
    deviation, free = scores.std(ddof=1), freedom(halvings)
    for answers, more in (
        (draws.normal(size=90) + 9 * (halvings.ravel() > 0), 1 + 10 / 9),
        (np.tile([1.0, -1], 45), 1.0),
    ):
        wanted = around(scores.mean(), deviation * np.sqrt(more / 10), free, 0.95)
        assert interval_by_halves(scores, parts, 0.1, 0.95, lambda folds, a=answers: a) == pytest.approx(wanted)
    lost = interval_by_halves(scores, parts, 0.1, 0.95, lambda folds: np.full(len(folds), np.nan))
    assert lost == pytest.approx(corrected_resampled(scores, 0.1))
