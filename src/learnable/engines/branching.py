"""Trees whose nodes may have many branches, as arrays, and the ways of rows through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import registry
from ..core.data import Array
from .conditions import Condition, OneOf, Range


@dataclass(frozen=True)
class Ways:
    """Which rows came to which nodes, with which share of themselves, and where they ended."""

    row: Array
    node: Array
    share: Array
    ended: Array


@registry.value
@dataclass(frozen=True)
class BranchingTree:
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
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """How many of them are leaves."""
        return int((self.feature < 0).sum())

    @property
    def max_depth(self) -> int:
        """How many divisions a row passes at most."""
        depth, above = np.zeros(self.node_count, dtype=np.int64), self.parents()
        for node in range(1, self.node_count):  # children come after their parents
            depth[node] = depth[above[node]] + 1
        return int(depth.max())

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

    def compute_feature_importances(self, columns: int, normalize: bool = True) -> Array:
        """How much impurity the divisions by each column remove; shares of all, if `normalize`."""
        loss, above = self.weighted_n_node_samples * self.impurity, self.parents()
        removed = np.where(self.feature >= 0, loss, 0.0)
        np.subtract.at(removed, above[1:], loss[1:])
        inner = self.feature >= 0
        found = np.bincount(self.feature[inner], removed[inner], columns) / self.weighted_n_node_samples[0]
        total = found.sum()
        return found / total if normalize and total > 0 else np.asarray(found)

    def ways(self, X: Array, spread: bool) -> Ways:
        """The ways of rows; where an entry is missing, a row goes all ways in parts if `spread`, else it ends there."""
        row, node, share = np.arange(len(X)), np.zeros(len(X), dtype=np.int64), np.ones(len(X))
        found: list[tuple[Array, ...]] = []
        while len(row):
            branch = self._branch(X, row, node)
            gap = (branch == -1) & (self.feature[node] >= 0)
            onward = np.full(len(row), -1, dtype=np.int64)
            known = branch >= 0
            onward[known] = self.child[self.start[node[known]] + branch[known]]
            parted = gap if spread else np.zeros(len(row), dtype=bool)
            found.append((row, node, share, (onward < 0) & ~parted))
            going = onward >= 0
            more = self._parted(row[parted], node[parted], share[parted])
            row = np.concatenate([row[going], more[0]])
            node, share = np.concatenate([onward[going], more[1]]), np.concatenate([share[going], more[2]])
        return Ways(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _branch(self, X: Array, row: Array, node: Array) -> Array:
        """The branch that each row takes; -1 for what is missing, and in leaves."""
        column, cut = self.feature[node], self.threshold[node]
        entry = X[row, np.maximum(column, 0)]
        with np.errstate(invalid="ignore"):
            branch = np.where(np.isnan(cut), np.nan_to_num(entry, nan=-1.0), entry > cut).astype(np.int64)
        return np.where(np.isnan(entry) | (column < 0), -1, branch)

    def _parted(self, row: Array, node: Array, share: Array) -> tuple[Array, Array, Array]:
        """Rows once for each branch of their node, with its share."""
        count = self.start[node + 1] - self.start[node]
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        edge = np.repeat(self.start[node], count) + offset
        row, share, child = np.repeat(row, count), np.repeat(share, count) * self.share[edge], self.child[edge]
        there = child >= 0
        return row[there], child[there], share[there]

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
