"""Optimal constants of weighted samples: means, quantiles, and roots of increasing functions.

A weight w counts as w copies. Where a whole interval is optimal, its middle is returned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON


def counted(y: Array, weight: Array | None) -> tuple[Array, Array]:
    """The rows with positive weight and their weights, in double precision; one by default.

    >>> [part.tolist() for part in counted(np.array([7.0, 8.0]), np.array([0.0, 2.0]))]
    [[8.0], [2.0]]
    """
    y = y.astype(np.float64)
    if weight is None:
        return y, np.ones(len(y))
    return y[weight > 0], weight[weight > 0].astype(np.float64)


def mean(y: Array, weight: Array | None) -> float:
    """Weighted mean, summed in double precision.

    >>> mean(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    return float(np.average(y.astype(np.float64), weights=weight))


def quantile(y: Array, weight: Array | None, level: float) -> float:
    """Middle of all points with at most `level` of the weight below and at most `1 - level` above.

    >>> quantile(np.array([5.0, 1.0, 2.0, 4.0]), None, 0.5)
    3.0
    >>> quantile(np.array([1.0, 2.0]), np.array([3.0, 1.0]), 0.5)
    1.0
    """
    y, row_weight = counted(y, weight)
    order = np.argsort(y)
    reached = np.cumsum(row_weight[order])
    slack = 8 * EPSILON * np.sqrt(len(y)) * reached[-1]
    last = len(y) - 1
    first = np.searchsorted(reached, level * reached[-1] - slack, side="left")
    final = np.searchsorted(reached, level * reached[-1] + slack, side="right")
    return middle(float(y[order[min(first, last)]]), float(y[order[min(final, last)]]))


def middle(low: float, high: float) -> float:
    """Half way, without overflow."""
    return low / 2 + high / 2 if low < high else low


def balance(function: Callable[[float], float], knots: Array, slack: float) -> float:
    """Middle of the roots of an increasing, piecewise linear function.

    It is not positive at the first knot and not negative at the last; values within `slack` of zero count as zero.

    >>> balance(lambda c: abs(c + 1) + c - 1, np.array([-1.0, 3.0]), 1e-15)
    0.0
    """
    knots = np.unique(knots).astype(np.float64)
    first = bisect_left(knots, -slack, key=function)
    if function(knots[first]) <= slack:
        beyond = bisect_right(knots, slack, lo=first, key=function)
        return middle(float(knots[first]), float(knots[beyond - 1]))
    left, right = float(knots[first - 1]), float(knots[first])
    derivative = (function(right) - function(left)) / (right - left)
    near = left - function(left) / derivative
    return near - function(near) / derivative  # again, to regain the digits lost on a long piece


def crossing(function: Callable[[float], tuple[float, float]], low: float, high: float, slack: float) -> float:
    """Zero of an increasing function between `low` and `high`; `function` returns its value and derivative.

    Newton's step where it stays inside the bracket and the value at least halves, the middle otherwise;
    ends where the value is within `slack` of zero or the bracket cannot shrink.

    >>> round(crossing(lambda c: (c**3 - 2, 3 * c**2), 0.0, 2.0, 1e-15), 12)
    1.259921049895
    """
    point, before = middle(low, high), np.inf
    while low < point < high:
        value, derivative = function(point)
        low, high = (low, point) if value > 0 else (point, high)
        newton = point - value / derivative if derivative > abs(value) * EPSILON else np.inf
        if abs(value) <= slack or newton == point:
            return newton if low <= newton <= high else point
        trusted = low < newton < high and abs(value) <= before / 2
        point, before = (newton if trusted else middle(low, high)), abs(value)
    return point
