"""Confidence intervals: of a proportion, of a mean, of cross-validation scores, and by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ..core.errors import DataError, ParameterError
from ..core.runtime.random import RandomState, generator, seed_of
from ..core.scaling import power_of_two
from ..core.validate.features import Array

Interval = tuple[float, float]
Statistic = Callable[..., Any]


def check_confidence(confidence: float, owner: str) -> float:
    """A confidence level strictly between 0 and 1, such as 0.95."""
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ParameterError(f"{owner}: confidence must be between 0 and 1, such as 0.95; got {confidence!r}")
    return float(confidence)


def sample(values: Any, owner: str, least: int = 2, name: str = "values") -> Array:
    """At least `least` finite numbers as one row in double precision."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: {name} must be numbers") from None
    if numbers.ndim != 1:
        raise DataError(f"{owner}: {name} must be one row of numbers; got shape {numbers.shape}")
    if len(numbers) < least:
        raise DataError(f"{owner}: {name} must hold at least {least} numbers; got {len(numbers)}")
    if not np.isfinite(numbers).all():
        index = int(np.argmin(np.isfinite(numbers)))
        raise DataError(f"{owner}: {name} holds {numbers[index]} at index {index}; every number must be finite")
    return numbers


def wald(error: float, n: float, confidence: float = 0.95) -> Interval:
    """The Wald (normal) interval of a proportion, e +- z sqrt(e (1 - e) / n), clipped to [0, 1].

    Accurate for large n (1 - e) e; it is empty for proportions of 0 and 1, where `wilson` is not.

    >>> [round(end, 4) for end in wald(0.22, 50)]
    [0.1052, 0.3348]
    """
    _check_proportion(error, n, "wald")
    half_width = normal_quantile(check_confidence(confidence, "wald")) * float(np.sqrt(error * (1 - error) / n))
    return max(0.0, error - half_width), min(1.0, error + half_width)


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a proportion e, given the successes in n trials.

    |successes / n - e| <= z sqrt(e (1 - e) / n), a quadratic inequality in e. Good for every n. [Wilson, 1927]

    >>> [round(end, 4) for end in wilson(0, 10)]
    [0.0, 0.2775]
    """
    _check_proportion(successes / n if n > 0 else np.nan, n, "wilson")
    z = normal_quantile(check_confidence(confidence, "wilson"))
    proportion, extra = successes / n, z * z / n
    centre = (proportion + extra / 2) / (1 + extra)
    half_width = z * float(np.sqrt(proportion * (1 - proportion) / n + extra / (4 * n))) / (1 + extra)
    low = 0.0 if successes == 0 else max(0.0, centre - half_width)
    return low, 1.0 if successes == n else min(1.0, centre + half_width)


def student(values: Any, confidence: float = 0.95) -> Interval:
    """Student's t interval of the mean of independent values, mean +- t sd / sqrt(n) with n - 1 degrees of freedom.

    >>> [round(end, 3) for end in student([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    numbers = sample(values, "student")
    return around(numbers.mean(), deviation(numbers) / np.sqrt(len(numbers)), len(numbers) - 1, confidence)


def corrected_resampled(scores: Any, test_share: float, confidence: float = 0.95) -> Interval:
    """The corrected resampled t interval of a mean score over splits whose training rows overlap.

    mean +- t sd sqrt(1 / k + test_share / (1 - test_share)) with k - 1 degrees of freedom, for k scores on test sets
    that hold a fraction `test_share` of the rows. [Nadeau and Bengio, 2003]

    >>> [round(end, 3) for end in corrected_resampled([0.8, 0.9, 0.7, 0.8], 0.25)]
    [0.602, 0.998]
    """
    numbers = sample(scores, "corrected_resampled", name="scores")
    error = corrected_error(numbers, test_share, "corrected_resampled")
    return around(numbers.mean(), error, len(numbers) - 1, confidence)


def corrected_error(scores: Array, test_share: float, owner: str) -> float:
    """The standard error of a mean over splits: the variance of a score times 1 / k + test_share / (1 - test_share)."""
    if not 0 < test_share < 1:
        raise ParameterError(
            f"{owner}: test_share must be the fraction of the rows in a test set, between 0 and 1; got {test_share!r}"
        )
    return deviation(scores) * float(np.sqrt(1 / len(scores) + test_share / (1 - test_share)))


def deviation(values: Array) -> float:
    """The standard deviation of a sample, without overflow of the squares.

    >>> deviation(np.array([1e200, 3e200])) / 1e200
    1.4142135623730951
    """
    unit = power_of_two(np.abs(values).max())
    return float((values * unit).std(ddof=1) / unit)


def around(centre: float, error: float, freedom: float, confidence: float) -> Interval:
    """Student's interval for an estimate with a standard error."""
    half_width = student_quantile(freedom, check_confidence(confidence, "an interval")) * float(error)
    return float(centre) - half_width, float(centre) + half_width


def bootstrap(
    values: Any,
    statistic: Statistic = np.mean,
    confidence: float = 0.95,
    random_state: RandomState = None,
    *,
    draws: int = 2000,
    method: str = "bca",
) -> Interval:
    """The bootstrap interval of a statistic: bias-corrected and accelerated (BCa), or "percentile".

    `values` are n numbers or n rows, `statistic` maps such rows to a number. The percentile interval holds the middle
    of the statistic over the draws; "bca" shifts its ends for bias and skew. [Efron, 1987]

    >>> [round(end, 1) for end in bootstrap(np.arange(50.0), random_state=0)]
    [20.6, 28.4]
    """
    check_confidence(confidence, "bootstrap")
    rows = np.asarray(values)
    if rows.ndim == 0 or len(rows) < 2:
        raise DataError(f"bootstrap: values must hold at least 2 rows; got shape {rows.shape}")
    if method not in ("bca", "percentile"):
        raise ParameterError(f'bootstrap: method must be "bca" or "percentile"; got {method!r}')
    n, rng = len(rows), generator(seed_of(random_state))
    drawn = np.array([float(statistic(rows[rng.integers(0, n, n)])) for _ in range(draws)])
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "bca":
        tails = _bca_quantiles(tails, rows, statistic, drawn)
    low, high = np.quantile(drawn, tails)
    return float(low), float(high)


def _bca_quantiles(tails: Array, rows: Array, statistic: Statistic, drawn: Array) -> Array:
    """The quantiles to read instead of `tails`: z0 + (z0 + z) / (1 - a (z0 + z)) with bias z0 and acceleration a."""
    from scipy.special import ndtr, ndtri

    whole = float(statistic(rows))
    below = np.mean(drawn < whole) + np.mean(drawn == whole) / 2
    if not 0 < below < 1 or np.ptp(drawn) == 0:
        return tails
    left_out = np.array([float(statistic(np.delete(rows, i, axis=0))) for i in range(len(rows))])
    apart = left_out.mean() - left_out
    spread = float((apart**2).sum())
    skew = float((apart**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    bias = float(ndtri(below))
    half_width = bias + ndtri(tails)
    return np.asarray(ndtr(bias + half_width / (1 - skew * half_width)))


def mean_intervals(values: Array, confidence: float) -> tuple[Array, Array]:
    """Confidence intervals of the means of columns, by Student's t; a single row gives no bounds.

    >>> low, high = mean_intervals(np.array([[1.0], [2.0], [3.0]]), 0.95)
    >>> low.round(3), high.round(3)
    (array([-0.484]), array([4.484]))
    """
    n, mean = len(values), values.mean(axis=0)
    if n < 2:  # which says nothing of other rows
        return np.full_like(mean, -np.inf), np.full_like(mean, np.inf)
    half = student_quantile(n - 1, confidence) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return mean - half, mean + half


def student_quantile(freedom: float, confidence: float) -> float:
    """The half-width of an interval in standard errors, for Student's t with these degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def normal_quantile(confidence: float) -> float:
    """The half-width of an interval in standard errors, for the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _check_proportion(proportion: float, n: float, owner: str) -> None:
    if not n > 0:
        raise ParameterError(f"{owner}: n must be above 0; got {n!r}")
    if not 0 <= proportion <= 1:
        raise ParameterError(f"{owner}: the proportion must be between 0 and 1; got {proportion!r}")
