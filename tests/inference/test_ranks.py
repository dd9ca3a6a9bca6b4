"""Rank tests against SciPy, and the link of the rank sum to the area under the ROC curve (STA-09)."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from learnable.inference import rank_sum, wilcoxon

SIDES = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("tied", [False, True])
def test_signed_ranks_equal_scipy(alternative, tied):
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 25)) + [[0.4], [0.0]]
    if tied:
        one, two = one.round(1), two.round(1)
        one[0] = two[0]
    ours = wilcoxon(one, two, alternative=alternative)
    apart = (one - two)[one != two]
    theirs = stats.wilcoxon(apart, alternative=alternative, method="approx" if tied else "exact")
    assert ours.p_value == pytest.approx(theirs.pvalue)
    ranks = stats.rankdata(np.abs(apart))
    assert ours.statistic == pytest.approx(ranks[apart > 0].sum())


def test_the_estimate_of_signed_ranks_is_the_median_of_all_averages():
    apart = np.array([1.0, 2.0, 7.0])
    averages = [1.0, 2.0, 7.0, 1.5, 4.0, 4.5]
    assert wilcoxon(apart, np.zeros(3)).estimate == np.median(averages)
    assert wilcoxon([1, 2], [1, 2]).p_value == 1


@pytest.mark.parametrize("alternative", SIDES)
def test_rank_sum_is_the_area_under_the_roc_curve(alternative):
    """STA-09: U = AUC m n, and SciPy's p value; ties count one half."""
    rng = np.random.default_rng(1)
    positives, negatives = (rng.normal(size=30) + 0.5).round(1), rng.normal(size=45).round(1)
    found = rank_sum(positives, negatives, alternative=alternative)
    area = roc_auc_score(np.repeat([1, 0], [30, 45]), np.concatenate([positives, negatives]))
    assert found.estimate == pytest.approx(area) and found.statistic == pytest.approx(area * 30 * 45)
    assert found.p_value == pytest.approx(stats.mannwhitneyu(positives, negatives, alternative=alternative).pvalue)


def test_delong_interval_is_its_definition():
    rng = np.random.default_rng(2)
    one, two = rng.normal(size=12) + 1, rng.normal(size=9)
    beats = (one[:, None] > two) + 0.5 * (one[:, None] == two)
    error = np.sqrt(beats.mean(axis=1).var(ddof=1) / 12 + beats.mean(axis=0).var(ddof=1) / 9)
    low, high = rank_sum(one, two).interval
    np.testing.assert_allclose(
        [low, high], np.clip(beats.mean() + np.array([-1, 1]) * 1.959964 * error, 0, 1), atol=1e-6
    )
    assert rank_sum([1.0], [0.0]).interval is None
