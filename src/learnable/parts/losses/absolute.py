"""The absolute error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .optimal_constants import quantile


@dataclass(frozen=True)
class Absolute:
    """Absolute error, minus the log-likelihood of Laplace noise; outliers have the same gradient as other rows.

    value = |r|,  r = y - z     best constant: the weighted median

    The median is the middle of its interval where it is not unique. The second derivative is zero, so `curvature` is
    that of the parabola r^2 / (2 |r0|) + |r0| / 2, which touches the loss at r0 from above: 1 / max(|r0|, floor), the
    weight of iterated least squares; `floor` should be small beside the residuals. [Schlossmacher, 1973]

    >>> Absolute().curvature(np.array([3.0]), np.array([1.0])).tolist()
    [0.5]
    >>> Absolute().best_constant(np.array([1.0, 2.0, 60.0]))
    2.0
    """

    floor: float = 1e-10

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.abs(y - z))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(np.sign(z - y))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.asarray(1 / np.maximum(np.abs(y - z), self.floor))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return quantile(y, weight, 0.5)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return quantile(y - z, weight, 0.5)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
