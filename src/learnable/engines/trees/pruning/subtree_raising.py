"""Pessimistic pruning with subtree raising (C4.5): a node may be replaced by its largest branch."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime import context
from ....core.validate.features import Array
from ..multiway_builder import weighted_impurity
from ..multiway_tree import BranchingTree, choose_branches, expand_branches
from .error_pruning import TOLERANCE, upper_error_limits


@dataclass(frozen=True)
class Visits:
    """Visits of nodes by rows or fractions of rows: the weight of the row there, and whether its path ended there."""

    row: Array
    node: Array
    weight: Array
    ended: Array

    def at(self, node: int) -> tuple[Array, Array]:
        """The rows that reach a node, and their weights."""
        here = self.node == node
        return self.row[here], self.weight[here]


@dataclass
class SubtreeRaising:
    """Bottom-up pruning of a classification tree with the rows that it was grown from.

    A node becomes a leaf, or is replaced by its largest branch, to which all of its rows are then sent, if the upper
    limit of the errors hardly grows. [Quinlan, 1993]
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

    def prune(self) -> BranchingTree:
        """The pruned tree."""
        if self.tree.node_count == 1:
            return self.tree
        rows = np.flatnonzero(self.weight > 0)
        self._prune(0, rows, self.weight[rows])
        return self._tree()

    def _prune(self, top: int, row: Array, weight: Array) -> None:
        """Prune below a node, from the leaves upwards, for rows that reach it."""
        visits = self._walk(top, row, weight, update_fractions=True)
        below = self._class_counts(visits.node, visits)
        met = np.unique(visits.node)
        self.counts[met], self.rows[met] = below[met], np.bincount(visits.node, minlength=len(below))[met]
        for node in met[::-1].tolist():  # children come after their parents
            context.give_way()
            self._prune_node(node, *visits.at(node))

    def _prune_node(self, node: int, row: Array, weight: Array) -> None:
        """Keep a node, turn it into a leaf, or raise its largest branch."""
        as_leaf = float(self._limits(self.counts[[node]])[0])
        below = self.child[self.first[node] : self.last[node]]
        below = below[below >= 0]
        if len(below) == 0:
            self.errors[node] = as_leaf
            return
        largest = int(below[np.argmax(self.counts[below].sum(axis=1))])
        kept, raised = float(self.errors[below].sum()), self._estimate(largest, row, weight)
        if as_leaf <= min(kept, raised) + TOLERANCE:
            self.errors[node], self.last[node], self.feature[node] = as_leaf, self.first[node], -2
        elif raised <= kept + TOLERANCE:
            for array in (self.feature, self.threshold, self.first, self.last):
                array[node] = array[largest]
            self.owner[self.first[node] : self.last[node]] = node
            self._prune(node, row, weight)
        else:
            self.errors[node] = kept

    def _estimate(self, top: int, row: Array, weight: Array) -> float:
        """The upper limit of the errors below a node, if these rows reached it."""
        visits = self._walk(top, row, weight, update_fractions=False)
        ends = visits.ended
        return float(self._limits(self._class_counts(visits.node[ends], visits, ends)).sum())

    def _limits(self, counts: Array) -> Array:
        """The upper limits of the errors of leaves with these class counts."""
        weight = counts.sum(axis=1)
        reached = weight > 0
        found = np.zeros(len(counts))
        wrong = np.maximum(weight - counts.max(axis=1), 0.0)
        found[reached] = upper_error_limits(wrong[reached], weight[reached], self.confidence)
        return found

    def _class_counts(self, node: Array, visits: Visits, chosen: Array | slice = slice(None)) -> Array:
        """The weight of each class at each node."""
        size = len(self.feature) * self.classes
        flat = np.bincount(node * self.classes + self.y[visits.row[chosen]], visits.weight[chosen], size)
        return flat.reshape(-1, self.classes)

    def _walk(self, top: int, row: Array, weight: Array, update_fractions: bool) -> Visits:
        """The paths of rows from a node on; `update_fractions` sets the branch fractions to those of these rows."""
        node, found = np.full(len(row), top), []
        while len(row):
            edge = choose_branches(self.feature, self.threshold, self.first, self.X, row, node)
            known = edge >= 0
            missing = ~known & (self.feature[node] >= 0)
            onward = np.where(known, self.child[edge], -1)
            found.append((row, node, weight, (onward < 0) & ~missing))
            fractions = self._branch_fractions(node[known], edge[known], weight[known])
            if update_fractions:
                self.share = fractions
            item, edge = expand_branches(self.first[node[missing]], self.last[node[missing]])
            split = weight[missing][item] * fractions[edge]
            moving, some = onward >= 0, (self.child[edge] >= 0) & (split > 0)
            row = np.concatenate([row[moving], row[missing][item[some]]])
            node = np.concatenate([onward[moving], self.child[edge[some]]])
            weight = np.concatenate([weight[moving], split[some]])
        return Visits(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _branch_fractions(self, node: Array, edge: Array, weight: Array) -> Array:
        """The fraction of the weight of its node that takes each branch; unchanged where no row comes."""
        taken = np.bincount(edge, weight, len(self.share))
        total = np.bincount(node, weight, len(self.feature))[self.owner]
        return np.where(total > 0, taken / np.where(total > 0, total, 1.0), self.share)

    def _tree(self) -> BranchingTree:
        """The tree of the nodes that can still be reached, in the same order."""
        keep, level = np.zeros(len(self.feature), dtype=bool), np.zeros(1, dtype=np.int64)
        while len(level):
            keep[level] = True
            below = self.child[expand_branches(self.first[level], self.last[level])[1]]
            level = below[below >= 0]
        new_index = np.append(np.cumsum(keep) - 1, -1)
        edge = expand_branches(self.first[keep], self.last[keep])[1]
        counts = self.counts[keep]
        weight = counts.sum(axis=1)
        return BranchingTree(
            self.feature[keep],
            np.where(self.feature < 0, np.nan, self.threshold)[keep],
            np.concatenate([[0], np.cumsum((self.last - self.first)[keep])]).astype(np.int64),
            new_index[self.child[edge]],
            self.share[edge],
            np.maximum(weighted_impurity(counts, "entropy") / weight, 0.0),
            self.rows[keep],
            weight,
            (counts / weight[:, None])[:, None, :],
        )
