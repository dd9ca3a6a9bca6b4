"""A canonical order of rows, which depends on their values alone, and sampling by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.numeric import EXACT
from ...core.runtime import context
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense, is_wide, used_columns
from ..columns.categories import factorised

STEP = 0x9E3779B97F4A7C15
MANY_COPIES = 64  # copies of a row, on average, beyond which they are not drawn one by one


def counts_copies(weight: Array) -> bool:
    """Whether weights are frequencies: integers, and below the range where all floats are integers."""
    return bool((weight == np.floor(weight)).all()) and float(weight.sum()) < EXACT


def order_of_content(X: Matrix, y: Array) -> Array:
    """The rows ordered by a hash of their values: equal rows are adjacent, others as if shuffled.

    Samples drawn by position in this order do not depend on the order of the rows, nor on whether a row comes twice or
    has weight two.

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
    """Bits of the values scaled and rounded to single precision; both zeros are equal.

    For other types, the bits of the codes of their distinct values.
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
        """The number of rows, counting copies where weights are integers."""
        return int(self.cumulative[-1]) if self.whole else len(self.order)

    def draw(self, draws: np.random.Generator, number: int, replace: bool) -> Array:
        """A sample of rows, with or without replacement."""
        context.give_way()
        if self.whole and number >= MANY_COPIES * len(self.order):
            return self._draw_counts(draws, number, replace)
        if self.whole:
            positions = draws.choice(self.size, number, replace=replace)
            alone = self.size == len(self.order)  # every row once: positions are rows
            return np.asarray(self.order[positions if alone else self.cumulative.searchsorted(positions, side="right")])
        probability = np.diff(self.cumulative, prepend=0.0) / self.cumulative[-1]
        return np.asarray(self.order[draws.choice(len(self.order), number, replace=replace, p=probability)])

    def _draw_counts(self, draws: np.random.Generator, number: int, replace: bool) -> Array:
        """The same distribution, by the number of draws of each row: for few rows with many copies."""
        copies = np.diff(self.cumulative, prepend=0.0)
        if replace:
            counts = draws.multinomial(number, copies / self.cumulative[-1])
        else:
            counts = draws.multivariate_hypergeometric(copies.astype(np.int64), number, method="marginals")
        return np.repeat(self.order, counts)

    @property
    def has_many_copies(self) -> bool:
        """Whether there are many copies of each row, so that counts are drawn, not rows one by one."""
        return self.size >= MANY_COPIES * len(self.order)

    def count_weighted_draws(self, draws: np.random.Generator, weight: Array) -> Array:
        """The number of draws of each row in a sample of `size`, with replacement, by other weights."""
        counts = np.zeros(len(weight))
        probability = weight[self.order]
        counts[self.order] = draws.multinomial(self.size, probability / probability.sum())
        return counts

    def draw_weighted(self, draws: np.random.Generator, weight: Array) -> Array:
        """A sample of `size` rows by other weights, with replacement."""
        reached = np.cumsum(weight[self.order])
        positions = np.searchsorted(reached, draws.random(self.size) * reached[-1], side="right")
        return np.asarray(self.order[np.minimum(positions, len(self.order) - 1)])
