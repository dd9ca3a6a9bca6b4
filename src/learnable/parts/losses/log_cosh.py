"""The logarithm of the hyperbolic cosine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .optimal_constants import counted, crossing


@dataclass(frozen=True)
class LogCosh:
    """Log-cosh loss, a smooth variant of Huber's: about r^2 / 2 near zero and |r| - log 2 far out.

    value = log cosh r = log(1 + 2 sinh(r/2)^2) = |r| + log(1 + exp(-2 |r|)) - log 2,  r = y - z

    The first form is exact near zero, the second cannot overflow; each is used where it is good. `curvature` is
    the second derivative 1 / cosh(r)^2, which rounds to zero beyond |r| = 373. The best constant is found by
    Newton's method inside a bracket.

    >>> LogCosh().value(np.array([1e-150, 1e300]), np.array([0.0, 0.0])).tolist()
    [5e-301, 1e+300]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 1.0
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        size = np.abs(y - z)
        near = np.log1p(2 * np.sinh(np.minimum(size, 1) / 2) ** 2)
        far = size + (np.log1p(np.exp(-2 * size)) - float(np.log(2)))
        return np.asarray(np.where(size < 1, near, far))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(np.tanh(z - y))

    def curvature(self, y: Array, z: Array) -> Array:
        decay = np.exp(-2 * np.abs(y - z))
        return np.asarray(4 * decay / (1 + decay) ** 2)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        y, row_weight = counted(y, weight)

        def total_gradient(c: float) -> tuple[float, float]:
            z = np.asarray(c)
            return float(row_weight @ self.gradient(y, z)), float(row_weight @ self.curvature(y, z))

        return crossing(total_gradient, float(y.min()), float(y.max()), 8 * EPSILON * float(row_weight.sum()))

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return self.best_constant(y - z, weight)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
