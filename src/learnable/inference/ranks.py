"""Tests that look at ranks alone: signed ranks of pairs, rank sums of two samples and their link to the AUC."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array
from ..parts.intervals import check_confidence, sample
from .finding import Alternative, Finding, check_alternative
from .t_tests import differences

Exactness = Literal["auto", "exact", "asymptotic"]


def wilcoxon(
    first: Any,
    second: Any,
    *,
    alternative: Alternative = "two-sided",
    method: Exactness = "auto",
    confidence: float = 0.95,
) -> Finding:
    """Whether paired values differ, by the signed ranks of their differences.

    W = sum of the ranks of |first - second| over the pairs where first is larger

    Pairs without a difference are left out; the estimate is the median of the averages of any two differences. It
    asks less of the data than a t test: no normal law, only symmetry. [Wilcoxon, 1945]

    >>> wilcoxon([1.2, 2.4, 3.1, 4.9, 5.5], [1.0, 2.0, 3.0, 4.0, 5.0]).p_value
    0.0625
    """
    from scipy.stats import wilcoxon as signed_ranks

    check_alternative(alternative, "wilcoxon")
    check_confidence(confidence, "wilcoxon")
    apart = differences(first, second, "wilcoxon")
    estimate = _median_of_averages(apart)
    if not apart.any():
        return Finding("Wilcoxon signed-rank test", "W", 0.0, 1.0, 0.0, confidence=confidence)
    found = signed_ranks(apart[apart != 0], alternative=alternative, method=_named(method, apart))
    ranks = _ranks(np.abs(apart[apart != 0]))
    statistic = float(ranks[apart[apart != 0] > 0].sum())
    return Finding("Wilcoxon signed-rank test", "W", statistic, float(found.pvalue), estimate, confidence=confidence)


def rank_sum(
    first: Any,
    second: Any,
    *,
    alternative: Alternative = "two-sided",
    method: Exactness = "auto",
    confidence: float = 0.95,
) -> Finding:
    """Whether values of one sample tend to be larger than those of another.

    U = sum over pairs of [first > second] + [first = second] / 2 = AUC m n

    The estimate is the share of pairs U / (m n): with the scores of positives and of negatives it is the area under the
    ROC curve, and its interval is that of DeLong; one half means no tendency. [Mann and Whitney, 1947]

    >>> found = rank_sum([0.9, 0.8, 0.4], [0.7, 0.3, 0.2])
    >>> found.statistic, round(found.estimate, 3), round(found.p_value, 3)
    (8.0, 0.889, 0.2)
    """
    from scipy.stats import mannwhitneyu

    check_alternative(alternative, "rank_sum")
    check_confidence(confidence, "rank_sum")
    one, two = sample(first, "rank_sum", 1, "first"), sample(second, "rank_sum", 1, "second")
    found = mannwhitneyu(one, two, alternative=alternative, method=method)
    estimate = float(found.statistic) / (len(one) * len(two))
    interval = _area_interval(one, two, estimate, confidence)
    p_value = float(found.pvalue)
    return Finding(
        "rank-sum test", "U", float(found.statistic), p_value, estimate, interval, None, confidence, "tendency"
    )


def _named(method: Exactness, apart: Array) -> Any:
    """SciPy's name; exact p values exist where ranks are not tied."""
    sizes = np.abs(apart[apart != 0])
    tied = len(np.unique(sizes)) < len(sizes)
    if method == "auto":
        return "exact" if len(sizes) <= 50 and not tied else "approx"
    return "approx" if method == "asymptotic" else "exact"


def _ranks(values: Array) -> Array:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values))


def _median_of_averages(apart: Array) -> float:
    rows, columns = np.triu_indices(len(apart))
    return float(np.median((apart[rows] + apart[columns]) / 2))


def _area_interval(one: Array, two: Array, area: float, confidence: float) -> tuple[float, float] | None:
    """The interval of DeLong et al. (1988), from the variance of the share of pairs that each value wins."""
    from scipy.special import ndtri

    if len(one) < 2 or len(two) < 2:
        return None
    both = np.concatenate([one, two])
    ranks = _ranks(both)
    wins = (ranks[: len(one)] - _ranks(one)) / len(two)
    losses = 1 - (ranks[len(one) :] - _ranks(two)) / len(one)
    error = np.sqrt(wins.var(ddof=1) / len(one) + losses.var(ddof=1) / len(two))
    reach = float(ndtri((1 + confidence) / 2) * error)
    return max(0.0, area - reach), min(1.0, area + reach)
