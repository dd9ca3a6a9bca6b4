"""Builder of multiway trees (ID3, C4.5), level by level: one pass over a column serves all nodes of a level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...core.runtime import context
from ...core.validate.features import Array
from .growth_limits import NO_LIMITS, TreeLimits
from .multiway_tree import BranchingTree

Criterion = Literal["entropy", "gini", "error"]
NO_SPLIT = -np.inf
ROUNDING = 1e-12  # relative rounding error


def weighted_impurity(counts: Array, criterion: Criterion) -> Array:
    """Total weight times impurity for rows of class counts: entropy in bits, Gini impurity or error rate."""
    ones = np.ones(counts.shape[-1])
    weight = counts @ ones
    if criterion == "entropy":
        return np.asarray(_x_log_x(weight) - _x_log_x(counts) @ ones)
    if criterion == "gini":
        return np.asarray(weight - counts**2 @ ones / np.where(weight > 0, weight, 1.0))
    return np.asarray(weight - counts.max(axis=-1))


def _x_log_x(counts: Array) -> Array:
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1.0)))


@dataclass(frozen=True)
class ColumnSplits:
    """The best split of each node by one column: impurity decrease per row, split information, threshold."""

    gain: Array
    information: Array
    threshold: Array


@dataclass
class Level:
    """Rows of the open nodes of one depth; a row with a missing value further up may occur in several fractions."""

    row: Array
    weight: Array
    node: Array
    classes: Array
    counts: Array
    entry: Array | None  # index of each row, -1 if absent; None if some rows are split

    @property
    def total(self) -> Array:
        """Total weight of each node."""
        return np.asarray(self.counts.sum(axis=1))


@dataclass(frozen=True)
class MultiwayConfig:
    """Split criterion and stopping rules; `score` rates the impurity decreases (nodes, columns)."""

    criterion: Criterion
    score: Callable[[Array, Array, Level, int], Array]
    limits: TreeLimits = NO_LIMITS
    threshold_penalty: bool = False  # subtract the bits that encode the chosen threshold
    small_branches: bool = False  # branches of categories may be lighter than min_samples_leaf


@dataclass
class MultiwayBuilder:
    """Grows a multiway tree from numeric columns and category codes (NaN: missing), classes and weights."""

    X: Array
    sizes: Array
    y: Array
    weight: Array
    classes: int
    config: MultiwayConfig
    _ranks: list[tuple[Array, Array]] = field(default_factory=list)
    _orders: list[Array] = field(default_factory=list)
    _nodes: dict[str, list[Array]] = field(default_factory=dict)

    def grow(self) -> BranchingTree:
        """Grow the tree."""
        self._ranks = [_rank_column(column) for column in self.X.T]
        self._orders = [np.argsort(rank, kind="stable")[int((rank < 0).sum()) :] for _, rank in self._ranks]
        rows = np.flatnonzero(self.weight > 0)
        level = self._level(rows, self.weight[rows], np.zeros(len(rows), dtype=np.int64), 1)
        count, depth = 1, 0
        while len(level.counts):
            column, threshold = self._choose_splits(level, depth)
            edges, below = self._apply_splits(level, column, threshold, count)
            self._record(level, column, threshold, edges)
            count += int((edges[0] >= 0).sum())
            level, depth = below, depth + 1
        return self._tree()

    def _level(self, row: Array, weight: Array, node: Array, nodes: int) -> Level:
        y = self.y[row]
        counts = np.bincount(node * self.classes + y, weight, nodes * self.classes)
        entry = np.full(len(self.y), -1, dtype=np.int64)
        entry[row] = np.arange(len(row))
        distinct = bool((entry[row] == np.arange(len(row))).all())
        return Level(row, weight, node, y, counts.reshape(nodes, self.classes), entry if distinct else None)

    def _choose_splits(self, level: Level, depth: int) -> tuple[Array, Array]:
        """The split column of each node, -2 for none, and the threshold, NaN for categories."""
        depth_left = self.config.limits.max_depth is None or depth < self.config.limits.max_depth
        own, config = weighted_impurity(level.counts, self.config.criterion), self.config
        total = level.total
        open_nodes = (own > ROUNDING * total) & (total >= 2 * config.limits.min_samples_leaf) & depth_left
        column = np.full(len(total), -2, dtype=np.int64)
        threshold = np.full(len(total), np.nan)
        if open_nodes.any():
            column[open_nodes], threshold[open_nodes] = self._best_splits(self._restrict(level, open_nodes), depth)
        return column, threshold

    def _restrict(self, level: Level, chosen: Array) -> Level:
        """The level restricted to some nodes."""
        here = chosen[level.node]
        node = (np.cumsum(chosen) - 1)[level.node[here]]
        return self._level(level.row[here], level.weight[here], node, int(chosen.sum()))

    def _best_splits(self, level: Level, depth: int) -> tuple[Array, Array]:
        """The column and the threshold of the best score at each node; -2 where no column has a valid split."""
        splits = [self._column_splits(level, j) for j in range(self.X.shape[1])]
        gain = np.column_stack([split.gain for split in splits])
        gain[gain < self.config.limits.min_gain - ROUNDING] = NO_SPLIT
        score = self.config.score(gain, np.column_stack([split.information for split in splits]), level, depth)
        score[gain == NO_SPLIT] = NO_SPLIT
        best = score.max(axis=1, keepdims=True)
        first = np.argmax(score >= best - 1e-10 * np.abs(best), axis=1)  # the first of tied columns
        found = best[:, 0] > NO_SPLIT
        thresholds = np.column_stack([split.threshold for split in splits])[np.arange(len(first)), first]
        return np.where(found, first, -2), np.where(found, thresholds, np.nan)

    def _column_splits(self, level: Level, j: int) -> ColumnSplits:
        context.give_way()
        values, _ = self._ranks[j]
        owner, rank, counts = self._class_counts(level, j)
        before = weighted_impurity(_sum_by_owner(counts, owner, len(level.counts)), self.config.criterion)
        if self.sizes[j] > 0:
            return self._categorical_splits(counts, owner, before, level.total)
        return self._threshold_splits(counts, owner, values[rank], before, level.total)

    def _class_counts(self, level: Level, j: int) -> tuple[Array, Array, Array]:
        """Class counts for each node and value of a column: node, rank of the value, counts; sorted in that order."""
        values, ranks = self._ranks[j]
        nodes, size = len(level.counts), max(len(values), 1)
        if nodes * size > max(4 * len(level.row), 1000):
            item, group, first = self._sort_by_value(level, j)
            owner, rank = level.node[item[first]], ranks[level.row[item[first]]]
        else:
            item = np.flatnonzero(ranks[level.row] >= 0)
            group = level.node[item] * size + ranks[level.row[item]]
            owner, rank = np.divmod(np.arange(nodes * size), size)
        flat = np.bincount(group * self.classes + level.classes[item], level.weight[item], len(owner) * self.classes)
        counts = flat.reshape(-1, self.classes)
        there = counts @ np.ones(self.classes) > 0
        return owner[there], rank[there], counts[there]

    def _sort_by_value(self, level: Level, j: int) -> tuple[Array, Array, Array]:
        """Entries of a level by node, then by the value of a column; their groups of ties, and the start of each."""
        ranks = self._ranks[j][1]
        if level.entry is None:
            item = np.flatnonzero(ranks[level.row] >= 0)
            item = item[np.argsort(ranks[level.row[item]], kind="stable")]
        else:
            item = level.entry[self._orders[j]]
            item = item[item >= 0]
        node = level.node[item]
        small = node.astype(np.uint16) if len(level.counts) <= 2**16 else node  # radix sort for 16 bits
        item = item[np.argsort(small, kind="stable")]
        node, rank = level.node[item], ranks[level.row[item]]
        new = np.concatenate([[True], (node[1:] != node[:-1]) | (rank[1:] != rank[:-1])])[: len(item)]
        return item, np.cumsum(new) - 1, np.flatnonzero(new)

    def _categorical_splits(self, counts: Array, owner: Array, before: Array, total: Array) -> ColumnSplits:
        weight, nodes = counts @ np.ones(self.classes), len(total)
        after = np.bincount(owner, weighted_impurity(counts, self.config.criterion), nodes)
        lightest = (
            ROUNDING if self.config.small_branches else max(self.config.limits.min_samples_leaf - ROUNDING, ROUNDING)
        )
        branches = np.bincount(owner, weight >= lightest, nodes)
        gain = np.where(branches >= 2, (before - after) / total, NO_SPLIT)
        return ColumnSplits(gain, _information(weight, owner, total), np.full(nodes, np.nan))

    def _threshold_splits(
        self, counts: Array, owner: Array, values: Array, before: Array, total: Array
    ) -> ColumnSplits:
        """The best threshold of each node: the candidates between neighbouring values are rows of cumulative counts."""
        nodes = len(total)
        gain, cut = np.full(nodes, NO_SPLIT), np.full(nodes, np.nan)
        left_weight = np.zeros(nodes)
        inner = np.flatnonzero(owner[1:] == owner[:-1]) if len(owner) else np.zeros(0, dtype=np.int64)
        if len(inner):
            cumulative = np.cumsum(counts, axis=0)
            first = np.searchsorted(owner, np.arange(nodes))
            base = np.concatenate([np.zeros((1, counts.shape[1])), cumulative])[first]
            left = np.maximum(cumulative[inner] - base[owner[inner]], 0.0)
            right = np.maximum(_sum_by_owner(counts, owner, nodes)[owner[inner]] - left, 0.0)
            after = sum(weighted_impurity(side, self.config.criterion) for side in (left, right))
            removed = before[owner[inner]] - after
            ones = np.ones(self.classes)
            enough = np.minimum(left @ ones, right @ ones) >= max(
                self.config.limits.min_samples_leaf - ROUNDING, ROUNDING
            )
            removed = np.where(enough, removed / total[owner[inner]], NO_SPLIT)
            best = _first_best(removed, owner[inner])
            at = owner[inner][best]
            gain[at], cut[at] = removed[best], _midpoint(values[inner[best]], values[inner[best] + 1])
            left_weight[at] = left[best].sum(axis=1)
            if self.config.threshold_penalty:  # bits that encode the threshold (Quinlan, 1996)
                gain[at] -= np.log2(np.bincount(owner[inner], minlength=nodes)[at]) / total[at]
        right_weight = np.bincount(owner, counts @ np.ones(self.classes), nodes) - left_weight
        sides = np.concatenate([left_weight, right_weight])
        return ColumnSplits(gain, _information(sides, np.tile(np.arange(nodes), 2), total), cut)

    def _apply_splits(
        self, level: Level, column: Array, threshold: Array, count: int
    ) -> tuple[tuple[Array, Array, Array], Level]:
        """The edges of the level (child, fraction, number per node) and the level below."""
        nodes = len(column)
        number = np.where(column < 0, 0, np.where(np.isnan(threshold), self.sizes[np.maximum(column, 0)], 2))
        start = np.concatenate([[0], np.cumsum(number)])
        split = column[level.node] >= 0
        row, weight, node = level.row[split], level.weight[split], level.node[split]
        entry = self.X[row, column[node]]
        missing = np.isnan(entry)
        cut = threshold[node]
        branch = np.where(np.isnan(cut), np.nan_to_num(entry), entry > cut).astype(np.int64)
        edge = start[node] + branch
        weights = np.bincount(edge[~missing], weight[~missing], int(start[-1]))
        child = np.where(weights > 0, np.cumsum(weights > 0) - 1, -1)
        owner = np.repeat(np.arange(nodes), number)
        known = np.bincount(owner, weights, nodes)
        fraction = weights / np.where(known > 0, known, 1.0)[owner]
        copies = number[node[missing]]
        offset = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
        edges = np.concatenate([edge[~missing], np.repeat(start[node[missing]], copies) + offset])
        rows = np.concatenate([row[~missing], np.repeat(row[missing], copies)])
        shared = np.repeat(weight[missing], copies) * fraction[edges[len(edges) - copies.sum() :]]
        weights_below = np.concatenate([weight[~missing], shared])
        kept = (child[edges] >= 0) & (weights_below > 0)
        below = self._level(rows[kept], weights_below[kept], child[edges[kept]], int((child >= 0).sum()))
        return (np.where(child >= 0, child + count, -1), fraction, number), below

    def _record(self, level: Level, column: Array, threshold: Array, edges: tuple[Array, Array, Array]) -> None:
        entries = {
            "column": column,
            "threshold": threshold,
            "child": edges[0],
            "fraction": edges[1],
            "number": edges[2],
            "counts": level.counts,
            "rows": np.bincount(level.node, minlength=len(column)),
        }
        for name, array in entries.items():
            self._nodes.setdefault(name, []).append(array)

    def _tree(self) -> BranchingTree:
        found = {name: np.concatenate(parts) for name, parts in self._nodes.items()}
        weight = found["counts"].sum(axis=1)
        return BranchingTree(
            found["column"],
            found["threshold"],
            np.concatenate([[0], np.cumsum(found["number"])]).astype(np.int64),
            found["child"],
            found["fraction"],
            np.maximum(weighted_impurity(found["counts"], self.config.criterion) / weight, 0.0),
            found["rows"],
            weight,
            (found["counts"] / weight[:, None])[:, None, :],
        )


def _rank_column(column: Array) -> tuple[Array, Array]:
    """The sorted distinct values of a column and the rank of each entry among them, -1 for missing values."""
    context.give_way()
    values, rank = np.unique(column, return_inverse=True)
    if len(values) and np.isnan(values[-1]):
        return values[:-1], np.where(rank == len(values) - 1, -1, rank)
    return values, rank


def _sum_by_owner(counts: Array, owner: Array, nodes: int) -> Array:
    return np.column_stack([np.bincount(owner, column, nodes) for column in counts.T])


def _information(weight: Array, owner: Array, total: Array) -> Array:
    """Split information: entropy in bits of the branches of each node, with one branch for missing values."""
    missing = np.maximum(total - np.bincount(owner, weight, len(total)), 0.0)
    missing[missing < ROUNDING * total] = 0.0
    terms = np.bincount(owner, _x_log_x(weight), len(total)) + _x_log_x(missing)
    return np.asarray((_x_log_x(total) - terms) / total)


def _first_best(score: Array, owner: Array) -> Array:
    """The index of the first maximum score of each owner, whose entries are contiguous."""
    start = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    best = np.maximum.reduceat(score, start)
    length = np.diff(np.append(start, len(owner)))
    hits = np.flatnonzero(score >= np.repeat(best - np.abs(np.where(best > NO_SPLIT, best, 0)) * 1e-10, length))
    return hits[np.searchsorted(hits, start)]


def _midpoint(low: Array, high: Array) -> Array:
    """The midpoint, but never the upper end."""
    middle = low / 2 + high / 2
    return np.where(middle < high, middle, low)
