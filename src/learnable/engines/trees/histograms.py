"""Binned columns, and trees grown from histograms of gradients and Hessians over the bins.

A tree lowers the sum over its rows of g v + h v^2 / 2, plus l1 |v| + l2 v^2 / 2 for each leaf, where v is the value of
the leaf of a row and g and h are the gradient and Hessian of its loss: a leaf with sums G and H takes -G / (H + l2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.runtime.random import generator
from ...core.validate.features import Array, Matrix
from .growth_limits import NO_LIMITS, TreeLimits
from .tree import Tree

MAX_SAMPLED = 200_000  # rows from which the edges of bins are computed
EDGES = 1  # key of the draw of these rows


@dataclass(frozen=True)
class Bins:
    """Upper edges of the bins of each column; a categorical column has a bin for each of its `values`."""

    edges: list[Array]
    values: list[int]
    categorical: Array

    @classmethod
    def of(cls, X: Matrix, rows: Array, weight: Array | None, max_bins: int, categories: list[int], seed: int) -> Bins:
        """At most `max_bins` bins of equal weight for each column; `categories` are the numbers of categories, or zero.

        Columns with few distinct values have a bin for each, as have all if `max_bins` is zero; else the edges are
        computed from a sample of very many rows. A sparse matrix must have compressed columns.
        """
        if max_bins == 0:
            max_bins = len(rows) + 1
        elif len(rows) > MAX_SAMPLED:
            rows = np.sort(generator(seed, EDGES).choice(rows, MAX_SAMPLED, replace=False, shuffle=False))
        edges = kernels.bin_edges(X, rows, weight, max_bins)
        edges = [np.empty(0) if count else found for found, count in zip(edges, categories, strict=True)]
        values = [count or len(found) + 1 for found, count in zip(edges, categories, strict=True)]
        return cls(edges, values, np.array([count > 0 for count in categories], dtype=np.uint8))

    def table(self, X: Matrix, bundles: list[list[int]] | None = None) -> Any:
        """The binned matrix; the columns of a bundle are stored as one."""
        layout, stored = self._layout(bundles or [])
        return kernels.BinnedTable(X, self.edges, self.categorical, self.values, layout, stored)

    def by_column(self, X: Matrix) -> Array:
        """The bin indices of a matrix with a row for each column, in bytes if there are few bins."""
        kind = np.uint8 if max(self.values) <= np.iinfo(np.uint8).max else np.uint32
        found = np.empty((len(self.values), X.shape[0]), dtype=kind)
        kernels.bin_columns(X, self.edges, self.categorical, self.values, found)
        return found

    def _layout(self, bundles: list[list[int]]) -> tuple[Array, list[int]]:
        """The stored column, first bin and default bin of each column, and the number of bins of each stored column."""
        layout = np.full((len(self.values), 3), -1, dtype=np.int64)
        stored: list[int] = []
        for bundle in bundles:
            size = 1
            for j in bundle:
                layout[j] = len(stored), size, self._bin_of_zero(j)
                size += self.values[j]
            stored.append(size)
        for j in np.flatnonzero(layout[:, 0] < 0).tolist():
            layout[j] = len(stored), 0, -1
            stored.append(self.values[j] + 1)
        return layout, stored

    def _bin_of_zero(self, j: int) -> int:
        """The bin of zero, which holds most entries of a sparse column."""
        return int(np.searchsorted(self.edges[j], 0.0)) if not self.categorical[j] else 0


@dataclass(frozen=True)
class HistogramConfig:
    """Growth of histogram trees: stopping rules, penalties on leaves, sampling of columns, and constraints.

    `prune_gain` prunes splits of at most this gain after growth. `max_delta_step` of zero sets no limit. Only columns
    that are together in one of the `interaction_groups` may be on a path from the root.
    """

    limits: TreeLimits = NO_LIMITS
    by_level: bool = False
    prune_gain: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    max_delta_step: float = 0.0
    category_smoothing: float = 10.0
    tree_fraction: float = 1.0
    level_fraction: float = 1.0
    node_fraction: float = 1.0
    monotonic_cst: list[int] = field(default_factory=list)
    interaction_groups: list[list[int]] = field(default_factory=list)

    @property
    def random(self) -> bool:
        """Whether columns are drawn."""
        return min(self.tree_fraction, self.level_fraction, self.node_fraction) < 1


def histogram_grower(table: Any, config: HistogramConfig, float32: bool) -> Any:
    """The compiled grower of trees over a binned table; from float32 gradients if requested and if bins are bytes."""
    limits = config.limits
    rules = {
        "max_depth": limits.max_depth or 0,
        "max_leaves": limits.max_leaf_nodes or 0,
        "by_level": config.by_level,
        "min_samples_leaf": float(limits.min_samples_leaf),
        "min_hessian": limits.min_weight_leaf,
        "min_gain": limits.min_gain,
        "prune_gain": config.prune_gain,
        "l1": config.l1,
        "l2": config.l2,
        "max_delta_step": config.max_delta_step,
        "category_smoothing": config.category_smoothing,
        "tree_fraction": config.tree_fraction,
        "level_fraction": config.level_fraction,
        "node_fraction": config.node_fraction,
        "direction": config.monotonic_cst,
        "groups": config.interaction_groups,
    }
    return kernels.HistogramTreeBuilder(table, rules, float32)


def tree_from_arrays(found: dict[str, Array], value: Array, l2: float) -> Tree:
    """A grown tree with these leaf values; the impurity is the second-order loss per row at the best values."""
    weight = found["weight"]
    hessian = found["curvature"] + l2
    loss = -(found["gradient"] ** 2) / np.where(hessian > 0, 2 * hessian, np.inf)
    impurity = loss / np.where(weight > 0, weight, 1.0)
    return Tree(
        found["left"],
        found["right"],
        found["feature"],
        found["threshold"],
        found["missing_left"],
        found["set_start"],
        found["set_words"],
        impurity,
        found["rows"],
        weight,
        value[:, None, None],
    )
