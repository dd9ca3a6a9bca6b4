"""Growth of exact binary trees by the compiled builder: columns as ranks, sampling of rows, and split search.

A tree lowers one impurity: Gini or entropy of classes, squared or absolute error, or the Poisson deviance. For all of
them impurity = (sum of the gains of single rows - gain of the node) / weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...core.declare import registry
from ...core.numeric import MAX_INT64
from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense
from .forest import Forest
from .growth_limits import TreeLimits
from .histograms import Bins
from .tree_checks import flaw_of_arrays
from .tree_stack import TreeStack


@dataclass(frozen=True)
class RankedColumns:
    """Columns as ranks among their sorted distinct values, `levels`; a missing value has the rank after the last.

    If `binned`, ranks are bin indices and levels the lower edges of the bins. Random thresholds need no ranks of
    numeric columns: then only categorical ones have any.
    """

    ranks: Array | None
    levels: list[Array]
    categorical: Array
    numbers: Array
    binned: bool = False

    @classmethod
    def of(cls, X: Matrix, categorical: Array | None = None) -> RankedColumns:
        """The ranks of a matrix, dense or sparse; categories are integers from zero, which are their ranks."""
        dense = as_dense(X)
        n, p = dense.shape
        ranks = np.empty((p, n), dtype=np.uint32)
        levels = kernels.rank_columns(dense, ranks)
        if categorical is None:
            return cls(ranks, levels, np.zeros(p, dtype=np.uint8), dense)
        kinds = categorical.astype(np.uint8)
        _rank_categories(dense, kinds, ranks, levels)
        return cls(ranks, levels, kinds, dense)

    @classmethod
    def of_numbers(cls, X: Matrix, categorical: Array | None = None) -> RankedColumns:
        """The columns of a matrix for random thresholds: numeric ones are not sorted."""
        dense = as_dense(X)
        levels = [np.zeros(0)] * dense.shape[1]
        if categorical is None or not categorical.any():
            return cls(None, levels, np.zeros(dense.shape[1], dtype=np.uint8), dense)
        ranks = np.zeros(dense.shape[::-1], dtype=np.uint32)
        kinds = categorical.astype(np.uint8)
        _rank_categories(dense, kinds, ranks, levels)
        return cls(ranks, levels, kinds, dense)

    @classmethod
    def in_bins(cls, X: Matrix, max_bins: int, weight: Array, categorical: Array | None = None) -> RankedColumns:
        """The columns in at most `max_bins` bins of equal weight each; every category has its own bin."""
        dense = as_dense(X)
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        equal = bool((weight[rows] == weight[rows[0]]).all())
        categories = [0] * dense.shape[1]
        for j in [] if categorical is None else np.flatnonzero(categorical):
            known = dense[:, j][~np.isnan(dense[:, j])]
            categories[j] = int(known.max()) + 1 if len(known) else 1
        bins = Bins.of(dense, rows, None if equal else weight, max_bins, categories, seed=0)
        levels = [
            np.arange(count, dtype=np.float64) if count else np.concatenate([[-np.inf], edges])
            for count, edges in zip(categories, bins.edges, strict=True)
        ]
        return cls(bins.by_column(dense), levels, bins.categorical, dense, binned=True)

    @cached_property
    def by_column(self) -> Array:
        """The values with a row for each column, as ranks have."""
        return np.ascontiguousarray(self.numbers.T)

    @cached_property
    def cells(self) -> tuple[Array, Array | None, Array]:
        """The values by column, by row if they are stored so, and which columns are numeric without missing values."""
        by_row = self.numbers if self.numbers.flags.c_contiguous else None
        no_missing = ~np.isnan(self.by_column.max(axis=1)) & (self.categorical == 0)
        return self.by_column, by_row, no_missing.astype(np.uint8)


def _rank_categories(numbers: Array, kinds: Array, ranks: Array, levels: list[Array]) -> None:
    """Replace the ranks of categorical columns by the codes of the categories; missing values come after the last."""
    for j in np.flatnonzero(kinds):
        column = numbers[:, j]
        missing = np.isnan(column)
        size = 0 if missing.all() else int(column[~missing].max()) + 1
        levels[j] = np.arange(size, dtype=np.float64)
        ranks[j] = np.where(missing, size, column).astype(np.uint32)


@dataclass(frozen=True)
class SplitSearch:
    """Which splits are candidates at a node.

    `tree_features` columns are drawn for each tree, `max_features` of these are tried at each node (zero for all), and
    the split column is drawn among the `top_features` best. Each column has its best threshold or a random one.
    """

    max_features: int = 0
    tree_features: int = 0
    top_features: int = 1
    random_thresholds: bool = False
    monotonic_cst: list[int] = field(default_factory=list)


@registry.value
@dataclass(frozen=True)
class Draws:
    """Bootstrap samples: for each tree, `number` of all `rows` are drawn with replacement, by their index in `order`.

    With `cumulative` sums of weights, a row is drawn in proportion to its weight. With `label`, which holds `classes`
    codes over all targets, the classes of each sample are weighted to equal totals.
    """

    rows: int
    number: int
    order: Array
    cumulative: Array | None = None
    label: Array | None = None
    classes: int = 0

    def flaw(self) -> str:
        """The defect of draws read from a file; empty if they are valid."""
        length = len(self.order)
        if self.order.dtype != np.uint32 or self.order.ndim != 1 or not 0 < length <= self.rows:
            return "order must hold integers, one for each row of positive weight"
        if (self.order >= self.rows).any() or not 0 < self.number <= MAX_INT64:
            return "order must hold rows of the training set, and at least one must be drawn"
        if self.cumulative is not None and flaw_of_arrays(vars(self), {"cumulative": np.float64}, length):
            return "cumulative must hold a sum for each row of positive weight"
        if self.cumulative is None:
            return self._flaw_of_labels()
        increasing = (
            (np.diff(self.cumulative) >= 0).all() and self.cumulative[0] >= 0 and 0 < self.cumulative[-1] < np.inf
        )
        return self._flaw_of_labels() if increasing else "cumulative must increase to a finite sum"

    def _flaw_of_labels(self) -> str:
        label, classes = self.label, self.classes
        if label is None:
            return "" if classes == 0 else "classes need labels"
        if label.dtype != np.int32 or label.ndim != 2 or len(label) != self.rows or classes < 1:
            return "label must hold a class code for each row and target"
        return "" if ((label >= 0) & (label < classes)).all() else "a label is out of range"

    def counts(self, seeds: Array) -> Array:
        """How often each row is drawn, a row of counts for each seed."""
        found = np.zeros((len(seeds), self.rows))
        kernels.bootstrap_counts(seeds, self.numbers(), found)
        return found

    def numbers(self) -> tuple[Any, ...]:
        """The arguments of the kernels that draw."""
        return self.number, self.order, self.cumulative, self.label, self.classes


@dataclass(frozen=True)
class Sampling:
    """The rows that trees are grown on, those of positive weight, and a seed for each tree.

    With `draws` each tree is grown on a bootstrap sample of its own, whose total weight is one; limits of weight and
    gain are relative to that.
    """

    rows: Array
    weight: Array
    seeds: Array
    draws: Draws | None = None

    @classmethod
    def of(cls, weight: Array, seeds: Array, draws: Draws | None = None) -> Sampling:
        """The sampling of all rows with positive weight."""
        return cls(np.flatnonzero(weight > 0).astype(np.uint32), weight, seeds, draws)

    def for_seeds(self, seeds: Array) -> Sampling:
        """The same for other trees."""
        return replace(self, seeds=seeds)

    @property
    def row_weights(self) -> Array:
        """The weight of each row, zero for rows that are not used."""
        weight = np.zeros(len(self.weight))
        weight[self.rows] = self.weight[self.rows]
        return weight


class Target(Protocol):
    """What trees are fitted to: class codes or numbers, with an impurity."""

    def row_gains(self) -> Array:
        """The gain of each row as a node of its own; one number if it is the same for all."""

    def grow(self, training: Any, constrained: bool) -> Forest:
        """Trees of these targets by the compiled builder."""


def grow(
    target: Target, columns: RankedColumns, sampling: Sampling, limits: TreeLimits, search: SplitSearch | None = None
) -> Forest:
    """A forest with a tree for each seed of the sampling."""
    search = SplitSearch() if search is None else search
    rules = {
        "max_depth": MAX_INT64 if limits.max_depth is None else limits.max_depth,
        "max_leaves": limits.max_leaf_nodes or 0,
        "min_samples_split": int(limits.min_samples_split),
        "min_samples_leaf": int(limits.min_samples_leaf),
        "min_leaf_weight": limits.min_weight_leaf,
        "min_gain": limits.min_gain,
        "candidates": search.max_features,
        "random_thresholds": search.random_thresholds,
        "seed": 0,  # each tree has its own
        "direction": search.monotonic_cst,
        "tree_columns": search.tree_features,
        "top": search.top_features,
    }
    training = kernels.TreeBuilder(
        columns.ranks,
        columns.levels,
        columns.categorical,
        columns.binned,
        columns.cells if search.random_thresholds else None,
        sampling.row_weights,
        target.row_gains(),
        rules,
        sampling.seeds,
        None if sampling.draws is None else sampling.draws.numbers(),
    )
    return target.grow(training, bool(search.monotonic_cst))


def clip_to_bounds(value: Array, found: Mapping[str, Array]) -> Array:
    """Node values clipped to the bounds that monotonic constraints set."""
    return np.clip(value, found["low"][:, None], found["high"][:, None]) if len(found["low"]) else value


def forest_from_arrays(found: Mapping[str, Array], impurity: Array, weight: Array, value: Array) -> Forest:
    """A forest of grown trees with these node values."""
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
