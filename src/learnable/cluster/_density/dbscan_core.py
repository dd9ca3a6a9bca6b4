"""Core samples, and clusters of core samples that are neighbours: the computation behind DBSCAN."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core import Array, Matrix
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.scaling import unit_of
from ...engines.neighbours import BLOCK, RowComparison, TreeSearch

NeighbourPairs = Iterator[tuple[Array, Array]]
"""Pairs of rows and their neighbours within the radius, themselves included; the pairs of one row come together."""


class DensityClusters(NamedTuple):
    """Mask of the core samples, and the cluster of each core sample or border point; -1 for noise."""

    core: Array
    labels: Array


@dataclass(frozen=True)
class CoreRule:
    """Core samples: rows with a total weight of at least `least` within `radius`."""

    radius: float
    least: float
    weight: Array | None

    def clusters(self, X: Matrix, how: RowComparison) -> DensityClusters:
        """The clusters of rows by a distance."""
        if how.power is None and how.ball is None:
            return self.clusters_of_pairs(lambda: near_in_table(X, X, how, self.radius), X.shape[0])
        core, labels = np.empty(X.shape[0], dtype=np.uint8), np.empty(X.shape[0], dtype=np.int64)
        if X.shape[1] == 2 and how.power is not None and self._by_grid(how.rows(X), how.power, core, labels):
            return DensityClusters(core.view(bool), labels)
        search = TreeSearch(X, how)
        reach = self.radius * search.unit
        kernels.dbscan_tree(
            search.tree.parts, search.table.shape[1], *search.kind, reach, self.weight, self.least, core, labels
        )
        return DensityClusters(core.view(bool), labels)

    def _by_grid(self, table: Array, power: float, core: Array, labels: Array) -> bool:
        """Write the clusters of points in two dimensions by a grid; False where a tree is faster."""
        unit = unit_of(table)
        return kernels.dbscan_grid(table * unit, power, self.radius * unit, self.weight, self.least, core, labels)

    def clusters_of_pairs(self, near: Callable[[], NeighbourPairs], rows: int) -> DensityClusters:
        """The clusters by neighbour pairs, which are iterated three times."""
        weights = np.ones(rows) if self.weight is None else self.weight
        found, first = np.zeros(rows), np.arange(rows)
        for left, right in near():
            found += np.bincount(left, weights[right], rows)
        core = (found >= self.least) & (weights > 0)
        for left, right in near():
            both = core[left] & core[right]
            first = _merge_sets(first, left[both], right[both])
        labels = np.full(rows, -1)
        labels[core] = np.unique(first[core], return_inverse=True)[1]
        lowest = np.where(core, labels, rows)
        beside = np.full(rows, rows)
        for left, right in near():
            np.minimum.at(beside, left, lowest[right])
        return DensityClusters(core, np.where(core, labels, np.where(beside < rows, beside, -1)))


def _merge_sets(first: Array, left: Array, right: Array) -> Array:
    """The first row of the set that contains each row, after sets have been joined by edges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = np.arange(len(first))
    ends = np.append(left, rows), np.append(right, first)
    component = connected_components(coo_array((np.ones(len(ends[0])), ends), shape=(len(rows), len(rows))))[1]
    _, lowest = np.unique(component, return_index=True)
    return np.asarray(lowest[component])


def near_in_table(Q: Matrix, X: Matrix, how: RowComparison, radius: float) -> NeighbourPairs:
    """Pairs of rows within a radius by a distance matrix, block by block."""
    step = max(1, BLOCK // X.shape[0])
    for start in range(0, Q.shape[0], step):
        give_way()
        assert how.table is not None
        left, right = np.nonzero(np.asarray(how.table(Q[start : start + step], X)) <= radius)
        yield left + start, right


def near_in_graph(graph: Matrix, radius: float) -> NeighbourPairs:
    """Pairs of rows with an edge that is not longer than a radius; every row is its own neighbour."""
    rows = np.arange(graph.shape[0])
    left = np.repeat(rows, np.diff(graph.indptr))
    near = (graph.data <= radius) & (left != graph.indices)
    yield np.append(rows, left[near]), np.append(rows, graph.indices[near])


def lowest_near(Q: Matrix, core: Matrix, labels: Array, how: RowComparison, radius: float) -> Array:
    """The lowest label of the core samples within a radius of each row of `Q`; -1 where there is none."""
    if how.power is None and how.ball is None:
        return lowest_of(near_in_table(Q, core, how, radius), labels, Q.shape[0])
    search, out = TreeSearch(core, how), np.empty(Q.shape[0], dtype=np.int64)
    queries = search.comparison.rows(Q) * search.unit
    kernels.lowest_label_within(search.tree.parts, queries, *search.kind, radius * search.unit, labels, out)
    return out


def lowest_of(near: NeighbourPairs, labels: Array, rows: int) -> Array:
    """The lowest label of the neighbours of each row, by pairs; -1 where there is none."""
    none = len(labels)
    found = np.full(rows, none)
    for left, right in near:
        np.minimum.at(found, left, labels[right])
    return np.where(found < none, found, -1)
