"""Trees whose nodes may have many branches, as arrays, and the ways of rows through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.declare import registry
from ...core.validate.features import Array
from .nodes import ColumnNodes
from .split_conditions import Condition, OneOf, Range
from .tree_checks import flaw_of_ranges, flaw_of_statistics, flaw_of_walk


@dataclass(frozen=True)
class Ways:
    """Which rows came to which nodes, with which share of themselves, and where they ended."""

    row: Array
    node: Array
    share: Array
    ended: Array


@registry.value
@dataclass(frozen=True)
class BranchingTree(ColumnNodes):
    """A tree of any number of branches as arrays with an entry for each node; a feature of -2 marks a leaf.

    The branches of a node are the entries of `child` and `share` from `start[node]` to `start[node + 1]`. Where there
    is a threshold they are two, at most and above it; where it is NaN, branch c is that of category c, and a child of
    -1 says that no row had it. `share` is the part of the rows that took a branch.
    """

    feature: Array
    threshold: Array
    start: Array
    child: Array
    share: Array
    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    value: Array

    @property
    def is_leaf(self) -> Array:
        """Which nodes divide by no column."""
        return self.feature < 0

    def flaw(self) -> str:
        """What is wrong with a tree that came from a file; empty if nothing is."""
        count = len(self.feature)
        flat = all(part.ndim == 1 for part in (self.feature, self.threshold, self.child))
        if not flat or len(self.threshold) != count or len(self.value) != count or len(self.start) != count + 1:
            return "every node needs a threshold, branches and values"
        if flaw := flaw_of_ranges(self.start, len(self.child)):
            return flaw
        if self.child.dtype.kind != "i" or self.feature.dtype.kind != "i" or self.share.shape != self.child.shape:
            return "every branch needs a child and a share, and every node a column"
        branches, there = np.diff(self.start), self.child[self.child >= 0]
        if (
            not np.array_equal(branches == 0, self.is_leaf)
            or (branches[~np.isnan(self.threshold) & ~self.is_leaf] != 2).any()
        ):
            return "a node has too many branches or too few"
        if (there < 1).any() or (there >= count).any():
            return "a child is outside its tree"
        if self.value.ndim < 2 or 0 in self.value.shape or self.value.dtype.kind != "f" or self.share.dtype.kind != "f":
            return "every node needs a table of values, and every branch a share"
        owner = np.repeat(np.arange(count), branches)[self.child >= 0]
        return flaw_of_walk(owner, there.astype(np.int64), count) or flaw_of_statistics(vars(self), count)

    def parents(self) -> Array:
        """The node above each, -1 for the first."""
        above = np.full(self.node_count, -1, dtype=np.int64)
        owner = np.repeat(np.arange(self.node_count), np.diff(self.start))
        there = self.child >= 0
        above[self.child[there]] = owner[there]
        return above

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The nodes below one, and what leads to each."""
        first, last = int(self.start[node]), int(self.start[node + 1])
        column, cut = int(self.feature[node]), float(self.threshold[node])
        children = self.child[first:last].tolist()
        if not np.isnan(cut) and children:
            return [(children[0], Range(column, high=cut)), (children[1], Range(column, low=cut))]
        return [(child, OneOf(column, frozenset([code]))) for code, child in enumerate(children) if child >= 0]

    def ways(self, X: Array, spread: bool) -> Ways:
        """The ways of rows; where an entry is missing, a row goes all ways in parts if `spread`, else it ends there."""
        row, node, share = np.arange(len(X)), np.zeros(len(X), dtype=np.int64), np.ones(len(X))
        found: list[tuple[Array, ...]] = []
        while len(row):
            edge = edge_taken(self.feature, self.threshold, self.start, X, row, node)
            edge = np.where((edge >= self.start[node]) & (edge < self.start[node + 1]), edge, -1)  # of this node alone
            gap = (edge < 0) & ~self.is_leaf[node]
            onward = np.where(edge >= 0, self.child[edge], -1) if len(self.child) else edge
            parted = gap if spread else np.zeros(len(row), dtype=bool)
            found.append((row, node, share, (onward < 0) & ~parted))
            going = onward >= 0
            more = self._parted(row[parted], node[parted], share[parted])
            row = np.concatenate([row[going], more[0]])
            node, share = np.concatenate([onward[going], more[1]]), np.concatenate([share[going], more[2]])
        return Ways(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _parted(self, row: Array, node: Array, share: Array) -> tuple[Array, Array, Array]:
        """Rows once for each branch of their node, with its share."""
        item, edge = every_branch(self.start[node], self.start[node + 1])
        there = self.child[edge] >= 0
        item, edge = item[there], edge[there]
        return row[item], self.child[edge], share[item] * self.share[edge]

    def predict(self, X: Array, spread: bool = True) -> Array:
        """The values of the ends of each row, in the parts with which it came there."""
        ways = self.ways(X, spread)
        row, node, share = ways.row[ways.ended], ways.node[ways.ended], ways.share[ways.ended]
        shape = self.value.shape[1:]
        if len(row) == len(X):
            found = np.empty((len(X), *shape))
            found[row] = self.value[node]
            return found
        flat = self.value.reshape(self.node_count, -1)[node] * share[:, None]
        return np.column_stack([np.bincount(row, part, len(X)) for part in flat.T]).reshape(len(X), *shape)

    def decision_path(self, X: Array, spread: bool = True) -> Any:
        """A sparse matrix with the share of each row that comes to each node."""
        from scipy import sparse

        ways = self.ways(X, spread)
        return sparse.csr_matrix((ways.share, (ways.row, ways.node)), shape=(len(X), self.node_count))

    def pruned(self, keep: Array) -> BranchingTree:
        """The tree in which nodes without `keep` are gone and those above them leaves, in the same order."""
        above = self.parents()
        inner = np.zeros(self.node_count, dtype=bool)
        inner[above[1:][keep[1:]]] = True
        place = np.append(np.cumsum(keep) - 1, -1)
        counts = np.where(inner, np.diff(self.start), 0)
        edges = np.repeat(inner & keep, np.diff(self.start))
        return BranchingTree(
            np.where(inner, self.feature, -2)[keep],
            np.where(inner, self.threshold, np.nan)[keep],
            np.concatenate([[0], np.cumsum(counts[keep])]).astype(np.int64),
            place[self.child[edges]],
            self.share[edges],
            self.impurity[keep],
            self.n_node_samples[keep],
            self.weighted_n_node_samples[keep],
            self.value[keep],
        )


def edge_taken(feature: Array, threshold: Array, first: Array, X: Array, row: Array, node: Array) -> Array:
    """The branch that each row takes at its node, of those from `first[node]` on; -1 for what is missing, in leaves."""
    column, cut = feature[node], threshold[node]
    entry = X[row, np.maximum(column, 0)]
    gone = np.isnan(entry) | (column < 0)
    branch = np.where(np.isnan(cut), np.where(gone, 0.0, entry), entry > cut).astype(np.int64)
    return np.where(gone, -1, first[node] + branch)


def every_branch(first: Array, last: Array) -> tuple[Array, Array]:
    """All branches of some nodes, from `first` up to `last` each: the place of the node, and the branch.

    >>> every_branch(np.array([4, 0]), np.array([6, 1]))
    (array([0, 0, 1]), array([4, 5, 0]))
    """
    count = last - first
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(np.arange(len(count)), count), np.repeat(first, count) + offset
