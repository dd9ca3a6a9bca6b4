"""Pruning by errors: on rows that growth has not seen, or by a pessimistic guess from those that it has."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....core.validate.features import Array
from .pruned_tree import Cuts

FAIR = 0.1  # of an error more is a fair price for a smaller tree


@dataclass
class ErrorPruning(Cuts):
    """Nodes turned into leaves, one by one, by the errors that each node would make as a leaf, `own`.

    The change of a cut at t is own(t) - sum of own over the leaves below t.
    """

    own: Array
    below: Array = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.below = np.where(self.leaf, self.own, 0.0)
        for node in range(self.tree.node_count - 1, 0, -1):  # children come after their parents
            self.below[self.above[node]] += self.below[node]

    def change(self, node: int) -> float:
        """What a cut at a node adds to the errors."""
        return float(self.own[node] - self.below[node])

    def cut(self, node: int) -> list[int]:
        """Make a leaf of a node; the nodes above it."""
        change, changed = self.change(node), self.ways_up(node)
        self.leaf[node], self.below[node] = True, self.own[node]
        self.below[changed] += change
        return changed

    def cut_best_first(self, most_change: float) -> None:
        """Cut where it changes errors for the better, or least for the worse, up to `most_change` a cut."""
        queue = [(self.change(node), node) for node in np.flatnonzero(~self.leaf).tolist()]
        heapq.heapify(queue)
        while queue:
            change, node = heapq.heappop(queue)
            if not self.is_there(node) or change != self.change(node):
                continue
            if change > most_change:
                return
            for above in self.cut(node):
                heapq.heappush(queue, (self.change(above), above))

    def cut_bottom_up(self) -> None:
        """Cut every node that has only leaves below it and does no worse without them, until none is left."""
        inner = np.zeros(self.tree.node_count, dtype=np.int64)  # children that are no leaves
        np.add.at(inner, self.above[1:], ~self.leaf[1:])
        for node in np.flatnonzero(~self.leaf)[::-1].tolist():
            if inner[node] == 0 and self.change(node) <= 1e-12 * (1 + self.own[0]):
                self.cut(node)
                if node > 0:
                    inner[self.above[node]] -= 1


def errors_of_nodes(way: Any, target: Array, answer: Array, weight: Array) -> Array:
    """The errors of each node as a leaf: wrong answers, or squares if `answer` holds numbers.

    `way` is the sparse matrix of rows and nodes; `answer` has the class, or the numbers, of each node.
    """
    parts = way.tocoo()
    rows, nodes = parts.row, parts.col
    if answer.ndim == 1:
        wrong = (target[rows] != answer[nodes]).astype(float)
    else:
        wrong = ((target[rows] - answer[nodes]) ** 2).sum(axis=1)
    return np.bincount(nodes, wrong * parts.data * weight[rows], way.shape[1])


def upper_errors(errors: Array, weight: Array, confidence: float) -> Array:
    """The upper limit of wrong answers: a greater rate would give so few with a chance below `confidence`."""
    from scipy.special import betaincinv

    right = np.maximum(weight - errors, 0.0)
    rate = betaincinv(errors + 1, np.where(right > 0, right, 1.0), 1 - confidence)
    return np.asarray(weight * np.where(right > 0, rate, 1.0))


def pessimistic(tree: Any, confidence: float) -> Any:
    """A tree of classes in which subtrees are leaves where the upper limit of errors does not grow."""
    weight = tree.weighted_n_node_samples
    errors = weight * (1 - tree.value[:, 0].max(axis=1))
    pruning = ErrorPruning(tree, upper_errors(np.maximum(errors, 0.0), weight, confidence))
    for node in np.flatnonzero(~pruning.leaf)[::-1].tolist():
        if pruning.change(node) <= FAIR:
            pruning.cut(node)
    return pruning.kept()
