"""The squared penalty of ridge regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array


@dataclass(frozen=True)
class L2:
    """Ridge penalty: half the squared norm, which shrinks all weights; a Gaussian prior of variance 1 / alpha.

    value = alpha / 2  |w|^2

    >>> L2(1.0).prox(np.array([3.0]), 0.5).tolist()
    [2.0]
    """

    alpha: float = 1.0

    smooth: ClassVar[bool] = True

    def value(self, w: Array) -> float:
        return self.alpha / 2 * float(np.vdot(w, w))

    def gradient(self, w: Array) -> Array:
        return self.alpha * w

    def magnitude(self, w: Array) -> Array:
        return np.abs(self.gradient(w))

    def prox(self, v: Array, step: float | Array) -> Array:
        return v / (1 + step * self.alpha)

    def distance(self, w: Array, gradient: Array) -> Array:
        return np.abs(gradient + self.alpha * w)

    def strongest(self, gradient: Array) -> float:
        """No alpha sets a weight to zero: infinite, unless zero is optimal already."""
        return np.inf if np.any(gradient) else 0.0
