"""Growth of trees with a branch for each category, a level at a time: all nodes of a level in one look at a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...core.numeric import MOST
from ...core.runtime import context
from ...core.validate.features import Array
from .multiway_tree import BranchingTree

Criterion = Literal["entropy", "gini", "error"]
NEVER = -np.inf
TINY = 1e-12


def disorder(counts: Array, criterion: Criterion) -> Array:
    """Weight times impurity of rows of class counts: entropy in bits, Gini impurity or share of wrong answers."""
    every = np.ones(counts.shape[-1])
    weight = counts @ every
    if criterion == "entropy":
        return np.asarray(_times_log(weight) - _times_log(counts) @ every)
    if criterion == "gini":
        return np.asarray(weight - counts**2 @ every / np.where(weight > 0, weight, 1.0))
    return np.asarray(weight - counts.max(axis=-1))


def _times_log(counts: Array) -> Array:
    return np.asarray(counts * np.log2(np.where(counts > 0, counts, 1.0)))


@dataclass(frozen=True)
class Offer:
    """What a column would do at each node: impurity removed a row, information of the branches, threshold."""

    gain: Array
    information: Array
    threshold: Array


@dataclass
class Level:
    """Rows of the open nodes of one depth; a row whose entry was missing further up may be here in several parts."""

    row: Array
    weight: Array
    node: Array
    classes: Array
    counts: Array
    entry: Array | None  # where each row stands, -1 if it does not; None where some are here in parts

    @property
    def total(self) -> Array:
        """The weight of each node."""
        return np.asarray(self.counts.sum(axis=1))


@dataclass(frozen=True)
class Rules:
    """How attributes are chosen and where growth ends; `score` tells the worth of the offers (nodes, columns)."""

    criterion: Criterion
    score: Callable[[Array, Array, Level, int], Array]
    least_weight: float = 0.0
    least_gain: float = 0.0
    most_depth: int = MOST
    price_of_thresholds: bool = False
    any_branch: bool = False  # branches of categories may have any weight


@dataclass
class BranchingGrowth:
    """Columns of numbers or of category codes (NaN: missing), classes and weights, from which a tree grows."""

    X: Array
    sizes: Array
    y: Array
    weight: Array
    classes: int
    rules: Rules
    _ranks: list[tuple[Array, Array]] = field(default_factory=list)
    _orders: list[Array] = field(default_factory=list)
    _nodes: dict[str, list[Array]] = field(default_factory=dict)

    def grow(self) -> BranchingTree:
        """The tree."""
        self._ranks = [_ranked(column) for column in self.X.T]
        self._orders = [np.argsort(place, kind="stable")[int((place < 0).sum()) :] for _, place in self._ranks]
        rows = np.flatnonzero(self.weight > 0)
        level = self._level(rows, self.weight[rows], np.zeros(len(rows), dtype=np.int64), 1)
        count, depth = 1, 0
        while len(level.counts):
            column, threshold = self._chosen(level, depth)
            edges, below = self._divided(level, column, threshold, count)
            self._write(level, column, threshold, edges)
            count += int((edges[0] >= 0).sum())
            level, depth = below, depth + 1
        return self._tree()

    def _level(self, row: Array, weight: Array, node: Array, nodes: int) -> Level:
        y = self.y[row]
        counts = np.bincount(node * self.classes + y, weight, nodes * self.classes)
        entry = np.full(len(self.y), -1, dtype=np.int64)
        entry[row] = np.arange(len(row))
        once = bool((entry[row] == np.arange(len(row))).all())
        return Level(row, weight, node, y, counts.reshape(nodes, self.classes), entry if once else None)

    def _chosen(self, level: Level, depth: int) -> tuple[Array, Array]:
        """The column by which each node divides, -2 for none, and the threshold, NaN for categories."""
        own, rules = disorder(level.counts, self.rules.criterion), self.rules
        total = level.total
        open_nodes = (own > TINY * total) & (total >= 2 * rules.least_weight) & (depth < rules.most_depth)
        column = np.full(len(total), -2, dtype=np.int64)
        threshold = np.full(len(total), np.nan)
        if open_nodes.any():
            column[open_nodes], threshold[open_nodes] = self._best(self._part(level, open_nodes), depth)
        return column, threshold

    def _part(self, level: Level, chosen: Array) -> Level:
        """The level of some nodes alone."""
        here = chosen[level.node]
        node = (np.cumsum(chosen) - 1)[level.node[here]]
        return self._level(level.row[here], level.weight[here], node, int(chosen.sum()))

    def _best(self, level: Level, depth: int) -> tuple[Array, Array]:
        """The column and the threshold of the best score at each node; -2 where no column divides."""
        offers = [self._offer(level, j) for j in range(self.X.shape[1])]
        gain = np.column_stack([offer.gain for offer in offers])
        gain[gain < self.rules.least_gain - TINY] = NEVER
        score = self.rules.score(gain, np.column_stack([offer.information for offer in offers]), level, depth)
        score[gain == NEVER] = NEVER
        best = score.max(axis=1, keepdims=True)
        first = np.argmax(score >= best - 1e-10 * np.abs(best), axis=1)  # the first of those that are alike
        found = best[:, 0] > NEVER
        cuts = np.column_stack([offer.threshold for offer in offers])[np.arange(len(first)), first]
        return np.where(found, first, -2), np.where(found, cuts, np.nan)

    def _offer(self, level: Level, j: int) -> Offer:
        context.give_way()
        values, _ = self._ranks[j]
        owner, place, counts = self._counted(level, j)
        before = disorder(_added(counts, owner, len(level.counts)), self.rules.criterion)
        if self.sizes[j] > 0:
            return self._of_categories(counts, owner, before, level.total)
        return self._of_numbers(counts, owner, values[place], before, level.total)

    def _counted(self, level: Level, j: int) -> tuple[Array, Array, Array]:
        """The classes of the rows of each node with each value: node, place of the value, counts; in that order."""
        values, places = self._ranks[j]
        nodes, size = len(level.counts), max(len(values), 1)
        if nodes * size > max(4 * len(level.row), 1000):
            item, group, first = self._in_order(level, j)
            owner, place = level.node[item[first]], places[level.row[item[first]]]
        else:
            item = np.flatnonzero(places[level.row] >= 0)
            group = level.node[item] * size + places[level.row[item]]
            owner, place = np.divmod(np.arange(nodes * size), size)
        flat = np.bincount(group * self.classes + level.classes[item], level.weight[item], len(owner) * self.classes)
        counts = flat.reshape(-1, self.classes)
        there = counts @ np.ones(self.classes) > 0
        return owner[there], place[there], counts[there]

    def _in_order(self, level: Level, j: int) -> tuple[Array, Array, Array]:
        """Entries of a level by node, then by the value of a column; their groups of equals, and where those begin."""
        places = self._ranks[j][1]
        if level.entry is None:
            item = np.flatnonzero(places[level.row] >= 0)
            item = item[np.argsort(places[level.row[item]], kind="stable")]
        else:
            item = level.entry[self._orders[j]]
            item = item[item >= 0]
        node = level.node[item]
        small = node.astype(np.uint16) if len(level.counts) <= 2**16 else node  # sixteen bits are sorted by counting
        item = item[np.argsort(small, kind="stable")]
        node, place = level.node[item], places[level.row[item]]
        new = np.concatenate([[True], (node[1:] != node[:-1]) | (place[1:] != place[:-1])])[: len(item)]
        return item, np.cumsum(new) - 1, np.flatnonzero(new)

    def _of_categories(self, counts: Array, owner: Array, before: Array, total: Array) -> Offer:
        weight, nodes = counts @ np.ones(self.classes), len(total)
        after = np.bincount(owner, disorder(counts, self.rules.criterion), nodes)
        least = TINY if self.rules.any_branch else max(self.rules.least_weight - TINY, TINY)
        branches = np.bincount(owner, weight >= least, nodes)
        gain = np.where(branches >= 2, (before - after) / total, NEVER)
        return Offer(gain, _information(weight, owner, total), np.full(nodes, np.nan))

    def _of_numbers(self, counts: Array, owner: Array, values: Array, before: Array, total: Array) -> Offer:
        """The best threshold of each node: divisions between neighbouring numbers are rows of running counts."""
        nodes, offer = len(total), NEVER
        gain, cut = np.full(nodes, offer), np.full(nodes, np.nan)
        part = np.zeros(nodes)
        inner = np.flatnonzero(owner[1:] == owner[:-1]) if len(owner) else np.zeros(0, dtype=np.int64)
        if len(inner):
            running = np.cumsum(counts, axis=0)
            first = np.searchsorted(owner, np.arange(nodes))
            base = np.concatenate([np.zeros((1, counts.shape[1])), running])[first]
            left = np.maximum(running[inner] - base[owner[inner]], 0.0)
            right = np.maximum(_added(counts, owner, nodes)[owner[inner]] - left, 0.0)
            removed = before[owner[inner]] - sum(disorder(side, self.rules.criterion) for side in (left, right))
            every = np.ones(self.classes)
            enough = np.minimum(left @ every, right @ every) >= max(self.rules.least_weight - TINY, TINY)
            removed = np.where(enough, removed / total[owner[inner]], NEVER)
            place = _first_best(removed, owner[inner])
            at = owner[inner][place]
            gain[at], cut[at] = removed[place], _between(values[inner[place]], values[inner[place] + 1])
            part[at] = left[place].sum(axis=1)
            if self.rules.price_of_thresholds:  # what it costs to say which of them it is
                gain[at] -= np.log2(np.bincount(owner[inner], minlength=nodes)[at]) / total[at]
        rest = np.bincount(owner, counts @ np.ones(self.classes), nodes) - part
        sides = np.concatenate([part, rest])
        return Offer(gain, _information(sides, np.tile(np.arange(nodes), 2), total), cut)

    def _divided(
        self, level: Level, column: Array, threshold: Array, count: int
    ) -> tuple[tuple[Array, Array, Array], Level]:
        """The edges of the level (child, share, number a node) and the level below."""
        nodes = len(column)
        number = np.where(column < 0, 0, np.where(np.isnan(threshold), self.sizes[np.maximum(column, 0)], 2))
        start = np.concatenate([[0], np.cumsum(number)])
        going = column[level.node] >= 0
        row, weight, node = level.row[going], level.weight[going], level.node[going]
        entry = self.X[row, column[node]]
        gap = np.isnan(entry)
        cut = threshold[node]
        branch = np.where(np.isnan(cut), np.nan_to_num(entry), entry > cut).astype(np.int64)
        edge = start[node] + branch
        weights = np.bincount(edge[~gap], weight[~gap], int(start[-1]))
        child = np.where(weights > 0, np.cumsum(weights > 0) - 1, -1)
        owner = np.repeat(np.arange(nodes), number)
        known = np.bincount(owner, weights, nodes)
        share = weights / np.where(known > 0, known, 1.0)[owner]
        again = number[node[gap]]
        offset = np.arange(again.sum()) - np.repeat(np.cumsum(again) - again, again)
        edges = np.concatenate([edge[~gap], np.repeat(start[node[gap]], again) + offset])
        rows = np.concatenate([row[~gap], np.repeat(row[gap], again)])
        parts = np.concatenate([weight[~gap], np.repeat(weight[gap], again) * share[edges[len(edges) - again.sum() :]]])
        kept = (child[edges] >= 0) & (parts > 0)
        below = self._level(rows[kept], parts[kept], child[edges[kept]], int((child >= 0).sum()))
        return (np.where(child >= 0, child + count, -1), share, number), below

    def _write(self, level: Level, column: Array, threshold: Array, edges: tuple[Array, Array, Array]) -> None:
        entries = {
            "column": column,
            "threshold": threshold,
            "child": edges[0],
            "share": edges[1],
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
            found["share"],
            np.maximum(disorder(found["counts"], self.rules.criterion) / weight, 0.0),
            found["rows"],
            weight,
            (found["counts"] / weight[:, None])[:, None, :],
        )


def _ranked(column: Array) -> tuple[Array, Array]:
    """The sorted different numbers of a column and the place of each entry among them, -1 for missing ones."""
    context.give_way()
    values, place = np.unique(column, return_inverse=True)
    if len(values) and np.isnan(values[-1]):
        return values[:-1], np.where(place == len(values) - 1, -1, place)
    return values, place


def _added(counts: Array, owner: Array, nodes: int) -> Array:
    return np.column_stack([np.bincount(owner, column, nodes) for column in counts.T])


def _information(weight: Array, owner: Array, total: Array) -> Array:
    """The entropy in bits of the branches of each node, with one for the rows whose entry is missing."""
    missing = np.maximum(total - np.bincount(owner, weight, len(total)), 0.0)
    missing[missing < TINY * total] = 0.0
    parts = np.bincount(owner, _times_log(weight), len(total)) + _times_log(missing)
    return np.asarray((_times_log(total) - parts) / total)


def _first_best(score: Array, owner: Array) -> Array:
    """The place of the first greatest score of each owner, whose entries stand together."""
    start = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    best = np.maximum.reduceat(score, start)
    length = np.diff(np.append(start, len(owner)))
    hits = np.flatnonzero(score >= np.repeat(best - np.abs(np.where(best > NEVER, best, 0)) * 1e-10, length))
    return hits[np.searchsorted(hits, start)]


def _between(low: Array, high: Array) -> Array:
    """Half way, but never the upper end."""
    middle = low / 2 + high / 2
    return np.where(middle < high, middle, low)
