"""How far to go along a direction of scores."""

from __future__ import annotations

from typing import Any

from ..core import Array
from ..parts.losses import Squared

DOUBLINGS, HALVINGS = 12, 100


def best_factor(loss: Any, y: Array, score: Array, direction: Array, weight: Array) -> float:
    """The factor of a direction that minimises the weighted sum of convex losses; zero if no step helps.

    The slope along the direction changes its sign there, which is found by halving. If it never does, as where all
    margins grow, the largest factor looked at is given.

    >>> import numpy as np
    >>> y, zero = np.array([1.0, 1.0, 1.0, -1.0]), np.zeros(4)
    >>> from learnable.parts.losses import Exponential
    >>> round(best_factor(Exponential(), y, zero, np.ones(4), np.ones(4)), 6), round(float(np.log(3)) / 2, 6)
    (0.549306, 0.549306)
    """
    if isinstance(loss, Squared):
        length = float(weight @ direction**2)
        return float(weight @ ((y - score) * direction)) / length if length > 0 else 0.0

    def slope(factor: float) -> float:
        return float(weight @ (loss.gradient(y, score + factor * direction) * direction))

    if not slope(0.0) < 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if slope(high) >= 0:
            break
        low, high = high, 2 * high
    else:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if slope(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
