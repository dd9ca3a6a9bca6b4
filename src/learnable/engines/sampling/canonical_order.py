"""An order of rows that depends on what they hold alone, and rows drawn by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.numeric import EXACT
from ...core.runtime import context
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense, is_wide, used_columns
from ..columns.categories import factorised

STEP = 0x9E3779B97F4A7C15
MANY = 64  # copies of a row, on average, beyond which they are not drawn one by one


def counts_copies(weight: Array) -> bool:
    """Whether weights say how often rows come: whole numbers, and not so large that all are."""
    return bool((weight == np.floor(weight)).all()) and float(weight.sum()) < EXACT


def order_of_content(X: Matrix, y: Array) -> Array:
    """The rows, by numbers mixed from all that stands in them: equal rows side by side, others as if shuffled.

    Samples that are drawn by places in this order are the same however the rows come, and whether a row comes twice
    or weighs two.

    >>> X, y = np.array([[3.0], [1.0], [2.0]]), np.zeros(3)
    >>> first, again = X[order_of_content(X, y)], X[::-1][order_of_content(X[::-1], y)]
    >>> bool((first == again).all())
    True
    """
    if is_wide(X):
        X = X[:, used_columns(X)]
    X = as_dense(X)
    mixed = np.zeros(len(X), dtype=np.uint64)
    for column in (*X.T, *y.reshape(len(y), -1).T):
        mixed = (mixed ^ _bits(column)) * np.uint64(STEP)
        mixed ^= mixed >> np.uint64(29)
    return np.argsort(mixed, kind="stable").astype(np.uint32)


def _bits(column: Array) -> Array:
    """Bits of numbers in single precision, whatever theirs and whatever their unit; both zeros are one.

    Of entries of any kind, those of their places among the different ones.
    """
    if column.dtype.kind == "O":
        column = factorised(column, "a column")[1].astype(np.float64)
    size = np.max(np.abs(column), initial=0.0, where=np.isfinite(column))
    scaled = np.ldexp(column, -np.frexp(size)[1]).astype(np.float32) + np.float32(0)
    return np.asarray(scaled.view(np.uint32).astype(np.uint64))


@dataclass(frozen=True)
class RowSampler:
    """Rows to draw from, each as often as its weight says; the draws do not depend on the order of the rows."""

    order: Array
    cumulative: Array
    whole: bool

    @classmethod
    def of(cls, X: Matrix, weight: Array, y: Array | None = None) -> RowSampler:
        """The rows that have a weight."""
        rows = np.flatnonzero(weight > 0)
        order = rows[order_of_content(X[rows], np.zeros(len(rows)) if y is None else y[rows])]
        return cls(order, np.cumsum(weight[order]), counts_copies(weight))

    @property
    def size(self) -> int:
        """How many rows are inside, copies counted where weights are whole numbers."""
        return int(self.cumulative[-1]) if self.whole else len(self.order)

    def drawn(self, draws: np.random.Generator, number: int, replace: bool) -> Array:
        """Some rows, with or without putting each back."""
        context.give_way()
        if self.whole and number >= MANY * len(self.order):
            return self._repeated(draws, number, replace)
        if self.whole:
            places = draws.choice(self.size, number, replace=replace)
            alone = self.size == len(self.order)  # every row once: its place is its own
            return np.asarray(self.order[places if alone else self.cumulative.searchsorted(places, side="right")])
        share = np.diff(self.cumulative, prepend=0.0) / self.cumulative[-1]
        return np.asarray(self.order[draws.choice(len(self.order), number, replace=replace, p=share)])

    def _repeated(self, draws: np.random.Generator, number: int, replace: bool) -> Array:
        """The same in law, by how often each row is drawn: the rows are few, and their copies many."""
        copies = np.diff(self.cumulative, prepend=0.0)
        if replace:
            counts = draws.multinomial(number, copies / self.cumulative[-1])
        else:
            counts = draws.multivariate_hypergeometric(copies.astype(np.int64), number, method="marginals")
        return np.repeat(self.order, counts)

    @property
    def crowded(self) -> bool:
        """Whether there are so many copies of rows that they should be counted, not drawn one by one."""
        return self.size >= MANY * len(self.order)

    def counts_by(self, draws: np.random.Generator, weight: Array) -> Array:
        """How often each row comes if as many as are inside are drawn by other weights, with putting each back."""
        counts = np.zeros(len(weight))
        share = weight[self.order]
        counts[self.order] = draws.multinomial(self.size, share / share.sum())
        return counts

    def drawn_by(self, draws: np.random.Generator, weight: Array) -> Array:
        """As many rows as are inside, drawn by other weights, with putting each back."""
        reached = np.cumsum(weight[self.order])
        places = np.searchsorted(reached, draws.random(self.size) * reached[-1], side="right")
        return np.asarray(self.order[np.minimum(places, len(self.order) - 1)])
