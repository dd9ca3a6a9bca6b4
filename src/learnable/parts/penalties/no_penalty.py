"""No penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array


@dataclass(frozen=True)
class Free:
    """No penalty: zero for all weights.

    value = 0

    >>> Free().prox(np.array([3.0]), 10.0).tolist()
    [3.0]
    """

    smooth: ClassVar[bool] = True

    def value(self, w: Array) -> float:
        return 0.0

    def gradient(self, w: Array) -> Array:
        return np.zeros_like(w)

    def prox(self, v: Array, step: float | Array) -> Array:
        return v

    def distance(self, w: Array, gradient: Array) -> Array:
        return np.abs(gradient)

    def strongest(self, gradient: Array) -> float:
        """No alpha sets a weight to zero: infinite, unless zero is optimal already."""
        return np.inf if np.any(gradient) else 0.0
