"""The hinge loss of the support vector machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .margin_losses import demand_signs, sides
from .optimal_constants import counted, quantile


@dataclass(frozen=True)
class Hinge:
    """Hinge loss: max(0, 1 - margin).

    value = max(0, 1 - y z),  y in {-1, 1}

    `curvature` is that of a parabola above the loss, 1 / (2 max(|1 - y z|, floor)). [Cortes and Vapnik, 1995]

    >>> Hinge().value(np.array([1.0, -1.0]), np.array([0.5, 2.0])).tolist()
    [0.5, 3.0]
    """

    floor: float = 1e-10

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "sign"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.maximum(1 - y * z, 0))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(np.where(y * z <= 1, -y, 0.0))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.asarray(0.5 / np.maximum(np.abs(1 - y * z), self.floor))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        up, down = sides(y, weight)
        return float(np.sign(up - down))

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        up, down = sides(y, weight)
        short, row_weight = counted(y - z, weight)
        return quantile(short, row_weight, up / (up + down))

    def predict(self, z: Array) -> Array:
        return np.asarray(np.where(z > 0, 1.0, -1.0))

    def check(self, y: Array) -> None:
        demand_signs(y, "hinge")
