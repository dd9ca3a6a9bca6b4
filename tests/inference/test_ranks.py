"""Rank tests against SciPy and brute force, and the link of the rank sum to the area under the ROC curve (STA-09)."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from learnable.core import ParameterError
from learnable.inference import rank_sum, wilcoxon
from learnable.inference.ranks import _median_of_averages

SIDES = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("tied", [False, True])
def test_signed_ranks_equal_scipy(alternative, tied):
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 60 if tied else 25)) + [[0.4], [0.0]]
    if tied:
        one, two = one.round(1), two.round(1)
        one[0] = two[0]
    ours = wilcoxon(one, two, alternative=alternative)
    apart = (one - two)[one != two]
    theirs = stats.wilcoxon(apart, alternative=alternative, method="asymptotic" if tied else "exact")
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


def tail(sums, observed, alternative):
    """The share of sums as extreme as the observed one."""
    below, above = np.mean(np.array(sums) <= observed + 1e-9), np.mean(np.array(sums) >= observed - 1e-9)
    return {"less": below, "greater": above, "two-sided": min(1, 2 * min(below, above))}[alternative]


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_tied_signed_ranks_equal_all_signs(alternative, seed):
    apart = np.random.default_rng(seed).integers(-3, 5, 10)
    kept = apart[apart != 0]
    ranks = stats.rankdata(np.abs(kept))
    sums = [ranks @ signs for signs in product([0, 1], repeat=len(kept))]
    for method in ("auto", "exact"):
        found = wilcoxon(apart, np.zeros(10), alternative=alternative, method=method)
        assert found.p_value == pytest.approx(tail(sums, ranks[kept > 0].sum(), alternative), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5, 6, 8, 50])
def test_differences_of_one_size_are_tosses_of_a_coin(n):
    assert wilcoxon(np.zeros(n), np.ones(n)).p_value == 2 / 2**n


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("sizes", [(3, 3), (4, 6), (7, 3), (1, 5)])
def test_tied_rank_sums_equal_all_arrangements(alternative, sizes):
    values = np.random.default_rng(sum(sizes)).integers(0, 4, sum(sizes))
    ranks = stats.rankdata(values)
    sums = [ranks[list(rows)].sum() for rows in combinations(range(len(values)), sizes[0])]
    for method in ("auto", "exact"):
        found = rank_sum(values[: sizes[0]], values[sizes[0] :], alternative=alternative, method=method)
        assert found.p_value == pytest.approx(tail(sums, ranks[: sizes[0]].sum(), alternative), rel=1e-12)


def test_rank_sum_of_two_constants():
    assert rank_sum([0] * 3, [1] * 3).p_value == pytest.approx(0.1)
    assert rank_sum([1] * 3, [1] * 4).p_value == 1


def test_what_cannot_be_counted_is_named():
    with pytest.raises(ParameterError, match="too many tied values"):
        rank_sum(np.zeros(1000), np.ones(1000), method="exact")
    with pytest.raises(ParameterError, match='method must be "auto", "exact" or "asymptotic"'):
        wilcoxon([1, 2], [0, 0], method="approx")


@pytest.mark.parametrize("n", [2001, 2002, 2003, 2004])
@pytest.mark.parametrize("digits", [1, 12])
def test_the_median_of_averages_without_a_table(n, digits):
    apart = np.random.default_rng(n).normal(size=n).round(digits) + 0.3
    rows, columns = np.triu_indices(n)
    assert _median_of_averages(apart) == pytest.approx(np.median((apart[rows] + apart[columns]) / 2), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e9])
def test_the_median_of_averages_of_a_constant(value):
    assert _median_of_averages(np.full(3000, value)) == value


@pytest.mark.parametrize(
    ("one", "two", "area"),
    [([2.0, 3, 4], [0.0, 1, 1.5], 1), ([0, 1], [2, 3, 4], 0), ([1] * 7, [1] * 5, 0.5), ([0] * 90, [1] * 90, 0)],
)
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_interval_of_the_area_has_a_width(one, two, area, confidence):
    found = rank_sum(one, two, confidence=confidence)
    low, high = found.interval
    assert found.estimate == area and 0 <= low <= area <= high <= 1 and high - low > 0.001


@pytest.mark.parametrize("values", [([3, 1, 4, 1, 5, 9], [2, 6, 5, 3]), ([5, 6, 7], [1, 2, 3])])
def test_one_side_has_an_interval_with_one_end(values):
    both = rank_sum(*values, confidence=0.9).interval
    assert rank_sum(*values, alternative="greater", confidence=0.95).interval == pytest.approx((both[0], 1))
    assert rank_sum(*values, alternative="less", confidence=0.95).interval == pytest.approx((0, both[1]))
