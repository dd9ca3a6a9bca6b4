"""The pinball loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .optimal_constants import quantile


@dataclass(frozen=True)
class Quantile:
    """Pinball loss: a residual above zero costs `level`, one below costs `1 - level` per unit.

    value = max(level r, (level - 1) r) = |r| / 2 + (level - 1/2) r,  r = y - z

    The best constant is the weighted quantile, the middle of its interval where it is not unique. `curvature` is
    that of the parabola above |r| / 2, which is 1 / (2 max(|r|, floor)). [Koenker and Bassett, 1978]

    >>> loss = Quantile(0.9)
    >>> loss.value(np.array([3.0, 0.0]), np.array([1.0, 2.0])).round(9).tolist()
    [1.8, 0.2]
    """

    level: float = 0.5
    floor: float = 1e-10

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        residual = y - z
        return np.maximum(self.level * residual, (self.level - 1) * residual)

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(np.sign(z - y) / 2 + (0.5 - self.level))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.asarray(0.5 / np.maximum(np.abs(y - z), self.floor))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return quantile(y, weight, self.level)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return quantile(y - z, weight, self.level)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
