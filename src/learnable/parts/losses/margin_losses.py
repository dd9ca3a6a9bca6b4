"""Helpers of losses of the margin y z: targets of -1 and 1, and the total weight of either."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .optimal_constants import counted
from .target_range import demand


def demand_signs(y: Array, loss: str) -> None:
    """Raise DataError if a target is neither -1 nor 1."""
    demand(np.abs(y) == 1, y, loss, "targets of -1 and 1")


def sides(y: Array, weight: Array | None) -> tuple[float, float]:
    """The weight of the targets 1 and that of the targets -1.

    >>> sides(np.array([1.0, -1.0, 1.0]), None)
    (2.0, 1.0)
    """
    y, row_weight = counted(y, weight)
    return float(row_weight[y > 0].sum()), float(row_weight[y < 0].sum())


def half_log_odds(up: float, down: float) -> float:
    """log(up / down) / 2, finite where one side is empty: then as if it had a rounding error of the other.

    >>> half_log_odds(1.0, 1.0)
    0.0
    """
    least = EPSILON * (up + down)
    return float(np.log(max(up, least) / max(down, least)) / 2)
