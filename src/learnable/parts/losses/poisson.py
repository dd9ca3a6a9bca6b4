"""The Poisson deviance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ..log_link import exponential, logarithm
from .deviance import area, log_leaf
from .target_range import demand


@dataclass(frozen=True)
class Poisson:
    """Half the Poisson deviance of counts y with mean exp(z): zero at a perfect fit.

    value = exp(z) - y z + y log y - y     best constant: the log of the mean

    `exp` is held at 1e304 instead of overflowing, see links.exponential. If every target is zero, the best
    constant is log(2.2e-16) in place of minus infinity.

    >>> Poisson().value(np.array([0.0, 3.0]), np.log([2.0, 3.0])).tolist()
    [2.0, 0.0]
    >>> Poisson().gradient(np.array([3.0]), np.zeros(1)).tolist()
    [-2.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "log"

    def value(self, y: Array, z: Array) -> Array:
        perfect = logarithm(y)
        return np.asarray(area(perfect, z, 1) - y * (z - perfect))

    def gradient(self, y: Array, z: Array) -> Array:
        return exponential(z) - y

    def curvature(self, y: Array, z: Array) -> Array:
        return exponential(z)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return log_leaf(y, np.zeros_like(y), weight, 1)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return log_leaf(y, z, weight, 1)

    def predict(self, z: Array) -> Array:
        return exponential(z)

    def check(self, y: Array) -> None:
        demand(y >= 0, y, "Poisson", "y >= 0")
