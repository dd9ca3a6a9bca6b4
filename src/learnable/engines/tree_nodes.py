"""A grown tree as arrays with an entry for each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import registry
from ..core.data import Array
from ..core.native import kernels
from .conditions import Condition, OneOf, Range


@registry.value
@dataclass(frozen=True)
class Tree:
    """A grown tree as arrays with an entry for each node; a child of -1 marks a leaf.

    A row goes left if its number is at most the threshold, or its category in the set of the node: bit c of the words
    from `set_start[node]` to `set_start[node + 1]` for category c. Missing entries go where `missing_go_to_left` says.
    """

    children_left: Array
    children_right: Array
    feature: Array
    threshold: Array
    missing_go_to_left: Array
    set_start: Array
    set_words: Array
    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    value: Array

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.children_left)

    @property
    def n_leaves(self) -> int:
        """How many of them are leaves."""
        return int((self.children_left < 0).sum())

    @property
    def max_depth(self) -> int:
        """How many divisions a row passes at most."""
        return int(self.depth().max())

    def depth(self) -> Array:
        """The number of divisions above each node."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        level = np.zeros(1, dtype=np.int64)
        while len(level := level[self.children_left[level] >= 0]):
            children = np.concatenate([self.children_left[level], self.children_right[level]])
            depth[children] = np.tile(depth[level] + 1, 2)
            level = children
        return depth

    def apply(self, X: Array) -> Array:
        """The leaf of each row."""
        leaf = np.empty(len(X), dtype=np.int64)
        kernels.find_leaves(
            self.children_left,
            self.children_right,
            self.feature,
            self.threshold,
            self.missing_go_to_left,
            self.set_start,
            self.set_words,
            X,
            leaf,
        )
        return leaf

    def predict(self, X: Array) -> Array:
        """The value of the leaf of each row."""
        return np.asarray(self.value[self.apply(X)])

    def decision_path(self, X: Array) -> Any:
        """A sparse matrix that marks the nodes on the way of each row."""
        from scipy import sparse

        node, above = self.apply(X), self.parents()
        rows, nodes = [np.arange(len(X))], [node]
        while len(going := np.flatnonzero(above[nodes[-1]] >= 0)):
            rows.append(rows[-1][going])
            nodes.append(above[nodes[-1][going]])
        marks = np.ones(sum(map(len, nodes)), dtype=np.int64)
        shape = (len(X), self.node_count)
        return sparse.csr_matrix((marks, (np.concatenate(rows), np.concatenate(nodes))), shape=shape)

    def parents(self) -> Array:
        """The node above each, -1 for the first."""
        above = np.full(self.node_count, -1, dtype=np.int64)
        inner = np.flatnonzero(self.children_left >= 0)
        above[self.children_left[inner]] = above[self.children_right[inner]] = inner
        return above

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The nodes below one, and what leads to each."""
        left, right = int(self.children_left[node]), int(self.children_right[node])
        if left < 0:
            return []
        column, words = int(self.feature[node]), self.set_words[self.set_start[node] : self.set_start[node + 1]]
        if len(words) == 0:
            cut = float(self.threshold[node])
            return [(left, Range(column, high=cut)), (right, Range(column, low=cut))]
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        inside = frozenset(np.flatnonzero(bits).tolist())
        return [(left, OneOf(column, inside)), (right, OneOf(column, inside, True))]

    def compute_feature_importances(self, columns: int, normalize: bool = True) -> Array:
        """How much impurity the divisions by each column remove; shares of all, if `normalize`."""
        inner = np.flatnonzero(self.children_left >= 0)
        loss = self.weighted_n_node_samples * self.impurity
        removed = loss[inner] - loss[self.children_left[inner]] - loss[self.children_right[inner]]
        found = np.bincount(self.feature[inner], weights=removed, minlength=columns)
        found = found / self.weighted_n_node_samples[0]
        total = found.sum()
        return found / total if normalize and total > 0 else np.asarray(found)

    def pruned(self, keep: Array) -> Tree:
        """The tree in which nodes without `keep` are gone and those above them leaves, in the same order."""
        place = np.cumsum(keep) - 1
        inner = keep & (self.children_left >= 0)
        inner[inner] = keep[self.children_left[inner]]
        left, right = (
            np.where(inner, place[children], -1)[keep].astype(np.int32)
            for children in (self.children_left, self.children_right)
        )
        words = [self.set_words[a:b] for a, b in zip(self.set_start[:-1], self.set_start[1:], strict=True)]
        sets = [word if divides else word[:0] for word, divides in zip(words, inner, strict=True)]
        sets = [word for word, kept in zip(sets, keep, strict=True) if kept]
        return Tree(
            left,
            right,
            np.where(inner, self.feature, -2)[keep].astype(np.int32),
            np.where(inner, self.threshold, -2.0)[keep],
            np.where(inner, self.missing_go_to_left, 0)[keep].astype(np.uint8),
            np.cumsum([0, *map(len, sets)]).astype(np.int64),
            np.concatenate(sets).astype(np.uint64),
            self.impurity[keep],
            self.n_node_samples[keep],
            self.weighted_n_node_samples[keep],
            self.value[keep],
        )
