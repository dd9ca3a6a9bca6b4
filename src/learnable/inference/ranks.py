"""Rank tests: signed ranks of pairs, rank sums of two samples and their link to the AUC."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import Rows, checked
from ..parts.confidence_intervals import Interval, sample, wilson
from .finding import SHARE, Alternative, Finding, level_of_both, one_sided
from .t_tests import differences

Exactness = Literal["auto", "exact", "asymptotic"]
FEW_PAIRS = 50  # signed ranks: exact p values up to here
FEW_IN_ONE, FEW_IN_BOTH = 8, 200  # rank sums with ties: exact p values up to here
MAX_LAW = 1 << 26  # entries of the table behind an exact p value
FEW_ROWS = 2000  # all averages of two differences are written down up to here
HALVINGS = 60  # of a range of numbers: to less than double precision resolves
MIRRORED: dict[Alternative, Alternative] = {"two-sided": "two-sided", "less": "greater", "greater": "less"}


@checked(confidence=SHARE)
def wilcoxon(
    first: Rows,
    second: Rows,
    *,
    alternative: Alternative = "two-sided",
    method: Exactness = "auto",
    confidence: float = 0.95,
) -> Finding:
    """Wilcoxon signed-rank test: whether paired values differ, by the ranks of their differences.

    W = sum of the ranks of |first - second| over the pairs where first is larger

    Pairs without a difference are left out; the estimate is the median of the averages of any two differences. It
    asks less of the data than a t test: no normal law, only symmetry. "auto" goes through all signs of the ranks up to
    50 differences, tied or not, and takes the normal approximation above. [Wilcoxon, 1945]

    >>> wilcoxon([1.2, 2.4, 3.1, 4.9, 5.5], [1.0, 2.0, 3.0, 4.0, 5.0]).p_value
    0.0625
    >>> wilcoxon([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]).p_value
    0.0625
    """
    apart = differences(first, second, "wilcoxon")
    estimate = _median_of_averages(apart)
    if not apart.any():
        return Finding("Wilcoxon signed-rank test", "W", 0.0, 1.0, 0.0, confidence=confidence)
    apart = apart[apart != 0]
    ranks = _ranks(np.abs(apart))
    statistic = float(ranks[apart > 0].sum())
    if method == "exact" or (method == "auto" and len(apart) <= FEW_PAIRS):
        p_value = _tail(_law_of_signed_sums(_doubled(ranks)), round(2 * statistic), alternative)
    else:
        p_value = _by_normal_law(apart, alternative)
    return Finding("Wilcoxon signed-rank test", "W", statistic, p_value, estimate, confidence=confidence)


@checked(confidence=SHARE)
def rank_sum(
    first: Rows,
    second: Rows,
    *,
    alternative: Alternative = "two-sided",
    method: Exactness = "auto",
    confidence: float = 0.95,
) -> Finding:
    """Wilcoxon rank-sum test (Mann-Whitney U): whether values of one sample tend to be larger than those of another.

    U = sum over pairs of [first > second] + [first = second] / 2 = AUC m n

    The estimate is the share of pairs U / (m n): with the scores of positives and of negatives it is the area under the
    ROC curve, and its interval is that of DeLong; one half means no tendency. Where the samples do not overlap or are
    all tied DeLong's has no width, and Wilson's for as many trials as the smaller sample has values stands instead.
    "auto" is exact if one sample has at most 8 values (with ties: and both have at most 200). [Mann and Whitney, 1947]

    >>> found = rank_sum([0.9, 0.8, 0.4], [0.7, 0.3, 0.2])
    >>> found.statistic, round(found.estimate, 3), round(found.p_value, 3)
    (8.0, 0.889, 0.2)
    """
    from scipy.stats import mannwhitneyu

    one, two = sample(first, "rank_sum", 1, "first"), sample(second, "rank_sum", 1, "second")
    counted = _wants_exact_ties(one, two, method)
    found = mannwhitneyu(one, two, alternative=alternative, method="asymptotic" if counted else method)
    estimate = float(found.statistic) / (len(one) * len(two))
    both = _area_interval(one, two, estimate, level_of_both(alternative, confidence))
    interval = both and one_sided(both, alternative, (0.0, 1.0))
    p_value = _exact_with_ties(one, two, alternative) if counted else float(found.pvalue)
    return Finding(
        "rank-sum test", "U", float(found.statistic), p_value, estimate, interval, None, confidence, "tendency"
    )


def _by_normal_law(apart: Array, alternative: Alternative) -> float:
    from scipy.stats import wilcoxon as signed_ranks

    return float(signed_ranks(apart, alternative=alternative, method="asymptotic").pvalue)


def _law_of_signed_sums(doubled: Array) -> Array:
    """The probability of each sum of ranks, if every rank counts or not by the toss of a coin."""
    law = np.zeros(int(doubled.sum()) + 1)
    law[0] = 1.0
    for rank in doubled:
        law /= 2
        law[rank:] += law[:-rank].copy()
    return law


def _wants_exact_ties(one: Array, two: Array, method: Exactness) -> bool:
    """Whether the exact test must be computed here; SciPy's is exact without ties only."""
    count = len(one) + len(two)
    few = min(len(one), len(two)) <= FEW_IN_ONE and count <= FEW_IN_BOTH
    tied = len(np.unique(np.concatenate([one, two]))) < count
    return tied and (method == "exact" or (method == "auto" and few))


def _exact_with_ties(one: Array, two: Array, alternative: Alternative) -> float:
    """The p value of the rank sum over all ways to share the values, ties and all, between the samples."""
    if len(one) > len(two):
        return _exact_with_ties(two, one, MIRRORED[alternative])
    doubled = _doubled(_ranks(np.concatenate([one, two])))
    return _tail(_law_of_drawn_sums(doubled, len(one)), int(doubled[: len(one)].sum()), alternative)


def _law_of_drawn_sums(doubled: Array, drawn: int) -> Array:
    """The probability of each sum of `drawn` of the ranks, taken without replacement.

    table[j, s] is the probability that j of the ranks so far were taken and add up to s; the next one is taken with
    probability (drawn - j) / (ranks left).
    """
    most = int(np.sort(doubled)[-drawn:].sum())
    if (drawn + 1) * (most + 1) > MAX_LAW:
        raise ParameterError('rank_sum: too many tied values for method="exact"; use "auto" or "asymptotic"')
    table = np.zeros((drawn + 1, most + 1))
    table[0, 0] = 1.0
    for place, rank in enumerate(doubled):
        taken = table * ((drawn - np.arange(drawn + 1)) / (len(doubled) - place))[:, None]
        table -= taken
        table[1:, rank:] += taken[:-1, :-rank]
    return np.asarray(table[drawn])


def _tail(law: Array, observed: int, alternative: Alternative) -> float:
    """The probability of sums as extreme as the observed one; for both sides twice that of the rarer side."""
    below, above = float(law[: observed + 1].sum()), float(law[observed:].sum())
    both = 2 * min(below, above)
    return min(1.0, {"two-sided": both, "less": below, "greater": above}[alternative])


def _ranks(values: Array) -> Array:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values))


def _doubled(ranks: Array) -> Array:
    """Twice the ranks: whole numbers, as tied ranks are halves."""
    return np.asarray(np.rint(2 * ranks), dtype=np.int64)


def _median_of_averages(apart: Array) -> float:
    """The median of (d_i + d_j) / 2 over i <= j; for many rows without a table of them."""
    if len(apart) > FEW_ROWS:
        pairs, ordered = len(apart) * (len(apart) + 1) // 2, np.sort(apart)
        return (_pair_sum(ordered, (pairs + 1) // 2) + _pair_sum(ordered, pairs // 2 + 1)) / 4
    rows, columns = np.triu_indices(len(apart))
    return float(np.median((apart[rows] + apart[columns]) / 2))


def _pair_sum(ordered: Array, place: int) -> float:
    """The sum of two values, possibly of one with itself, that is at `place` (from 1) among all such sums.

    Halves a range of sums by how many pairs lie below its middle, and takes the pair nearest to where it ends.
    """
    low, high = 2 * float(ordered[0]), 2 * float(ordered[-1])
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        if _pairs_up_to(ordered, middle) >= place:
            high = middle
        else:
            low = middle
    return _nearest_pair_sum(ordered, high)


def _pairs_up_to(ordered: Array, limit: float) -> int:
    """How many pairs i <= j have a sum of at most `limit`."""
    both_orders = int(np.searchsorted(ordered, limit - ordered[::-1], side="right").sum())
    return (both_orders + int(np.searchsorted(ordered, limit / 2, side="right"))) // 2


def _nearest_pair_sum(ordered: Array, value: float) -> float:
    right = np.minimum(np.searchsorted(ordered, value - ordered), len(ordered) - 1)
    sums = np.concatenate([ordered + ordered[right], ordered + ordered[np.maximum(right - 1, 0)]])
    return float(sums[np.argmin(np.abs(sums - value))])


def _area_interval(one: Array, two: Array, area: float, confidence: float) -> Interval | None:
    """The interval of DeLong et al. (1988), from the variance of the share of pairs that each value wins.

    That variance is zero where all values win alike; the true one can be up to area (1 - area) / min(m, n) [Birnbaum
    and Klose, 1957], that of a share of min(m, n) trials, whose score interval has a width.
    """
    from scipy.special import ndtri

    if len(one) < 2 or len(two) < 2:
        return None
    both = np.concatenate([one, two])
    ranks = _ranks(both)
    wins = (ranks[: len(one)] - _ranks(one)) / len(two)
    losses = 1 - (ranks[len(one) :] - _ranks(two)) / len(one)
    error = np.sqrt(wins.var(ddof=1) / len(one) + losses.var(ddof=1) / len(two))
    if error == 0:
        trials = min(len(one), len(two))
        return wilson(area * trials, trials, confidence)
    reach = float(ndtri((1 + confidence) / 2) * error)
    return max(0.0, area - reach), min(1.0, area + reach)
