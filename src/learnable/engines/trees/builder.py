"""Growth of binary trees by the compiled grower: columns as ranks, rules that end growth, trees and forests.

A tree lowers one impurity: `Gini` or `Entropy` of classes, `Squares`, `Deviations` or `PoissonDeviance` of numbers. For
all of them impurity = (worth of the rows each alone - worth of the node) / weight.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...core.declare import registry
from ...core.numeric import MOST
from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense
from .forest import Forest
from .histograms import Bins
from .tree import Tree
from .tree_checks import flaw_of_arrays
from .tree_stack import TreeStack


@dataclass(frozen=True)
class RankedColumns:
    """Columns as ranks among their sorted different numbers, `levels`; a missing entry has the rank after the last.

    Numbers may also be told apart by their bins alone: if `binned`, ranks are those, and levels say where they begin.
    For random thresholds numbers need no ranks: then only categories have any.
    """

    ranks: Array | None
    levels: list[Array]
    categorical: Array
    numbers: Array
    binned: bool = False

    @classmethod
    def of(cls, X: Matrix, categorical: Array | None = None) -> RankedColumns:
        """The ranks of a matrix, dense or sparse; categories are whole numbers from zero, and their own ranks."""
        dense = as_dense(X)
        n, p = dense.shape
        ranks = np.empty((p, n), dtype=np.uint32)
        levels = kernels.rank_columns(dense, ranks)
        kinds = np.zeros(p, dtype=np.uint8) if categorical is None else categorical.astype(np.uint8)
        _rank_categories(dense, kinds, ranks, levels)
        return cls(ranks, levels, kinds, dense)

    @classmethod
    def of_numbers(cls, X: Matrix, categorical: Array | None = None) -> RankedColumns:
        """The columns of a matrix for random thresholds: numbers are not sorted, categories are their own ranks."""
        dense = as_dense(X)
        levels = [np.zeros(0)] * dense.shape[1]
        if categorical is None or not categorical.any():
            return cls(None, levels, np.zeros(dense.shape[1], dtype=np.uint8), dense)
        ranks = np.zeros(dense.shape[::-1], dtype=np.uint32)
        kinds = categorical.astype(np.uint8)
        _rank_categories(dense, kinds, ranks, levels)
        return cls(ranks, levels, kinds, dense)

    @classmethod
    def in_bins(cls, X: Matrix, most: int, weight: Array, categorical: Array | None = None) -> RankedColumns:
        """The ranks of a matrix in at most so many bins of equal weight a column; categories are not put together."""
        dense = as_dense(X)
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        alike = bool((weight[rows] == weight[rows[0]]).all())
        categories = [0] * dense.shape[1]
        for j in [] if categorical is None else np.flatnonzero(categorical):
            known = dense[:, j][~np.isnan(dense[:, j])]
            categories[j] = int(known.max()) + 1 if len(known) else 1
        bins = Bins.of(dense, rows, None if alike else weight, most, categories, seed=0)
        levels = [
            np.arange(count, dtype=np.float64) if count else np.concatenate([[-np.inf], edges])
            for count, edges in zip(categories, bins.edges, strict=True)
        ]
        return cls(bins.by_column(dense), levels, bins.categorical, dense, binned=True)

    @cached_property
    def by_column(self) -> Array:
        """The numbers with a row for each column, as ranks have."""
        return np.ascontiguousarray(self.numbers.T)

    @cached_property
    def cells(self) -> tuple[Array, Array | None, Array]:
        """The numbers by column, by row if that is how they lie, and which columns hold numbers without gaps."""
        by_row = self.numbers if self.numbers.flags.c_contiguous else None
        gapless = ~np.isnan(self.by_column.max(axis=1)) & (self.categorical == 0)
        return self.by_column, by_row, gapless.astype(np.uint8)


def _rank_categories(numbers: Array, kinds: Array, ranks: Array, levels: list[Array]) -> None:
    """Put the codes of categories in the place of ranks; missing ones come after the last."""
    for j in np.flatnonzero(kinds):
        column = numbers[:, j]
        gap = np.isnan(column)
        size = 0 if gap.all() else int(column[~gap].max()) + 1
        levels[j] = np.arange(size, dtype=np.float64)
        ranks[j] = np.where(gap, size, column).astype(np.uint32)


@dataclass(frozen=True)
class TreeLimits:
    """Where a tree ends, and which columns it tries.

    A tree uses `tree_columns` drawn columns and tries `candidates` of these at each node, zero for all; the column that
    divides is drawn among the `top` best.
    """

    max_depth: int = MOST
    max_leaves: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_leaf_weight: float = 0.0
    min_gain: float = 0.0
    candidates: int = 0
    random_thresholds: bool = False
    seed: int = 0
    direction: list[int] = field(default_factory=list)
    tree_columns: int = 0
    top: int = 1


@registry.value
@dataclass(frozen=True)
class Draws:
    """Bootstrap samples: for each tree, `number` of all `rows` are drawn with replacement, by their place in `order`.

    With `cumulative`, the sums of the weights up to each place, a row is drawn in proportion to its weight. With
    `label`, which holds `classes` codes over all targets, the classes of each sample are weighted to count alike.
    """

    rows: int
    number: int
    order: Array
    cumulative: Array | None = None
    label: Array | None = None
    classes: int = 0

    def flaw(self) -> str:
        """What is wrong with draws that came from a file; empty if nothing is."""
        length = len(self.order)
        if self.order.dtype != np.uint32 or self.order.ndim != 1 or not 0 < length <= self.rows:
            return "order must hold whole numbers, one for each row that counts"
        if (self.order >= self.rows).any() or not 0 < self.number <= MOST:
            return "rows are drawn that are not there, or none"
        if self.cumulative is not None and flaw_of_arrays(vars(self), {"cumulative": np.float64}, length):
            return "cumulative must hold a sum for each row that counts"
        if self.cumulative is None:
            return self._flaw_of_labels()
        rising = (np.diff(self.cumulative) >= 0).all() and self.cumulative[0] >= 0 and 0 < self.cumulative[-1] < np.inf
        return self._flaw_of_labels() if rising else "cumulative must rise to a finite sum"

    def _flaw_of_labels(self) -> str:
        label, classes = self.label, self.classes
        if label is None:
            return "" if classes == 0 else "classes need labels"
        if label.dtype != np.int32 or label.ndim != 2 or len(label) != self.rows or classes < 1:
            return "label must hold a code of a class for each row and target"
        return "" if ((label >= 0) & (label < classes)).all() else "a label is that of no class"

    def counts(self, seeds: Array) -> Array:
        """How often each row is drawn, a row of counts for each seed."""
        found = np.zeros((len(seeds), self.rows))
        kernels.bootstrap_counts(seeds, self.numbers(), found)
        return found

    def numbers(self) -> tuple[Any, ...]:
        """The arguments of the kernels that draw."""
        return self.number, self.order, self.cumulative, self.label, self.classes


@dataclass(frozen=True)
class TreeBuilder:
    """Grows trees from ranked columns, the rows that count, their weights, and rules.

    One tree grows for each of `seeds`. With `draws`, each grows from a sample of rows of its own, whose total weight is
    one; the least weight and gain of the rules are then relative to that.
    """

    columns: RankedColumns
    rows: Array
    weight: Array
    growth: TreeLimits
    seeds: Array | None = None
    draws: Draws | None = None

    def _grown(self, alone: Array) -> Any:
        columns, rules = self.columns, asdict(self.growth)
        weight = np.zeros(len(self.weight))
        weight[self.rows] = self.weight[self.rows]
        seeds = np.array([self.growth.seed], dtype=np.uint64) if self.seeds is None else self.seeds
        draws = None if self.draws is None else self.draws.numbers()
        numbers = columns.cells if self.growth.random_thresholds else None
        return kernels.TreeBuilder(
            columns.ranks,
            columns.levels,
            columns.categorical,
            columns.binned,
            numbers,
            weight,
            alone,
            rules,
            seeds,
            draws,
        )

    def classes(self, codes: Array, sizes: list[int], criterion: str) -> Tree:
        """A tree of classes: `codes` has a column for each target, of which `sizes` tells the classes."""
        return self.forest_of_classes(codes, sizes, criterion).tree(0)

    def numbers(self, y: Array, criterion: str) -> Tree:
        """A tree of numbers, a column of `y` for each target, by "squares" or "poisson"."""
        return self.forest_of_numbers(y, criterion).tree(0)

    def forest_of_classes(self, codes: Array, sizes: list[int], criterion: str) -> Forest:
        """Trees of classes, one for each seed."""
        gini = criterion == "gini"
        alone = np.array([float(len(sizes)) if gini else 0.0])
        labels = np.ascontiguousarray(codes + np.cumsum([0, *sizes[:-1]]), dtype=np.int32)
        found = self._grown(alone).grow_classes(labels, np.array(sizes, dtype=np.int64), gini)
        value = found["value"].reshape(len(found["left"]), -1)
        if self.growth.direction:
            held = _held(value[:, 1:], found)
            value = np.concatenate([1 - held, held], axis=1)
        return _forest(found, found["impurity"], found["weight"], value.reshape(len(value), len(sizes), -1))

    def forest_of_numbers(self, y: Array, criterion: str) -> Forest:
        """Trees of numbers, one for each seed."""
        alone = (y**2).sum(axis=1) if criterion == "squares" else _self_information(y).sum(axis=1)
        found = self._grown(alone).grow_regression(np.ascontiguousarray(y), criterion)
        sums = found["sums"].reshape(-1, y.shape[1] + 2)
        weight, mean = sums[:, 0], sums[:, 1:-1] / sums[:, :1]
        explained = (mean**2).sum(axis=1) if criterion == "squares" else _self_information(mean).sum(axis=1)
        impurity = np.maximum(sums[:, -1] / weight - explained, 0) / y.shape[1]
        return _forest(found, impurity, weight.copy(), _held(mean, found)[:, :, None])

    def forest_of_deviations(self, y: Array) -> Forest:
        """Trees of targets, a column of `y` for each, by absolute deviations from medians, one for each seed."""
        places = [np.unique(column, return_inverse=True) for column in y.T]
        ranks = np.stack([rank for _, rank in places], axis=1).astype(np.uint32)
        found = self._grown(np.abs(y).sum(axis=1)).grow_absolute_error(ranks, [levels for levels, _ in places])
        sums = found["sums"].reshape(-1, y.shape[1] + 3)
        weight, medians, mean_leaf_impurity = sums[:, 0], sums[:, 1:-2], -sums[:, -2]
        impurity = mean_leaf_impurity / weight / y.shape[1]
        return _forest(found, impurity, weight.copy(), _held(medians, found)[:, :, None])


def _held(value: Array, found: dict[str, Array]) -> Array:
    """Values clipped to the bounds that monotonic constraints set."""
    return np.clip(value, found["low"][:, None], found["high"][:, None]) if len(found["low"]) else value


def _self_information(y: Array) -> Array:
    """y log y, zero at zero."""
    return np.asarray(y * np.log(np.where(y > 0, y, 1.0)))


def _forest(found: dict[str, Array], impurity: Array, weight: Array, value: Array) -> Forest:
    stack = TreeStack(
        found["start"],
        found["left"],
        found["right"],
        found["feature"],
        found["threshold"],
        found["missing_left"],
        found["set_start"],
        found["set_words"],
        np.ascontiguousarray(value.reshape(len(value), -1)),
        np.zeros(len(found["start"]) - 1, dtype=np.int32),
    )
    return Forest(stack, impurity, found["rows"], weight, value.shape[1])
