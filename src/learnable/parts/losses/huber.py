"""Huber's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .optimal_constants import balance, counted, mean, quantile


@dataclass(frozen=True)
class Huber:
    """Huber loss: squared near zero, absolute far out; the gradient is the residual clipped at `delta`.

    value = r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2),  r = y - z

    Far out the second derivative is zero; `curvature` is min(1, delta / |r|), that of the parabola which touches
    the loss from above. The best constant is exact, found between the kinks of the summed gradient; in `two_steps`, as
    trees take it, it is the median and the mean of the rest, clipped at delta. [Huber, 1964; Friedman, 2001]

    >>> [Huber(delta).value(np.array([2.0]), np.array([0.0])).round(9).item() for delta in (0.1, 1.0, 3.0)]
    [0.195, 1.5, 2.0]
    """

    delta: float = 1.0
    two_steps: bool = False

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 1.0
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        size = np.abs(y - z)
        near = np.minimum(size, self.delta)
        return np.asarray(near * (size - near / 2))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(np.clip(z - y, -self.delta, self.delta))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.asarray(self.delta / np.maximum(np.abs(y - z), self.delta))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        y, row_weight = counted(y, weight)
        knots = np.concatenate([y - self.delta, y + self.delta])
        slack = 32 * EPSILON * self.delta * float(row_weight.sum())
        return balance(lambda c: float(row_weight @ self.gradient(y, np.asarray(c))), knots, slack)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        residual = y - z
        if not self.two_steps:
            return self.best_constant(residual, weight)
        middle = quantile(residual, weight, 0.5)
        return middle + mean(np.clip(residual - middle, -self.delta, self.delta), weight)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
