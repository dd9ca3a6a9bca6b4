"""The elastic-net penalty: l1 and squared l2 terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ._soft_threshold import soft_threshold
from .blended import Blended


@dataclass(frozen=True)
class ElasticNet(Blended):
    """Elastic net: l1 and squared l2 penalty of the weights; sparse, and correlated columns keep similar weights.

    value = alpha (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2)     [Zou and Hastie, 2005]

    >>> ElasticNet(2.0, 0.5).prox(np.array([3.0, 0.2]), 1.0).tolist()
    [1.0, 0.0]
    """

    smooth: ClassVar[bool] = False

    def terms(self, w: Array) -> tuple[float, float]:
        return self.l1 * float(np.abs(w).sum()), self.l2 / 2 * float(np.vdot(w, w))

    def gradient(self, w: Array) -> Array:
        return self.l2 * w

    def prox(self, v: Array, step: float | Array) -> Array:
        return soft_threshold(v, step * self.l1) / (1 + step * self.l2)

    def distance(self, w: Array, gradient: Array) -> Array:
        active = np.abs(gradient + self.l2 * w + self.l1 * np.sign(w))
        return np.where(w == 0, np.maximum(np.abs(gradient) - self.l1, 0), active)

    def strongest(self, gradient: Array) -> float:
        """Infinite without an l1 term, unless zero is optimal already."""
        return self.alpha_max(float(np.abs(gradient).max(initial=0)))
