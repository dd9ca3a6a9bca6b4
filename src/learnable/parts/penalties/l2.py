"""The squared penalty of ridge regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array


@dataclass(frozen=True)
class L2:
    """Half the squared size of the weights: shrinks all, zeroes none; a Gaussian prior, variance 1 / strength.

    value = strength / 2  |w|^2

    >>> L2(1.0).prox(np.array([3.0]), 0.5).tolist()
    [2.0]
    """

    strength: float = 1.0

    smooth: ClassVar[bool] = True

    def value(self, w: Array) -> float:
        return self.strength / 2 * float(np.vdot(w, w))

    def gradient(self, w: Array) -> Array:
        return self.strength * w

    def magnitude(self, w: Array) -> Array:
        return np.abs(self.gradient(w))

    def prox(self, v: Array, step: float | Array) -> Array:
        return v / (1 + step * self.strength)

    def distance(self, w: Array, gradient: Array) -> Array:
        return np.abs(gradient + self.strength * w)

    def strongest(self, gradient: Array) -> float:
        """No strength pushes a weight to zero: infinite, unless zero is optimal already."""
        return np.inf if np.any(gradient) else 0.0
