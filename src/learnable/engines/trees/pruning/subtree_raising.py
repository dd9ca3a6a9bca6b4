"""Pruning by pessimism that may also raise a branch: put the largest one of a node in the place of the node."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime import context
from ....core.validate.features import Array
from ..multiway_builder import disorder
from ..multiway_tree import BranchingTree, edge_taken, every_branch
from .error_pruning import FAIR, upper_errors


@dataclass(frozen=True)
class Visits:
    """Rows, or parts of them, on their ways: which came to which node with which weight, and where they ended."""

    row: Array
    node: Array
    weight: Array
    ended: Array

    def at(self, node: int) -> tuple[Array, Array]:
        """The rows that came to a node, and their weights."""
        here = self.node == node
        return self.row[here], self.weight[here]


@dataclass
class SubtreeRaising:
    """A tree of classes and the rows that it grew from, to be made smaller from its leaves upwards.

    A node becomes a leaf, or gives its place to the largest of its branches, through which all of its rows then go,
    where the upper limit of errors hardly grows by it. [Quinlan, 1993]
    """

    tree: BranchingTree
    X: Array
    y: Array
    weight: Array
    confidence: float
    errors: Array = field(init=False)

    def __post_init__(self) -> None:
        self.feature, self.threshold = self.tree.feature.copy(), self.tree.threshold.copy()
        self.first, self.last = self.tree.start[:-1].copy(), self.tree.start[1:].copy()
        self.child, self.share = self.tree.child.copy(), self.tree.share
        self.owner = np.repeat(np.arange(self.tree.node_count), np.diff(self.tree.start))  # node above each branch
        self.classes = self.tree.value.shape[2]
        self.counts = np.zeros((self.tree.node_count, self.classes))
        self.rows = np.zeros(self.tree.node_count, dtype=np.int64)
        self.errors = np.zeros(self.tree.node_count)

    def smaller(self) -> BranchingTree:
        """The tree that is left."""
        if self.tree.node_count == 1:
            return self.tree
        rows = np.flatnonzero(self.weight > 0)
        self._prune(0, rows, self.weight[rows])
        return self._tree()

    def _prune(self, top: int, row: Array, weight: Array) -> None:
        """Settle what is below a node, from the leaves upwards, for rows that come to it."""
        visits = self._walk(top, row, weight, settle=True)
        below = self._counted(visits.node, visits)
        met = np.unique(visits.node)
        self.counts[met], self.rows[met] = below[met], np.bincount(visits.node, minlength=len(below))[met]
        for node in met[::-1].tolist():  # children come after their parents
            context.give_way()
            self._settle(node, *visits.at(node))

    def _settle(self, node: int, row: Array, weight: Array) -> None:
        """Leave a node as it is, make a leaf of it, or raise its largest branch."""
        as_leaf = float(self._limits(self.counts[[node]])[0])
        below = self.child[self.first[node] : self.last[node]]
        below = below[below >= 0]
        if len(below) == 0:
            self.errors[node] = as_leaf
            return
        largest = int(below[np.argmax(self.counts[below].sum(axis=1))])
        apart, raised = float(self.errors[below].sum()), self._estimate(largest, row, weight)
        if as_leaf <= min(apart, raised) + FAIR:
            self.errors[node], self.last[node], self.feature[node] = as_leaf, self.first[node], -2
        elif raised <= apart + FAIR:
            for part in (self.feature, self.threshold, self.first, self.last):
                part[node] = part[largest]
            self.owner[self.first[node] : self.last[node]] = node
            self._prune(node, row, weight)
        else:
            self.errors[node] = apart

    def _estimate(self, top: int, row: Array, weight: Array) -> float:
        """The limit of errors below a node, if such rows came to it."""
        visits = self._walk(top, row, weight, settle=False)
        ends = visits.ended
        return float(self._limits(self._counted(visits.node[ends], visits, ends)).sum())

    def _limits(self, counts: Array) -> Array:
        """The upper limits of the wrong answers of leaves with such counts of classes."""
        weight = counts.sum(axis=1)
        there = weight > 0
        found = np.zeros(len(counts))
        wrong = np.maximum(weight - counts.max(axis=1), 0.0)
        found[there] = upper_errors(wrong[there], weight[there], self.confidence)
        return found

    def _counted(self, node: Array, visits: Visits, chosen: Array | slice = slice(None)) -> Array:
        """The weight of each class at each node."""
        size = len(self.feature) * self.classes
        flat = np.bincount(node * self.classes + self.y[visits.row[chosen]], visits.weight[chosen], size)
        return flat.reshape(-1, self.classes)

    def _walk(self, top: int, row: Array, weight: Array, settle: bool) -> Visits:
        """The ways of rows from a node on; with `settle`, the shares of branches become those of these rows."""
        node, found = np.full(len(row), top), []
        while len(row):
            edge = edge_taken(self.feature, self.threshold, self.first, self.X, row, node)
            known = edge >= 0
            gap = ~known & (self.feature[node] >= 0)
            onward = np.where(known, self.child[edge], -1)
            found.append((row, node, weight, (onward < 0) & ~gap))
            shares = self._shares(node[known], edge[known], weight[known])
            if settle:
                self.share = shares
            item, edge = every_branch(self.first[node[gap]], self.last[node[gap]])
            part = weight[gap][item] * shares[edge]
            going, there = onward >= 0, (self.child[edge] >= 0) & (part > 0)
            row = np.concatenate([row[going], row[gap][item[there]]])
            node = np.concatenate([onward[going], self.child[edge[there]]])
            weight = np.concatenate([weight[going], part[there]])
        return Visits(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _shares(self, node: Array, edge: Array, weight: Array) -> Array:
        """The part of the weight of its node that takes each branch; as it was where none came."""
        taken = np.bincount(edge, weight, len(self.share))
        total = np.bincount(node, weight, len(self.feature))[self.owner]
        return np.where(total > 0, taken / np.where(total > 0, total, 1.0), self.share)

    def _tree(self) -> BranchingTree:
        """The nodes that can still be reached, in the same order."""
        keep, level = np.zeros(len(self.feature), dtype=bool), np.zeros(1, dtype=np.int64)
        while len(level):
            keep[level] = True
            below = self.child[every_branch(self.first[level], self.last[level])[1]]
            level = below[below >= 0]
        place = np.append(np.cumsum(keep) - 1, -1)
        edge = every_branch(self.first[keep], self.last[keep])[1]
        counts = self.counts[keep]
        weight = counts.sum(axis=1)
        return BranchingTree(
            self.feature[keep],
            np.where(self.feature < 0, np.nan, self.threshold)[keep],
            np.concatenate([[0], np.cumsum((self.last - self.first)[keep])]).astype(np.int64),
            place[self.child[edge]],
            self.share[edge],
            np.maximum(disorder(counts, "entropy") / weight, 0.0),
            self.rows[keep],
            weight,
            (counts / weight[:, None])[:, None, :],
        )
