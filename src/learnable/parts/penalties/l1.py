"""The l1 penalty of the lasso."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ._soft_threshold import soft_threshold


@dataclass(frozen=True)
class L1:
    """Lasso penalty: sum of absolute weights, which sets small ones to zero; a Laplace prior of scale 1 / alpha.

    value = alpha  |w|_1     subdifferential of |w|: sign(w), and all of [-1, 1] at zero

    >>> L1(1.0).prox(np.array([3.0, 0.2]), 0.5).tolist()
    [2.5, 0.0]
    """

    alpha: float = 1.0

    smooth: ClassVar[bool] = False

    def value(self, w: Array) -> float:
        return self.alpha * float(np.abs(w).sum())

    def gradient(self, w: Array) -> Array:
        return np.zeros_like(w)

    def prox(self, v: Array, step: float | Array) -> Array:
        return soft_threshold(v, step * self.alpha)

    def distance(self, w: Array, gradient: Array) -> Array:
        active = np.abs(gradient + self.alpha * np.sign(w))
        return np.where(w == 0, np.maximum(np.abs(gradient) - self.alpha, 0), active)

    def strongest(self, gradient: Array) -> float:
        return float(np.abs(gradient).max(initial=0))
