"""The modified Huber loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .margin_losses import demand_signs, sides
from .optimal_constants import balance, counted


@dataclass(frozen=True)
class ModifiedHuber:
    """Modified Huber loss: a squared hinge that is linear beyond a margin of -1.

    value = max(0, 1 - y z)^2 if y z >= -1 else -4 y z,  y in {-1, 1}

    The score estimates 2 p - 1, so `predict` gives the probability p = clip((z + 1) / 2, 0, 1) of the class 1.
    `curvature` is 2 everywhere: where the second derivative is zero, the flattest parabola above. [Zhang, 2004]

    >>> ModifiedHuber().value(np.array([1.0, 1.0]), np.array([0.5, -2.0])).tolist()
    [0.25, 8.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 2.0
    link: ClassVar[str] = "clipped"

    def value(self, y: Array, z: Array) -> Array:
        margin = y * z
        with np.errstate(over="ignore"):  # of squares that are not chosen
            return np.asarray(np.where(margin >= -1, np.square(np.maximum(1 - margin, 0)), -4 * margin))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(-2 * y * np.clip(1 - y * z, 0, 2))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.full_like(z, 2)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        up, down = sides(y, weight)
        return (up - down) / (up + down)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        sign, row_weight = counted(y, weight)
        score, _ = counted(z, weight)
        slack = 32 * EPSILON * float(row_weight @ (1 + np.abs(score)))
        knots = np.concatenate([sign - score, -sign - score])
        return balance(lambda c: float(row_weight @ self.gradient(sign, score + c)), knots, slack)

    def predict(self, z: Array) -> Array:
        return np.asarray(np.clip((z + 1) / 2, 0, 1))

    def check(self, y: Array) -> None:
        demand_signs(y, "modified Huber")
