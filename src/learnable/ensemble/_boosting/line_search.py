"""Exact line search along a direction of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON

DOUBLINGS, HALVINGS = 12, 100
SLACK = 64 * EPSILON  # relative rounding error of a directional derivative


def best_step(loss: Any, y: Array, score: Array, direction: Array, weight: Array) -> float:
    """The step along a direction that minimises the weighted sum of convex losses; zero if no step lowers it.

    The directional derivative changes its sign there, which is found by bisection; if it vanishes on an interval, as
    for absolute errors, at the start of the interval. If it never does, as for separable data, the largest step tried
    is returned.

    >>> y, zero = np.array([1.0, 1.0, 1.0, -1.0]), np.zeros(4)
    >>> from learnable.parts.losses import Exponential
    >>> round(best_step(Exponential(), y, zero, np.ones(4), np.ones(4)), 6), round(float(np.log(3)) / 2, 6)
    (0.549306, 0.549306)
    """
    if loss.quadratic:
        length = float(weight @ direction**2)
        return float(weight @ ((y - score) * direction)) / length if length > 0 else 0.0

    def decreases(step: float) -> bool:
        terms = weight * loss.gradient(y, score + step * direction) * direction
        return float(terms.sum()) < -SLACK * float(np.abs(terms).sum())

    if not decreases(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if not decreases(high):
            break
        low, high = high, 2 * high
    else:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if decreases(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2
