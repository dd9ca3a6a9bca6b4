"""Trees: columns as ranks, growth by the one compiled grower, and the grown tree as arrays.

A tree is told what to leave as little of as possible: `Gini` and `Entropy` of classes, `Squares`, `Deviations` and
`PoissonDeviance` of numbers. For all of them impurity = (worth of the rows each alone - worth of the node) / weight.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..core import registry
from ..core.data import Array, Matrix
from ..core.native import kernels

DEEPEST = 2**62


@dataclass(frozen=True)
class Ranked:
    """Columns as ranks among their sorted different numbers, `levels`; a missing entry has the rank after the last."""

    ranks: Array
    levels: list[Array]
    categorical: Array

    @classmethod
    def of(cls, X: Matrix, categorical: Array | None = None) -> Ranked:
        """The ranks of a matrix, dense or sparse; categories are whole numbers from zero, and their own ranks."""
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        n, p = dense.shape
        ranks = np.empty((p, n), dtype=np.uint32)
        levels = kernels.rank_columns(dense, ranks)
        kinds = np.zeros(p, dtype=np.uint8) if categorical is None else categorical.astype(np.uint8)
        for j in np.flatnonzero(kinds):
            size = int(levels[j][-1]) + 1 if len(levels[j]) else 0
            levels[j] = np.arange(size, dtype=np.float64)
            column = dense[:, j]
            ranks[j] = np.where(np.isnan(column), size, column).astype(np.uint32)
        return cls(ranks, levels, kinds)


@dataclass(frozen=True)
class Growth:
    """Where a tree ends, and what it looks at; `candidates` columns at a node, zero for all."""

    most_depth: int = DEEPEST
    most_leaves: int = 0
    least_rows_to_split: int = 2
    least_rows: int = 1
    least_weight: float = 0.0
    least_gain: float = 0.0
    candidates: int = 0
    random_thresholds: bool = False
    seed: int = 0
    direction: list[int] = field(default_factory=list)


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


@dataclass(frozen=True)
class Ground:
    """What trees of all kinds grow from: columns, the rows that count, their weights, and the rules of growth."""

    columns: Ranked
    rows: Array
    weight: Array
    growth: Growth

    def _grown(self, alone: Array) -> Any:
        columns, rules = self.columns, asdict(self.growth)
        return kernels.TreeGround(
            columns.ranks, columns.levels, columns.categorical, self.rows, self.weight, alone, rules
        )

    def classes(self, codes: Array, sizes: list[int], criterion: str) -> Tree:
        """A tree of classes: `codes` has a column for each target, of which `sizes` tells the classes."""
        gini = criterion == "gini"
        alone = np.full(len(codes), float(len(sizes)) if gini else 0.0)
        ground, kind = self._grown(alone), "squares" if gini else "likelihood"
        if sizes == [2]:  # the Gini impurity is half that of squares of zeros and ones
            found = ground.grow_numbers(np.ascontiguousarray(codes, dtype=np.float64), kind)
            sums = found["sums"].reshape(-1, 3)
            counts = np.stack([sums[:, 0] - sums[:, 1], sums[:, 1]], axis=1)
        else:
            offsets = np.concatenate([[0], np.cumsum(sizes)])
            labels = np.ascontiguousarray(codes + offsets[:-1], dtype=np.int32)
            found = ground.grow_classes(labels, int(offsets[-1]), kind)
            sums = found["sums"].reshape(-1, int(offsets[-1]) + 2)
            counts = sums[:, 1:-1]
        shares = np.maximum(counts, 0) / sums[:, :1]
        ends = np.cumsum(sizes)
        of_targets = [shares[:, end - size : end] for end, size in zip(ends, sizes, strict=True)]
        impurity = np.mean([_impurity(share, gini) for share in of_targets], axis=0)
        value = np.zeros((len(sums), len(sizes), max(sizes)))
        for t, share in enumerate(of_targets):
            value[:, t, : share.shape[1]] = share
        if self.growth.direction:
            held = _held(shares[:, 1:], found)
            value = np.stack([1 - held, held], axis=2)
        return _tree(found, impurity, sums[:, 0], value)

    def numbers(self, y: Array, criterion: str) -> Tree:
        """A tree of numbers, a column of `y` for each target, by "squares" or "poisson"."""
        alone = (y**2).sum(axis=1) if criterion == "squares" else _self_information(y).sum(axis=1)
        found = self._grown(alone).grow_numbers(np.ascontiguousarray(y), criterion)
        sums = found["sums"].reshape(-1, y.shape[1] + 2)
        weight, mean = sums[:, 0], sums[:, 1:-1] / sums[:, :1]
        explained = (mean**2).sum(axis=1) if criterion == "squares" else _self_information(mean).sum(axis=1)
        impurity = np.maximum(sums[:, -1] / weight - explained, 0) / y.shape[1]
        return _tree(found, impurity, weight, _held(mean, found)[:, :, None])

    def deviations(self, y: Array) -> Tree:
        """A tree of one target by absolute deviations from the median."""
        levels, rank = np.unique(y, return_inverse=True)
        found = self._grown(np.abs(y)).grow_deviations(rank.astype(np.uint32), levels)
        sums = found["sums"].reshape(-1, 4)
        return _tree(found, -sums[:, 2] / sums[:, 0], sums[:, 0], _held(sums[:, 1:2], found)[:, :, None])


def _held(value: Array, found: dict[str, Array]) -> Array:
    """Values between the bounds that directions of columns set."""
    return np.clip(value, found["low"][:, None], found["high"][:, None])


def _impurity(shares: Array, gini: bool) -> Array:
    if gini:
        return np.asarray(1 - (shares**2).sum(axis=1))
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))


def _self_information(y: Array) -> Array:
    """y log y, zero at zero."""
    return np.asarray(y * np.log(np.where(y > 0, y, 1.0)))


def _tree(found: dict[str, Array], impurity: Array, weight: Array, value: Array) -> Tree:
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
        value,
    )
