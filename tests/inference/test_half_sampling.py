"""What folds share is measured on halves: their design, the estimate on scores whose covariance is known."""

import numpy as np
import pytest
from scipy import stats

from learnable.inference._half_sampling import (
    balanced_halvings,
    folds_of_halves,
    freedom,
    interval_by_halves,
    variances,
)
from learnable.parts.confidence_intervals import around, corrected_resampled


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


@pytest.mark.parametrize("shared", [*(pytest.param(s, marks=pytest.mark.exhaustive) for s in (0.0, 0.05)), 0.2])
@pytest.mark.parametrize("folds", [9, 10])
def test_the_variance_of_scores_with_a_known_covariance(folds, shared):
    """A score is noise of its fold plus what its half shares: half of that is left in the mean over both halves."""
    draws, halvings = np.random.default_rng(1), balanced_halvings(folds)
    found = []
    for _ in range(4000):
        parts = draws.normal(size=(9, 2)) * np.sqrt(shared)
        scores = draws.normal(size=(9, folds)) + np.where(halvings > 0, parts[:, :1], parts[:, 1:])
        found.append(variances(scores, halvings))
    whole, single = np.mean(found, axis=0)
    assert whole == pytest.approx(1 / folds + shared / 2, rel=0.05) and single == pytest.approx(1, rel=0.05)


def test_the_interval_is_that_of_the_variance():
    draws = np.random.default_rng(2)
    parts = [(np.setdiff1d(np.arange(50), test), test) for test in np.arange(50).reshape(10, 5)]
    scores, halvings = draws.normal(size=10), balanced_halvings(10)
    wide = draws.normal(size=90) + 9 * (halvings.ravel() > 0)
    variance = variances(wide.reshape(9, 10), halvings)[0]
    requested = around(scores.mean(), np.sqrt(variance), freedom(halvings), 0.95)
    assert interval_by_halves(scores, parts, 0.1, 0.95, lambda folds: wide) == pytest.approx(requested)
    wild = interval_by_halves(scores, parts, 0.1, 0.95, lambda folds: 1000 * wide)
    bound = scores.var(ddof=1) / variances(wide.reshape(9, 10), halvings)[1] / (stats.chi2.ppf(0.1, 9) / 9)
    assert wild == pytest.approx(around(scores.mean(), np.sqrt(variance * bound), freedom(halvings), 0.95))
    lost = interval_by_halves(scores, parts, 0.1, 0.95, lambda folds: np.full(len(folds), np.nan))
    assert lost == pytest.approx(corrected_resampled(scores, 0.1))
    flat = interval_by_halves(np.ones(10), parts, 0.1, 0.95, lambda folds: np.ones(len(folds)))
    assert flat == (1, 1)
