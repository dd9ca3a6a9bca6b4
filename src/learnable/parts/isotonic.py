"""Isotonic regression: the nearest curve that never falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.declare import registry
from ..core.runtime.native import kernels


@registry.value
@dataclass(frozen=True)
class RisingMap:
    """Straight lines between knots, level outside.

    >>> RisingMap(np.array([0.0, 2.0]), np.array([1.0, 3.0]))(np.array([-1.0, 1.0])).tolist()
    [1.0, 2.0]
    """

    x: Array
    y: Array

    def __call__(self, scores: Array) -> Array:
        return np.interp(scores, self.x, self.y)

    predict = __call__


def fit_isotonic(x: Array, y: Array, weight: Array | None = None, rising: bool = True) -> RisingMap:
    """The rising (or falling) curve through the x that is nearest to y.

    minimise over rising f    sum weight (y - f(x))^2

    Pool adjacent violators, O(n) after sorting. Rows of equal x share one value, rows of weight zero have none; only
    the knots that matter are kept. [Barlow et al., 1972]

    >>> fit_isotonic(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).y.tolist()
    [1.0, 2.5, 2.5]
    """
    w = np.ones(len(x)) if weight is None else np.asarray(weight, dtype=np.float64)
    there = w > 0
    x, y, w = np.asarray(x)[there], np.asarray(y, dtype=np.float64)[there], w[there]
    knots, means, weights = _distinct(x, y, w)
    fitted = rising_sequence(means if rising else -means, weights)
    return trimmed(knots, fitted if rising else -fitted)


def rising_sequence(y: Array, weight: Array) -> Array:
    """The sequence that never falls and is nearest to y in weighted squares; weights are above zero."""
    fitted = np.empty(len(y))
    kernels.pool_adjacent_violators(
        np.ascontiguousarray(y, dtype=np.float64), np.ascontiguousarray(weight, dtype=np.float64), fitted
    )
    return fitted


def trimmed(x: Array, y: Array) -> RisingMap:
    """A curve through all points, without those in the middle of a level stretch."""
    needed = np.ones(len(y), dtype=bool)
    needed[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return RisingMap(x[needed], y[needed])


def _distinct(x: Array, y: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Distinct sorted x with the weighted mean of y and the total weight; x equal up to rounding are merged."""
    order = np.lexsort((y, x))
    x, y, weight = x[order], y[order], weight[order]
    resolution = np.finfo(x.dtype).resolution if x.dtype.kind == "f" else 0
    if len(x) and resolution and np.diff(x).min(initial=np.inf) < resolution:
        new = _first_of_each(x, resolution)
    else:
        new = np.concatenate([[True], x[1:] != x[:-1]]) if len(x) else np.zeros(0, dtype=bool)
    starts = np.flatnonzero(new)
    total = np.add.reduceat(weight, starts)
    shift = y[starts]  # means about the first of equals: equal y stay what they are
    group = np.cumsum(new) - 1
    return x[starts], shift + np.add.reduceat(weight * (y - shift[group]), starts) / total, total


def _first_of_each(x: Array, resolution: float) -> Array:
    """Where a number is at least `resolution` above the first of the group before it."""
    new = np.empty(len(x), dtype=bool)
    first = -np.inf
    for i, value in enumerate(x.tolist()):
        new[i] = value - first >= resolution
        if new[i]:
            first = value
    return new
