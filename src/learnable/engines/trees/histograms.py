"""Columns as bins, and trees that grow from histograms of gradients and curvatures over them.

A tree lowers the sum over its rows of g v + h v^2 / 2, plus l1 |v| + l2 v^2 / 2 for each leaf, where v is the value of
the leaf of a row and g and h are the gradient and curvature of its loss: a leaf with sums G and H takes -G / (H + l2).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.runtime.random import generator
from ...core.validate.features import Array, Matrix
from .tree import Tree

MOST_SAMPLED = 200_000  # rows whose numbers say where bins end
EDGES = 1  # key of the draw of the rows that edges are found from


@dataclass(frozen=True)
class Bins:
    """Where the bins of each column end; a column of categories has one for each of its `values`."""

    edges: list[Array]
    values: list[int]
    categorical: Array

    @classmethod
    def of(cls, X: Matrix, rows: Array, weight: Array | None, most: int, categories: list[int], seed: int) -> Bins:
        """At most so many bins of equal weight for each column; `categories` says how many it has, zero if none.

        Numbers that are no more than there may be bins each have their own, as have all if `most` is zero; else only
        some of very many rows are looked at. A sparse matrix must have compressed columns, which are read one by one.
        """
        if most == 0:
            most = len(rows) + 1
        elif len(rows) > MOST_SAMPLED:
            rows = np.sort(generator(seed, EDGES).choice(rows, MOST_SAMPLED, replace=False, shuffle=False))
        edges = kernels.bin_edges(X, rows, weight, most)
        edges = [np.empty(0) if count else found for found, count in zip(edges, categories, strict=True)]
        values = [count or len(found) + 1 for found, count in zip(edges, categories, strict=True)]
        return cls(edges, values, np.array([count > 0 for count in categories], dtype=np.uint8))

    def table(self, X: Matrix, bundles: list[list[int]] | None = None) -> Any:
        """The bins of a matrix; columns of a bundle are stored as one, as they rarely have something to say at once."""
        places, stored = self._places(bundles or [])
        return kernels.BinnedTable(X, self.edges, self.categorical, self.values, places, stored)

    def by_column(self, X: Matrix) -> Array:
        """The bins of a matrix with a row for each column, in bytes where there are few enough."""
        kind = np.uint8 if max(self.values) <= np.iinfo(np.uint8).max else np.uint32
        found = np.empty((len(self.values), X.shape[0]), dtype=kind)
        kernels.bin_columns(X, self.edges, self.categorical, self.values, found)
        return found

    def _places(self, bundles: list[list[int]]) -> tuple[Array, list[int]]:
        """The stored column, first bin and fallback of each column, and how many bins each stored column has."""
        places = np.full((len(self.values), 3), -1, dtype=np.int64)
        stored: list[int] = []
        for bundle in bundles:
            size = 1
            for j in bundle:
                places[j] = len(stored), size, self.fallback(j)
                size += self.values[j]
            stored.append(size)
        for j in np.flatnonzero(places[:, 0] < 0).tolist():
            places[j] = len(stored), 0, -1
            stored.append(self.values[j] + 1)
        return places, stored

    def fallback(self, j: int) -> int:
        """The bin of zero, in which most entries of a sparse column are."""
        return int(np.searchsorted(self.edges[j], 0.0)) if not self.categorical[j] else 0


@dataclass(frozen=True)
class HistogramConfig:
    """Where trees end, how leaves are penalised, and which columns are looked at; limits of zero are none.

    `direction` says for each column whether values may only rise (1) or fall (-1) with it; only columns that are
    together in one of `groups` may meet on a way from the root. `prune_gain` takes back divisions that gain no more.
    """

    max_depth: int = 0
    max_leaves: int = 0
    by_level: bool = False
    min_samples_leaf: float = 1.0
    min_hessian: float = 0.0
    min_gain: float = 0.0
    prune_gain: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    max_delta_step: float = 0.0
    category_smoothing: float = 10.0
    tree_fraction: float = 1.0
    level_fraction: float = 1.0
    node_fraction: float = 1.0
    direction: list[int] = field(default_factory=list)
    groups: list[list[int]] = field(default_factory=list)

    @property
    def draws(self) -> bool:
        """Whether columns are drawn."""
        return min(self.tree_fraction, self.level_fraction, self.node_fraction) < 1


def grower(table: Any, rules: HistogramConfig, narrow: bool) -> Any:
    """What grows trees of a binned table: from slopes in single precision if asked to and if its bins are bytes."""
    return kernels.HistogramTreeBuilder(table, asdict(rules), narrow)


def tree_from_arrays(found: dict[str, Array], value: Array, l2: float) -> Tree:
    """A grown tree with these values; its impurity is the second-order loss that the best values leave, per row."""
    weight = found["weight"]
    spread = found["curvature"] + l2
    left = -(found["gradient"] ** 2) / np.where(spread > 0, 2 * spread, np.inf)
    impurity = left / np.where(weight > 0, weight, 1.0)
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
