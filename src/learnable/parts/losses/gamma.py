"""The gamma deviance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ..log_link import exponential, logarithm
from .deviance import area, log_leaf
from .target_range import demand


@dataclass(frozen=True)
class Gamma:
    """Half the gamma deviance of amounts y with mean exp(z): it depends on their ratio only.

    value = exp(t) - 1 - t,  t = log y - z     best constant: the log of the mean

    `exp` is held at 1e304 instead of overflowing, see links.exponential.

    >>> loss = Gamma()
    >>> loss.value(np.array([1.0, 2.0]), np.log([1.0, 1.0])).round(6).tolist()
    [0.0, 0.306853]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "log"

    def value(self, y: Array, z: Array) -> Array:
        gap = logarithm(y) - z
        return np.asarray(area(np.zeros_like(gap), gap, 1) - gap)

    def gradient(self, y: Array, z: Array) -> Array:
        return 1 - exponential(logarithm(y) - z)

    def curvature(self, y: Array, z: Array) -> Array:
        return exponential(logarithm(y) - z)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return log_leaf(y, np.zeros_like(y), weight, 2)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return log_leaf(y, z, weight, 2)

    def predict(self, z: Array) -> Array:
        return exponential(z)

    def check(self, y: Array) -> None:
        demand(y > 0, y, "Gamma", "y > 0")
