"""The one search for neighbours: exact by any road, of equals the first rows, the same for any number of threads.

`NeighbourSearch.of(X, comparison, algorithm)` chooses the road: a tree of boxes for Minkowski distances of few
columns, single precision decided by double for Euclidean ones of many, a tree of balls for other distances that obey
the triangle inequality, and a table of distances, block by block, for everything else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..core.errors import DataError, ParameterError
from ..core.runtime.native import kernels
from ..core.scaling import largest_entry, unit_of
from ..core.validate.features import Array, Matrix
from ..core.validate.sparse_input import as_dense, is_wide, used_columns
from .matrix_products import is_sparse, scaled_columns

Algorithm = Literal["auto", "ball_tree", "kd_tree", "brute"]
Found = tuple[Array, Array]
"""Distances and rows of the neighbours, nearest first."""
Within = tuple[Array, Array, Array]
"""Distances and rows of all neighbours, and where those of each query begin: `start[i]` up to `start[i + 1]`."""

BLOCK = 2**22  # distances in a table at a time
FEW_COLUMNS = 12  # up to this number of columns, boxes spare most comparisons
FEW_ROWS = 8  # queries that are not worth the preparation of single precision
MAX_DENSE_ENTRIES = 10**8  # entries of a sparse table that is not written out
FLOAT32_RANGE = (1e-15, 1e15)  # largest entries between these can be multiplied and summed in single precision


@dataclass(frozen=True)
class RowComparison:
    """The distance between two rows, in the form that a search can use.

    `power` of a Minkowski distance after `turn`, a factor per column or a matrix to multiply rows with; or a `ball`,
    the name of a compiled distance that obeys the triangle inequality; `table` gives the distances of all rows of two
    tables, for metrics that are neither and for large sparse ones. Of wide sparse rows, only the columns `used` by
    those that are searched are compared one by one; what a query holds in others is one more column.
    """

    power: float | None = None
    turn: Array | None = None
    ball: str | None = None
    table: Callable[[Matrix, Matrix], Array] | None = None
    used: Array | None = None

    def among(self, X: Matrix) -> RowComparison:
        """The comparison with rows of `X`, which leaves columns without entries out if `X` is sparse and wide."""
        by_column = self.power is not None and (self.turn is None or self.turn.ndim == 1)
        return replace(self, used=used_columns(X)) if by_column and is_wide(X) else self

    def rows(self, X: Matrix) -> Array:
        """Rows as they are compared, in double precision."""
        return self.turned(X).astype(np.float64, copy=False)

    def turned(self, X: Matrix) -> Array:
        """Rows as they are compared, in their own precision for reading only."""
        if self.used is not None and is_sparse(X):
            return self._turned_used(X, self.used)
        dense = as_dense(X)
        if self.turn is not None:
            dense = dense * self.turn if self.turn.ndim == 1 else dense @ self.turn
        return np.ascontiguousarray(dense)

    def _turned_used(self, X: Matrix, used: Array) -> Array:
        """Sparse rows in the columns `used`, and the length of what they hold in others, where searched rows are 0."""
        X = X if self.turn is None else scaled_columns(X, self.turn)
        rest = X.tocoo()
        outside = ~np.isin(rest.col, used)
        row, size = rest.row[outside], np.abs(rest.data[outside].astype(np.float64))
        largest = np.zeros(X.shape[0])
        np.maximum.at(largest, row, size)
        length, power = largest.copy(), self.power
        if power is not None and power < np.inf:
            unit = np.where(largest > 0, largest, 1.0)
            length = largest * np.bincount(row, (size / unit[row]) ** power, len(largest)) ** (1 / power)
        return np.ascontiguousarray(np.column_stack([as_dense(X[:, used]), length]), dtype=X.dtype)


class NeighbourSearch(ABC):
    """Base class of the searches for neighbours among given rows."""

    rows: int

    @staticmethod
    def of(X: Matrix, comparison: RowComparison, algorithm: Algorithm = "auto") -> NeighbourSearch:
        """The search among the rows of `X` by an algorithm, or by the one that suits their shape.

        >>> search = NeighbourSearch.of(np.array([[0.0], [1.0], [5.0]]), RowComparison(power=2))
        >>> [part.tolist() for part in search.nearest(np.array([[4.0]]), 2)]
        [[[1.0, 3.0]], [[2, 1]]]
        """
        chosen = algorithm if algorithm != "auto" else _suited(X, comparison)
        if hasattr(X, "tocsr") and X.shape[0] * X.shape[1] > MAX_DENSE_ENTRIES and comparison.table is not None:
            return TableSearch(X, comparison.table)
        if chosen == "brute" and comparison.power == 2:
            return StraightSearch(X, comparison)
        without_tree = (
            comparison.power is None and comparison.ball is None
        )  # balls of such a metric would spare nothing
        if comparison.table is not None and (chosen == "brute" or (chosen == "ball_tree" and without_tree)):
            return TableSearch(X, comparison.table)
        if without_tree or (comparison.power is None and chosen == "kd_tree"):
            raise ParameterError(f"this metric is not valid for algorithm={algorithm!r}; use algorithm='brute'")
        return TreeSearch(X, comparison)

    @abstractmethod
    def nearest(self, Q: Matrix, k: int) -> Found:
        """The `k` nearest rows of every row of `Q`."""

    @abstractmethod
    def nearest_others(self, k: int) -> Found:
        """The `k` nearest other rows of every row."""

    @abstractmethod
    def within(self, Q: Matrix, radius: float) -> Within:
        """All rows that are at most `radius` away from each row of `Q`, in their order."""

    @abstractmethod
    def others_within(self, radius: float) -> Within:
        """All other rows that are at most `radius` away from each row."""


def _suited(X: Matrix, comparison: RowComparison) -> Algorithm:
    if comparison.power == 2:
        return "kd_tree" if X.shape[1] <= FEW_COLUMNS else "brute"
    if comparison.power is not None:
        return "kd_tree"
    return "ball_tree" if comparison.ball is not None else "brute"


def _room(queries: int, k: int) -> Found:
    return np.full((queries, k), np.inf), np.zeros((queries, k), dtype=np.int64)


def _refuse_missing(table: Array) -> None:
    """Refuse rows with missing values, which no comparison of these searches has an order for."""
    if table.size and not np.isfinite(table.max() - table.min()) and np.isnan(table).any():
        raise DataError("the rows among which neighbours are searched hold NaN")


@dataclass(frozen=True)
class PointTree:
    """Points in a tree of boxes, leaf by leaf: what the compiled searches and sums walk through."""

    rows: int
    points: Array
    order: Array
    boxes: Array

    @staticmethod
    def of(table: Array) -> PointTree:
        """The tree of the rows of a table."""
        rows, columns = table.shape
        leaves, width = kernels.kd_shape(rows)
        points = np.empty((leaves * columns, width))
        order, boxes = np.empty(leaves * width, dtype=np.int64), np.empty((2 * leaves - 1, 2 * columns))
        kernels.kd_build(table, points, order, boxes)
        return PointTree(rows, points, order, boxes)

    @property
    def parts(self) -> tuple[int, Array, Array, Array]:
        """What kernels take."""
        return self.rows, self.points, self.order, self.boxes


class TreeSearch(NeighbourSearch):
    """Neighbours by a k-d tree or a ball tree: nodes that are too far away are skipped."""

    def __init__(self, X: Matrix, comparison: RowComparison) -> None:
        self.comparison = comparison = comparison.among(X)
        table = comparison.rows(X)
        _refuse_missing(table)
        self.rows = len(table)
        self.unit = unit_of(table) if comparison.power is not None else 1.0
        self.table = table if self.unit == 1 else table * self.unit
        self.tree = PointTree.of(self.table)
        self.balls = None if comparison.power is not None else self._balls(str(comparison.ball))

    def nearest(self, Q: Matrix, k: int) -> Found:
        """The `k` nearest rows of every row of `Q`."""
        return self._nearest(self.comparison.rows(Q) * self.unit, k, False)

    def nearest_others(self, k: int) -> Found:
        """The `k` nearest other rows of every row."""
        return self._nearest(self.table, k, True)

    def within(self, Q: Matrix, radius: float) -> Within:
        """All rows that are at most `radius` away from each row of `Q`, in their order."""
        return self._within(self.comparison.rows(Q) * self.unit, radius, False)

    def others_within(self, radius: float) -> Within:
        """All other rows that are at most `radius` away from each row."""
        return self._within(self.table, radius, True)

    def _balls(self, kind: str) -> tuple[Array, Array]:
        nodes = len(self.tree.boxes)
        balls = np.empty((nodes, self.table.shape[1])), np.empty(nodes)
        kernels.kd_balls(self.tree.parts, kind, *balls)
        return balls

    @property
    def kind(self) -> tuple[str, float, tuple[Array, Array] | None]:
        """The distance as kernels take it."""
        power = self.comparison.power
        return ("minkowski", power, None) if power is not None else (str(self.comparison.ball), 0.0, self.balls)

    def _nearest(self, Q: Array, k: int, same: bool) -> Found:
        distances, rows = _room(len(Q), k)
        kernels.kd_nearest(self.tree.parts, Q, *self.kind, same, rows, distances)
        return distances / self.unit, rows

    def _within(self, Q: Array, radius: float, same: bool) -> Within:
        start = np.empty(len(Q) + 1, dtype=np.int64)
        distances, rows = kernels.kd_within(self.tree.parts, Q, *self.kind, radius * self.unit, same, start)
        return distances / self.unit, rows, start


class StraightSearch(NeighbourSearch):
    """Euclidean neighbours among rows of many columns: every pair in single precision, the near ones in double."""

    def __init__(self, X: Matrix, comparison: RowComparison) -> None:
        self.comparison = comparison = comparison.among(X)
        table = comparison.turned(X)
        _refuse_missing(table)
        self.rows = len(table)
        self.unit = unit_of(table, safe=FLOAT32_RANGE)
        self.table = self._scaled(table)

    def _scaled(self, table: Array) -> Array:
        return table if self.unit == 1 else table.astype(np.float64) * self.unit

    def nearest(self, Q: Matrix, k: int) -> Found:
        """The `k` nearest rows of every row of `Q`."""
        turned = self.comparison.turned(Q)
        queries = self._scaled(turned)
        if largest_entry(queries) >= FLOAT32_RANGE[1]:
            return self._tree.nearest(turned, k)
        return self._nearest(queries, k, False)

    def nearest_others(self, k: int) -> Found:
        """The `k` nearest other rows of every row."""
        return self._nearest(self.table, k, True)

    def within(self, Q: Matrix, radius: float) -> Within:
        """All rows that are at most `radius` away from each row of `Q`, in their order."""
        return self._tree.within(self.comparison.turned(Q), radius)

    def others_within(self, radius: float) -> Within:
        """All other rows that are at most `radius` away from each row."""
        return self._tree.others_within(radius)

    @property
    def _tree(self) -> TreeSearch:
        """The tree of the rows as they are compared, which takes queries that are turned already."""
        if "tree" not in self.__dict__:
            self.__dict__["tree"] = TreeSearch(self.table / self.unit, RowComparison(power=2))
        tree: TreeSearch = self.__dict__["tree"]
        return tree

    def _nearest(self, Q: Array, k: int, same: bool) -> Found:
        squares, rows = _room(len(Q), k)
        if same or len(Q) > FEW_ROWS:
            kernels.nearest_neighbours(Q, self.table, same, rows, squares)
        else:
            kernels.nearest_of_few(Q, self.table, rows, squares)
        return np.sqrt(squares) / self.unit, rows


class TableSearch(NeighbourSearch):
    """Neighbours by any measure of distance, from the distances to all rows, computed block by block."""

    def __init__(self, X: Matrix, table: Callable[[Matrix, Matrix], Array]) -> None:
        self.X, self.table = X, table
        self.rows = int(X.shape[0])

    def nearest(self, Q: Matrix, k: int) -> Found:
        """The `k` nearest rows of every row of `Q`."""
        return self._nearest(Q, k, False)

    def nearest_others(self, k: int) -> Found:
        """The `k` nearest other rows of every row."""
        return self._nearest(self.X, k, True)

    def within(self, Q: Matrix, radius: float) -> Within:
        """All rows that are at most `radius` away from each row of `Q`, in their order."""
        return self._within(Q, radius, False)

    def others_within(self, radius: float) -> Within:
        """All other rows that are at most `radius` away from each row."""
        return self._within(self.X, radius, True)

    def _blocks(self, Q: Matrix) -> list[slice]:
        step = max(1, BLOCK // self.rows)
        return [slice(begin, begin + step) for begin in range(0, Q.shape[0], step)]

    def _distances(self, Q: Matrix) -> Array:
        return np.require(self.table(Q, self.X), np.float64, "C")

    def _nearest(self, Q: Matrix, k: int, same: bool) -> Found:
        distances, rows = _room(Q.shape[0], k)
        for block in self._blocks(Q):
            found = self._distances(Q[block])
            kernels.nearest_of_table(found, block.start if same else -1, rows[block], distances[block])
        return distances, rows

    def _within(self, Q: Matrix, radius: float, same: bool) -> Within:
        distances, rows, counts = [], [], [np.zeros(1, dtype=np.int64)]
        for block in self._blocks(Q):
            found = self._distances(Q[block])
            near = found <= radius
            if same:
                near[np.arange(len(near)), block.start + np.arange(len(near))] = False
            distances.append(found[near])
            rows.append(np.nonzero(near)[1])
            counts.append(near.sum(axis=1))
        return np.concatenate(distances), np.concatenate(rows), np.cumsum(np.concatenate(counts))
