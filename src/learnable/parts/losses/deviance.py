"""Half deviances of the Tweedie family as integrals of their gradient, and the shift that fits them best.

With the log link, the gradient at score s is exp((2 - power) s) - y exp((1 - power) s).
"""

from __future__ import annotations

import math

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from ..log_link import exponential, largest_exponent, logarithm
from .optimal_constants import counted


def half_deviance(y: Array, log_mean: Array, power: float) -> Array:
    """Integral of (u - y) / u^power for u from y to the mean.

    With power 1 or more it is measured in units of y, or of the mean where that is larger and y may be 0, so that no
    power leaves the range of numbers before the value does; a value that would is held, see links.exponential.

    >>> half_deviance(np.array([2.0, 2e-160]), np.log([1.0, 1e-160]), 3.0) / [1, 1e160]
    array([0.25, 0.25])
    """
    limit, low, high = largest_exponent(log_mean), logarithm(y), log_mean
    if power < 1:  # where y may be negative, and only positive powers occur
        return np.asarray(area(low, high, 2 - power) - y * area(low, high, 1 - power))
    if power > 1:
        high = np.maximum(high, low - limit / (power - 1))
    unit = low if power >= 2 else np.maximum(low, high)
    start, end = low - unit, high - unit
    value = area(start, end, 2 - power) - np.exp(start) * area(start, end, 1 - power)
    return np.asarray(np.minimum(exponential((2 - power) * unit) * value, math.exp(limit)))


def area(low: Array, high: Array, rate: float) -> Array:
    """Integral of exp(rate s) for s from low to high, without cancellation or overflow.

    >>> area(np.array([0.0]), np.array([1.0]), 2.0).round(6).tolist()
    [3.194528]
    """
    gap = high - low
    if rate == 0:
        return gap
    top = exponential(np.maximum(rate * low, rate * high))
    shape: Array = np.copysign(-np.expm1(-np.abs(rate * gap)), gap)
    return top * shape / abs(rate)


def log_leaf(y: Array, z: Array, weight: Array | None, power: float) -> float:
    """The shift of z at which the gradients sum to zero: log(sum w y exp((1 - p) z) / sum w exp((2 - p) z)).

    If no target is positive that is minus infinity, and log(EPSILON) is returned.

    >>> np.exp(log_leaf(np.array([1.0, 5.0]), np.zeros(2), None, 1.0)).round(12).item()
    3.0
    """
    rows, row_weight = counted(np.stack([y, z], axis=1), weight)
    y, z = rows[:, 0], rows[:, 1]
    shift = _log_sum((1 - power) * z, row_weight * y) - _log_sum((2 - power) * z, row_weight)
    return shift if np.isfinite(shift) else float(np.log(EPSILON))


def _log_sum(scores: Array, row_weight: Array) -> float:
    """log of the sum of share * exp(scores), minus infinity if that is not positive."""
    if not np.any(row_weight):
        return -np.inf
    top = float(scores[row_weight != 0].max())
    total = float(row_weight @ np.exp(np.minimum(scores - top, 0)))
    return top + float(np.log(total)) if total > 0 else -np.inf
