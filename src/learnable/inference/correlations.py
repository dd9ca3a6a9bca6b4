"""Pearson's correlation of two columns, with a test, and of all columns of a table."""

from __future__ import annotations

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked
from ..core.validate.features import FeatureValidator
from ..parts.confidence_intervals import Interval, sample
from .finding import SHARE, Alternative, Finding, level_of_both, one_sided
from .t_tests import student_p


@checked(confidence=SHARE)
def pearson_correlation(
    x: Rows, y: Rows, *, alternative: Alternative = "two-sided", confidence: float = 0.95
) -> Finding:
    """Pearson's correlation coefficient of two columns.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2)

    Three pairs are needed, since two always lie on a line. The test is t = r sqrt((n - 2) / (1 - r^2)) with n - 2
    degrees of freedom, the interval Fisher's, on the scale of artanh r. Both assume a normal law.
    [Pearson, 1895; Fisher, 1921]

    >>> print(pearson_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 6]))
    no correlation observed: 0.822 (95 % interval -0.2193 to 0.9879), p = 0.088
    (Pearson's correlation, t = 2.5, 3 degrees of freedom); this does not prove that there is none
    """
    owner = "pearson_correlation"
    one, two = sample(x, owner, 3, "x"), sample(y, owner, 3, "y")
    if len(one) != len(two):
        raise DataError(f"{owner}: x and y must have one length; got {len(one)} and {len(two)}")
    if np.ptp(one) == 0 or np.ptp(two) == 0:
        raise DataError(f"{owner}: {'x' if np.ptp(one) == 0 else 'y'} does not vary, so it has no correlation")
    r = float(np.clip(correlation_matrix(np.column_stack([one, two]))[0, 1], -1, 1))
    freedom = len(one) - 2
    with np.errstate(divide="ignore"):
        statistic = float(r * np.sqrt(freedom / np.float64(1 - r * r)))
    p_value = student_p(statistic, freedom, alternative)
    interval = _fisher_interval(r, len(one), alternative, confidence)
    return Finding("Pearson's correlation", "t", statistic, p_value, r, interval, freedom, confidence, "correlation")


@checked()
def correlation_matrix(X: Rows) -> Array:
    """Correlation matrix (Pearson) of the columns; NaN for constant columns.

    >>> correlation_matrix([[1.0, 2.0, 5.0], [2.0, 4.0, 5.0], [3.0, 6.0, 5.0]]).round(2).tolist()
    [[1.0, 1.0, nan], [1.0, 1.0, nan], [nan, nan, nan]]
    """
    matrix, _ = FeatureValidator("correlation_matrix").matrix(X)
    matrix = matrix.astype(np.float64)
    largest = np.abs(matrix).max(axis=0)
    scaled = matrix / np.where(largest > 0, largest, 1.0)
    centred = scaled - scaled.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where((matrix == matrix[0]).all(axis=0), np.nan, size)
    return np.asarray(unit.T @ unit)


def _fisher_interval(r: float, n: int, alternative: str, confidence: float) -> Interval | None:
    from scipy.special import ndtri

    if n <= 3:
        return None
    if abs(r) == 1:
        return one_sided((r, r), alternative, (-1.0, 1.0))
    reach = float(ndtri((1 + level_of_both(alternative, confidence)) / 2)) / np.sqrt(n - 3)
    both = float(np.tanh(np.arctanh(r) - reach)), float(np.tanh(np.arctanh(r) + reach))
    return one_sided(both, alternative, (-1.0, 1.0))
