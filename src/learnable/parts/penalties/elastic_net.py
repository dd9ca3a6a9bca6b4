"""The blend of absolute and squared penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ._soft_threshold import soft_threshold
from .elastic_terms import Blend


@dataclass(frozen=True)
class ElasticNet(Blend):
    """Absolute and squared size of the weights, blended: zeroes weights, and keeps correlated ones together.

    value = strength (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2)     [Zou and Hastie, 2005]

    >>> ElasticNet(2.0, 0.5).prox(np.array([3.0, 0.2]), 1.0).tolist()
    [1.0, 0.0]
    """

    smooth: ClassVar[bool] = False

    def value(self, w: Array) -> float:
        return self._absolute * float(np.abs(w).sum()) + self._squared / 2 * float(np.vdot(w, w))

    def gradient(self, w: Array) -> Array:
        return self._squared * w

    def prox(self, v: Array, step: float | Array) -> Array:
        return soft_threshold(v, step * self._absolute) / (1 + step * self._squared)

    def distance(self, w: Array, gradient: Array) -> Array:
        active = np.abs(gradient + self._squared * w + self._absolute * np.sign(w))
        return np.where(w == 0, np.maximum(np.abs(gradient) - self._absolute, 0), active)

    def strongest(self, gradient: Array) -> float:
        """Infinite without an absolute part, unless zero is optimal already."""
        return self._strongest(float(np.abs(gradient).max(initial=0)))
