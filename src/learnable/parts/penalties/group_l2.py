"""The group lasso penalty: the lengths of the rows of w, and the squared l2 term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .blended import Blended

SMALLEST, LARGEST = 1e-30, 1e30  # squares of single precision within these have all their digits


@dataclass(frozen=True)
class GroupL2(Blended):
    """Group lasso: the length of each row of w (one row a feature, one column a target), and the squared l2 norm.

    value = alpha (l1_ratio sum_j |w_j| + (1 - l1_ratio) / 2 |w|^2),  |w_j| the length of row j

    A row is zero as a whole or not at all, so that all targets select the same features. With one column it is the
    elastic net. `distance` has one entry a row. [Yuan and Lin, 2006]

    >>> GroupL2(1.0).prox(np.array([[3.0, 4.0], [0.3, 0.4]]), 2.5).tolist()
    [[1.5, 2.0], [0.0, 0.0]]
    """

    l1_ratio: float = 1.0

    smooth: ClassVar[bool] = False

    def terms(self, w: Array) -> tuple[float, float]:
        lengths = _lengths(w)
        return self.l1 * float(lengths.sum()), self.l2 / 2 * float(lengths @ lengths)

    def gradient(self, w: Array) -> Array:
        return self.l2 * w

    def prox(self, v: Array, step: float | Array) -> Array:
        """`step` is one number or one for each row."""
        threshold = step * self.l1
        lengths = _lengths(v)
        kept = np.maximum(lengths - threshold, 0) / np.where(lengths > 0, lengths, 1)
        return v * (kept / (1 + step * self.l2))[:, np.newaxis]

    def distance(self, w: Array, gradient: Array) -> Array:
        lengths = _lengths(w)
        by_penalty = w * (self.l2 + self.l1 / np.where(lengths > 0, lengths, 1))[:, np.newaxis]
        free = np.maximum(_lengths(gradient) - self.l1, 0)
        return np.where(lengths == 0, free, _lengths(gradient + by_penalty))

    def strongest(self, gradient: Array) -> float:
        """Infinite without an l1 term, unless zero is optimal already."""
        return self.alpha_max(float(_lengths(gradient).max(initial=0)))


def _lengths(w: Array) -> Array:
    """Length of each row, without overflow or underflow of squares."""
    with np.errstate(over="ignore", under="ignore"):
        squares = np.square(w).sum(axis=1)
    if np.all((squares > SMALLEST) & (squares < LARGEST) | (squares == 0) & ~w.any(axis=1)):
        return np.asarray(np.sqrt(squares))
    return np.asarray(np.hypot.reduce(w, axis=1))
