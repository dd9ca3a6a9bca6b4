"""The squared hinge loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .margin_losses import demand_signs, sides
from .optimal_constants import balance, counted


@dataclass(frozen=True)
class SquaredHinge:
    """Squared hinge loss: the square of max(0, 1 - margin).

    value = max(0, 1 - y z)^2,  y in {-1, 1}

    `curvature` is 2 everywhere: the second derivative where the loss is not zero, and where it is, the
    flattest parabola above it.

    >>> SquaredHinge().value(np.array([1.0, -1.0]), np.array([0.5, 2.0])).tolist()
    [0.25, 9.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 2.0
    link: ClassVar[str] = "sign"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.square(np.maximum(1 - y * z, 0)))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(-2 * y * np.maximum(1 - y * z, 0))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.full_like(z, 2)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        up, down = sides(y, weight)
        return (up - down) / (up + down)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        sign, row_weight = counted(y, weight)
        score, _ = counted(z, weight)
        slack = 32 * EPSILON * float(row_weight @ (1 + np.abs(score)))
        return balance(lambda c: float(row_weight @ self.gradient(sign, score + c)), sign - score, slack)

    def predict(self, z: Array) -> Array:
        return np.asarray(np.where(z > 0, 1.0, -1.0))

    def check(self, y: Array) -> None:
        demand_signs(y, "squared hinge")
