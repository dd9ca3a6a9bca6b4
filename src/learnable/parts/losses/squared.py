"""Half the squared error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array


@dataclass(frozen=True)
class Squared:
    """Half the squared residual, minus the log-likelihood of Gaussian noise.

    value = (y - z)^2 / 2     best constant: the mean

    >>> loss = Squared()
    >>> loss.value(np.array([3.0]), np.array([1.0])).item(), loss.best_constant(np.array([1.0, 2.0, 6.0]))
    (2.0, 3.0)
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = True
    curvature_bound: ClassVar[float | None] = 1.0
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        residual = y - z
        return np.asarray(residual * residual / 2)

    def gradient(self, y: Array, z: Array) -> Array:
        return z - y

    def curvature(self, y: Array, z: Array) -> Array:
        return np.ones_like(z)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return float(np.average(y.astype(np.float64), weights=weight))

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return self.best_constant(y - z, weight)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
