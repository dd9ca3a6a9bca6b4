"""A fitted multiway decision tree as arrays, and the paths of rows through it."""

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
class Paths:
    """Visits of nodes by rows: the fraction of the row that came there, and whether its path ended there."""

    row: Array
    node: Array
    fraction: Array
    ended: Array


@registry.value
@dataclass(frozen=True)
class BranchingTree(ColumnNodes):
    """A multiway tree as arrays with an entry for each node; a feature of -2 marks a leaf.

    The branches of a node are the entries of `child` and `share` from `start[node]` to `start[node + 1]`. A threshold
    has two branches, at most and above it; if it is NaN, branch c is that of category c, and a child of -1 marks a
    category without training rows. `share` is the fraction of the training rows that took a branch.
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
        """Which nodes have no split."""
        return self.feature < 0

    def flaw(self) -> str:
        """The defect of a tree read from a file; empty if it is valid."""
        count = len(self.feature)
        flat = all(part.ndim == 1 for part in (self.feature, self.threshold, self.child))
        if not flat or len(self.threshold) != count or len(self.value) != count or len(self.start) != count + 1:
            return "every node needs a threshold, branches and values"
        if flaw := flaw_of_ranges(self.start, len(self.child)):
            return flaw
        if self.child.dtype.kind != "i" or self.feature.dtype.kind != "i" or self.share.shape != self.child.shape:
            return "every branch needs a child and a fraction, and every node a column"
        branches, there = np.diff(self.start), self.child[self.child >= 0]
        if (
            not np.array_equal(branches == 0, self.is_leaf)
            or (branches[~np.isnan(self.threshold) & ~self.is_leaf] != 2).any()
        ):
            return "a node has too many branches or too few"
        numeric = np.repeat(~np.isnan(self.threshold) & ~self.is_leaf, branches)
        if (there < 1).any() or (there >= count).any() or (self.child[numeric] < 0).any():
            return "a child is outside its tree"
        if self.value.ndim < 2 or 0 in self.value.shape or self.value.dtype.kind != "f" or self.share.dtype.kind != "f":
            return "every node needs a table of values, and every branch a fraction"
        owner = np.repeat(np.arange(count), branches)[self.child >= 0]
        return flaw_of_walk(owner, there.astype(np.int64), count) or flaw_of_statistics(vars(self), count)

    def parents(self) -> Array:
        """The parent of each node, -1 for the root."""
        parent = np.full(self.node_count, -1, dtype=np.int64)
        owner = np.repeat(np.arange(self.node_count), np.diff(self.start))
        there = self.child >= 0
        parent[self.child[there]] = owner[there]
        return parent

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The children of a node, each with the condition that leads to it."""
        first, last = int(self.start[node]), int(self.start[node + 1])
        column, cut = int(self.feature[node]), float(self.threshold[node])
        children = self.child[first:last].tolist()
        if not np.isnan(cut) and children:
            return [(children[0], Range(column, high=cut)), (children[1], Range(column, low=cut))]
        return [(child, OneOf(column, frozenset([code]))) for code, child in enumerate(children) if child >= 0]

    def paths(self, X: Array, spread: bool) -> Paths:
        """The paths of rows; at a missing value a row takes all branches in fractions if `spread`, or ends there."""
        row, node, fraction = np.arange(len(X)), np.zeros(len(X), dtype=np.int64), np.ones(len(X))
        found: list[tuple[Array, ...]] = []
        while len(row):
            edge = choose_branches(self.feature, self.threshold, self.start, X, row, node)
            edge = np.where((edge >= self.start[node]) & (edge < self.start[node + 1]), edge, -1)
            missing = (edge < 0) & ~self.is_leaf[node]
            onward = np.where(edge >= 0, self.child[edge], -1) if len(self.child) else edge
            split = missing if spread else np.zeros(len(row), dtype=bool)
            found.append((row, node, fraction, (onward < 0) & ~split))
            moving = onward >= 0
            more = self._take_all_branches(row[split], node[split], fraction[split])
            row = np.concatenate([row[moving], more[0]])
            node, fraction = np.concatenate([onward[moving], more[1]]), np.concatenate([fraction[moving], more[2]])
        return Paths(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _take_all_branches(self, row: Array, node: Array, fraction: Array) -> tuple[Array, Array, Array]:
        """Each row once for each branch of its node, with the fraction of the branch."""
        item, edge = expand_branches(self.start[node], self.start[node + 1])
        there = self.child[edge] >= 0
        item, edge = item[there], edge[there]
        return row[item], self.child[edge], fraction[item] * self.share[edge]

    def predict(self, X: Array, spread: bool = True) -> Array:
        """The value of the leaf of each row; the mean over its leaves by its fractions if it ends in several."""
        paths = self.paths(X, spread)
        row, node, fraction = paths.row[paths.ended], paths.node[paths.ended], paths.fraction[paths.ended]
        shape = self.value.shape[1:]
        if len(row) == len(X):
            found = np.empty((len(X), *shape))
            found[row] = self.value[node]
            return found
        flat = self.value.reshape(self.node_count, -1)[node] * fraction[:, None]
        return np.column_stack([np.bincount(row, part, len(X)) for part in flat.T]).reshape(len(X), *shape)

    def decision_path(self, X: Array, spread: bool = True) -> Any:
        """A sparse matrix with the fraction of each row that reaches each node."""
        from scipy import sparse

        paths = self.paths(X, spread)
        return sparse.csr_matrix((paths.fraction, (paths.row, paths.node)), shape=(len(X), self.node_count))

    def pruned(self, keep: Array) -> BranchingTree:
        """The tree without the nodes outside `keep`, whose parents become leaves; the order of nodes stays."""
        parent = self.parents()
        inner = np.zeros(self.node_count, dtype=bool)
        inner[parent[1:][keep[1:]]] = True
        new_index = np.append(np.cumsum(keep) - 1, -1)
        counts = np.where(inner, np.diff(self.start), 0)
        edges = np.repeat(inner & keep, np.diff(self.start))
        return BranchingTree(
            np.where(inner, self.feature, -2)[keep],
            np.where(inner, self.threshold, np.nan)[keep],
            np.concatenate([[0], np.cumsum(counts[keep])]).astype(np.int64),
            new_index[self.child[edges]],
            self.share[edges],
            self.impurity[keep],
            self.n_node_samples[keep],
            self.weighted_n_node_samples[keep],
            self.value[keep],
        )


def choose_branches(feature: Array, threshold: Array, first: Array, X: Array, row: Array, node: Array) -> Array:
    """The branch that each row takes at its node, counted from `first[node]`; -1 for missing values and in leaves."""
    column, cut = feature[node], threshold[node]
    entry = X[row, np.maximum(column, 0)]
    none = np.isnan(entry) | (column < 0)
    branch = np.where(np.isnan(cut), np.where(none, 0.0, entry), entry > cut).astype(np.int64)
    return np.where(none, -1, first[node] + branch)


def expand_branches(first: Array, last: Array) -> tuple[Array, Array]:
    """All branches of some nodes, from `first` up to `last` each: the index into the nodes, and the branch.

    >>> expand_branches(np.array([4, 0]), np.array([6, 1]))
    (array([0, 0, 1]), array([4, 5, 0]))
    """
    count = last - first
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(np.arange(len(count)), count), np.repeat(first, count) + offset
