"""How far to go along a direction of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON

DOUBLINGS, HALVINGS = 12, 100
SLACK = 64 * EPSILON  # of the sizes that a slope adds up: a slope that small is none


def best_factor(loss: Any, y: Array, score: Array, direction: Array, weight: Array) -> float:
    """The factor of a direction that minimises the weighted sum of convex losses; zero if no step helps.

    The slope along the direction changes its sign there, which is found by halving; where it is zero for a while, as of
    absolute errors, at the first of these factors. If it never does, as where all margins grow, the largest factor
    looked at is given.

    >>> y, zero = np.array([1.0, 1.0, 1.0, -1.0]), np.zeros(4)
    >>> from learnable.parts.losses import Exponential
    >>> round(best_factor(Exponential(), y, zero, np.ones(4), np.ones(4)), 6), round(float(np.log(3)) / 2, 6)
    (0.549306, 0.549306)
    """
    if loss.quadratic:
        length = float(weight @ direction**2)
        return float(weight @ ((y - score) * direction)) / length if length > 0 else 0.0

    def falls(factor: float) -> bool:
        parts = weight * loss.gradient(y, score + factor * direction) * direction
        return float(parts.sum()) < -SLACK * float(np.abs(parts).sum())

    if not falls(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if not falls(high):
            break
        low, high = high, 2 * high
    else:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if falls(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2
