"""The zero-one loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .margin_losses import demand_signs, sides
from .optimal_constants import counted, quantile


@dataclass(frozen=True)
class ZeroOne:
    """Zero-one loss: one for a score on the wrong side of zero, or on it.

    value = 1 if y z <= 0 else 0,  y in {-1, 1}

    It has no useful gradient, so it serves to monitor a fit, not to minimise it: `gradient` and `curvature` are zero.

    >>> ZeroOne().value(np.array([1.0, 1.0, -1.0]), np.array([0.2, -3.0, -1.0])).tolist()
    [0.0, 1.0, 0.0]
    """

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = False
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 0.0
    link: ClassVar[str] = "sign"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.where(y * z > 0, 0.0, 1.0))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.zeros_like(z)

    def curvature(self, y: Array, z: Array) -> Array:
        return np.zeros_like(z)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        up, down = sides(y, weight)
        return 1.0 if up >= down else -1.0

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        """The threshold with the fewest errors, in the middle between two scores; the lowest such."""
        score, row_weight = counted(z, weight)
        sign = counted(y, weight)[0]
        order = np.argsort(-score, kind="stable")
        score, gain = score[order], (row_weight * sign)[order]
        last = np.append(score[1:] < score[:-1], True)  # only whole groups of equal scores can change side
        reached = np.append(0.0, np.cumsum(gain)[last])
        edges = np.concatenate([[score[0] + 1], score[last]])
        best = int(reached.argmax())
        below = edges[best + 1] if best + 1 < len(edges) else edges[best] - 2
        return quantile(np.array([-edges[best], -below]), None, 0.5)

    def predict(self, z: Array) -> Array:
        return np.asarray(np.where(z > 0, 1.0, -1.0))

    def check(self, y: Array) -> None:
        demand_signs(y, "zero-one")
