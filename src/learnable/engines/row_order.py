"""An order of rows that depends on what they hold alone, and rows drawn by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.data import Array

STEP = 0x9E3779B97F4A7C15


def order_of_content(X: Array, y: Array) -> Array:
    """The rows, by numbers mixed from all that stands in them: equal rows side by side, others as if shuffled.

    Samples that are drawn by places in this order are the same however the rows come, and whether a row comes twice
    or weighs two.

    >>> X, y = np.array([[3.0], [1.0], [2.0]]), np.zeros(3)
    >>> first, again = X[order_of_content(X, y)], X[::-1][order_of_content(X[::-1], y)]
    >>> bool((first == again).all())
    True
    """
    mixed = np.zeros(len(X), dtype=np.uint64)
    for column in (*X.T, *y.reshape(len(y), -1).T):
        mixed = (mixed ^ _bits(column)) * np.uint64(STEP)
        mixed ^= mixed >> np.uint64(29)
    return np.argsort(mixed, kind="stable").astype(np.uint32)


def _bits(column: Array) -> Array:
    """Bits of numbers in single precision, whatever theirs and whatever their unit; both zeros are one."""
    size = np.max(np.abs(column), initial=0.0, where=np.isfinite(column))
    scaled = np.ldexp(column, -np.frexp(size)[1]).astype(np.float32) + np.float32(0)
    return np.asarray(scaled.view(np.uint32).astype(np.uint64))


@dataclass(frozen=True)
class Urn:
    """Rows to draw from, each as often as its weight says; the draws do not depend on the order of the rows."""

    order: Array
    cumulative: Array
    whole: bool

    @classmethod
    def of(cls, X: Array, weight: Array, y: Array | None = None) -> Urn:
        """The rows that have a weight."""
        rows = np.flatnonzero(weight > 0)
        order = rows[order_of_content(X[rows], np.zeros(len(rows)) if y is None else y[rows])]
        return cls(order, np.cumsum(weight[order]), bool((weight == np.round(weight)).all()))

    @property
    def size(self) -> int:
        """How many rows are inside, copies counted where weights are whole numbers."""
        return int(self.cumulative[-1]) if self.whole else len(self.order)

    def drawn(self, draws: np.random.Generator, number: int, replace: bool) -> Array:
        """Some rows, with or without putting each back."""
        if self.whole:
            places = draws.choice(self.size, number, replace=replace)
            return np.asarray(self.order[np.searchsorted(self.cumulative, places, side="right")])
        share = np.diff(self.cumulative, prepend=0.0) / self.cumulative[-1]
        return np.asarray(self.order[draws.choice(len(self.order), number, replace=replace, p=share)])

    def drawn_by(self, draws: np.random.Generator, weight: Array) -> Array:
        """As many rows as are inside, drawn by other weights, with putting each back."""
        reached = np.cumsum(weight[self.order])
        places = np.searchsorted(reached, draws.random(self.size) * reached[-1], side="right")
        return np.asarray(self.order[np.minimum(places, len(self.order) - 1)])
