"""Tests of means by Student's t: pairs, folds that share rows, two samples."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked
from ..parts.confidence_intervals import Interval, around, corrected_error, deviation, sample
from .finding import SHARE, Alternative, Finding, level_of_both, one_sided


@checked(confidence=SHARE)
def paired_t_test(
    first: Rows, second: Rows, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> Finding:
    """Paired t-test: whether paired values, such as scores on the same test rows, differ in mean.

    t = mean(d) / (sd(d) / sqrt(k)) with k - 1 degrees of freedom for the differences d = first - second.

    The differences must be independent. Scores over the folds of one cross-validation are not, since their training
    rows overlap: use `corrected_resampled_t_test` for them, or this test rejects too often. [Student, 1908]

    >>> print(paired_t_test([0.90, 0.85, 0.88, 0.91], [0.80, 0.79, 0.82, 0.80]))
    difference observed: 0.0825 (95 % interval 0.04065 to 0.1243), p = 0.0082
    (paired t test, t = 6.274, 3 degrees of freedom)
    """
    apart = differences(first, second, "paired_t_test")
    error = deviation(apart) / math.sqrt(len(apart))
    return _finding("paired t test", float(apart.mean()), error, len(apart) - 1, alternative, confidence)


@checked(confidence=SHARE)
def corrected_resampled_t_test(
    first: Rows,
    second: Rows,
    test_share: float,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> Finding:
    """Corrected resampled t-test: whether two models differ, from scores on the same splits of one data set.

    t = mean(d) / (sd(d) sqrt(1 / k + test_share / (1 - test_share))) with k - 1 degrees of freedom

    for k splits whose test sets hold a share `test_share` of the rows: 0.2 for five folds, repeated or not. The second
    term stands for the overlap of training sets. [Nadeau and Bengio, 2003]

    >>> print(corrected_resampled_t_test([0.90, 0.85, 0.88, 0.91], [0.80, 0.79, 0.82, 0.80], 0.25))
    difference observed: 0.0825 (95 % interval 0.01858 to 0.1464), p = 0.026
    (corrected resampled t test, t = 4.107, 3 degrees of freedom)
    """
    apart = differences(first, second, "corrected_resampled_t_test")
    error = corrected_error(apart, test_share, "corrected_resampled_t_test")
    name = "corrected resampled t test"
    return _finding(name, float(apart.mean()), error, len(apart) - 1, alternative, confidence)


@checked(confidence=SHARE)
def two_sample_t_test(
    first: Rows,
    second: Rows,
    *,
    variances: Literal["welch", "pooled"] = "welch",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> Finding:
    """Two-sample t-test: whether two independent samples differ in mean.

    t = (mean(first) - mean(second)) / sqrt(v1 / n1 + v2 / n2)

    "welch" estimates both variances and adjusts the degrees of freedom; "pooled" assumes one variance for both, with
    n1 + n2 - 2 degrees of freedom. [Welch, 1947]

    >>> print(two_sample_t_test([5.1, 4.9, 5.6, 5.2], [4.8, 5.0, 4.7], variances="pooled"))
    no difference observed: 0.3667 (95 % interval -0.1196 to 0.8529), p = 0.11
    (pooled t test, t = 1.938, 5 degrees of freedom); this does not prove that there is none
    """
    owner = "two_sample_t_test"
    one, two = sample(first, owner, name="first"), sample(second, owner, name="second")
    sizes = np.array([len(one), len(two)])
    deviations = np.array([deviation(one), deviation(two)])
    unit = float(deviations.max()) or 1.0  # in which no square is too large for a number
    spread = (deviations / unit) ** 2
    freedom = float(sizes.sum() - 2)
    if variances == "pooled":
        spread[:] = ((sizes - 1) @ spread) / freedom
    parts = spread / sizes
    if variances == "welch" and parts.any():
        freedom = float(parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum())
    estimate, error = float(one.mean() - two.mean()), unit * float(np.sqrt(parts.sum()))
    name = "pooled t test" if variances == "pooled" else "Welch's t test"
    return _finding(name, estimate, error, freedom, alternative, confidence)


def differences(first: Any, second: Any, owner: str) -> Array:
    """first - second, pair by pair."""
    one, two = sample(first, owner, name="first"), sample(second, owner, name="second")
    if len(one) != len(two):
        raise DataError(f"{owner}: first and second must be pairs; got {len(one)} and {len(two)} values")
    return one - two


def student_p(statistic: float, freedom: float, alternative: str) -> float:
    """The tail of Student's distribution that belongs to the alternative."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(2 * stdtr(freedom, -abs(statistic)))
    return float(stdtr(freedom, -statistic if alternative == "greater" else statistic))


def student_interval(centre: float, error: float, freedom: float, alternative: str, confidence: float) -> Interval:
    """The values that the test would not reject: both ends, or one where the alternative has a side."""
    both = around(centre, error, freedom, level_of_both(alternative, confidence))
    return one_sided(both, alternative, (-math.inf, math.inf))


def _finding(name: str, estimate: float, error: float, freedom: float, alternative: str, confidence: float) -> Finding:
    statistic = estimate / error if error > 0 else (math.copysign(math.inf, estimate) if estimate else 0.0)
    p_value = student_p(statistic, freedom, alternative)
    interval = student_interval(estimate, error, freedom, alternative, confidence)
    return Finding(name, "t", statistic, p_value, estimate, interval, freedom, confidence)
