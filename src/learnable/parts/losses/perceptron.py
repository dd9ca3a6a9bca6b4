"""The perceptron loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .margin_losses import demand_signs, sides
from .optimal_constants import counted, quantile


@dataclass(frozen=True)
class PerceptronLoss:
    """Perceptron loss: the distance of a score on the wrong side of zero, zero on the right side.

    value = max(0, -y z),  y in {-1, 1}

    Its gradient step is the perceptron's rule: w += rate y x for a row on the wrong side. `curvature` is that of a
    parabola above the loss, 1 / (2 max(|y z|, floor)). [Rosenblatt, 1958]

    >>> PerceptronLoss().value(np.array([1.0, -1.0]), np.array([0.5, 2.0])).tolist()
    [0.0, 2.0]
    """

    floor: float = 1e-10

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "sign"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.maximum(-y * z, 0))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(np.where(y * z <= 0, -y, 0.0))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.asarray(0.5 / np.maximum(np.abs(z), self.floor))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        """Zero: no constant does better than to lie on the boundary."""
        return 0.0

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        up, down = sides(y, weight)
        z, row_weight = counted(z, weight)
        return quantile(-z, row_weight, up / (up + down))

    def predict(self, z: Array) -> Array:
        return np.asarray(np.where(z > 0, 1.0, -1.0))

    def check(self, y: Array) -> None:
        demand_signs(y, "perceptron")
