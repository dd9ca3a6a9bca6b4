"""The penalty that keeps or drops whole rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .elastic_terms import Blend


@dataclass(frozen=True)
class GroupL2(Blend):
    """Length of each row of w (one row a feature, one column a target), blended with the squared size.

    value = strength (l1_ratio sum_j |w_j| + (1 - l1_ratio) / 2 |w|^2),  |w_j| the length of row j

    A row is zero as a whole or not at all, so that all targets select the same features. With one column it is
    the elastic net. `distance` has one entry a row. [Yuan and Lin, 2006]

    >>> GroupL2(1.0).prox(np.array([[3.0, 4.0], [0.3, 0.4]]), 2.5).tolist()
    [[1.5, 2.0], [0.0, 0.0]]
    """

    l1_ratio: float = 1.0

    smooth: ClassVar[bool] = False

    def value(self, w: Array) -> float:
        return self._absolute * float(_lengths(w).sum()) + self._squared / 2 * float(np.vdot(w, w))

    def gradient(self, w: Array) -> Array:
        return self._squared * w

    def prox(self, v: Array, step: float | Array) -> Array:
        """`step` is one number or one for each row."""
        threshold = step * self._absolute
        lengths = _lengths(v)
        kept = np.maximum(lengths - threshold, 0) / np.where(lengths > 0, lengths, 1)
        return v * (kept / (1 + step * self._squared))[:, np.newaxis]

    def distance(self, w: Array, gradient: Array) -> Array:
        lengths = _lengths(w)
        pull = w * (self._squared + self._absolute / np.where(lengths > 0, lengths, 1))[:, np.newaxis]
        free = np.maximum(_lengths(gradient) - self._absolute, 0)
        return np.where(lengths == 0, free, _lengths(gradient + pull))

    def strongest(self, gradient: Array) -> float:
        """Infinite without a row part, unless zero is optimal already."""
        return self._strongest(float(_lengths(gradient).max(initial=0)))


def _lengths(w: Array) -> Array:
    """Length of each row, without overflow."""
    lengths: Array = np.hypot.reduce(w, axis=1)
    return lengths
