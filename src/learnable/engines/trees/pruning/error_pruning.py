"""Pruning by errors: reduced errors on a validation set, or pessimistic estimates from the training errors."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....core.validate.features import Array
from .pruned_tree import PruningState

TOLERANCE = 0.1  # errors by which a pruned tree may be worse, as in C4.5


@dataclass
class ErrorPruning(PruningState):
    """Nodes turned into leaves one by one, by the errors `own` that each node would make as a leaf.

    Pruning at node t changes the errors by own(t) - sum of own over the leaves below t.
    """

    own: Array
    below: Array = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.below = np.where(self.leaf, self.own, 0.0)
        for node in range(self.tree.node_count - 1, 0, -1):  # children come after their parents
            self.below[self.parent[node]] += self.below[node]

    def change(self, node: int) -> float:
        """Increase of the errors by pruning at a node."""
        return float(self.own[node] - self.below[node])

    def cut(self, node: int) -> list[int]:
        """Turn a node into a leaf; returns its ancestors."""
        change, changed = self.change(node), self.ancestors(node)
        self.leaf[node], self.below[node] = True, self.own[node]
        self.below[changed] += change
        return changed

    def cut_best_first(self, max_change: float) -> None:
        """Prune in order of the increase of the errors, while an increase is at most `max_change`."""
        queue = [(self.change(node), node) for node in np.flatnonzero(~self.leaf).tolist()]
        heapq.heapify(queue)
        while queue:
            change, node = heapq.heappop(queue)
            if not self.is_split(node) or change != self.change(node):
                continue
            if change > max_change:
                return
            for ancestor in self.cut(node):
                heapq.heappush(queue, (self.change(ancestor), ancestor))

    def cut_bottom_up(self, max_change: float) -> None:
        """Prune every node whose children are leaves where the errors rise by at most `max_change`, repeatedly."""
        inner = np.zeros(self.tree.node_count, dtype=np.int64)  # children that are not leaves
        np.add.at(inner, self.parent[1:], ~self.leaf[1:])
        for node in np.flatnonzero(~self.leaf)[::-1].tolist():
            if inner[node] == 0 and self.change(node) <= max_change:
                self.cut(node)
                if node > 0:
                    inner[self.parent[node]] -= 1


def node_errors(path: Any, target: Array, prediction: Array, weight: Array) -> Array:
    """The errors of each node as a leaf: misclassified weight, or squared errors of a regression.

    `path` is the sparse decision path of the rows; `prediction` has the class, or the values, of each node.
    """
    visits = path.tocoo()
    rows, nodes = visits.row, visits.col
    if prediction.ndim == 1:
        wrong = (target[rows] != prediction[nodes]).astype(float)
    else:
        wrong = ((target[rows] - prediction[nodes]) ** 2).sum(axis=1)
    return np.bincount(nodes, wrong * visits.data * weight[rows], path.shape[1])


def upper_error_limits(errors: Array, weight: Array, confidence: float) -> Array:
    """Upper confidence limit of the errors: a greater rate gives this few with probability below `confidence`."""
    from scipy.special import betaincinv

    right = np.maximum(weight - errors, 0.0)
    rate = betaincinv(errors + 1, np.where(right > 0, right, 1.0), 1 - confidence)
    return np.asarray(weight * np.where(right > 0, rate, 1.0))


def prune_pessimistically(tree: Any, confidence: float) -> Any:
    """Pessimistic pruning of a classification tree: a subtree becomes a leaf if the upper error limit does not grow."""
    weight = tree.weighted_n_node_samples
    errors = weight * (1 - tree.value[:, 0].max(axis=1))
    pruning = ErrorPruning(tree, upper_error_limits(np.maximum(errors, 0.0), weight, confidence))
    for node in np.flatnonzero(~pruning.leaf)[::-1].tolist():
        if pruning.change(node) <= TOLERANCE:
            pruning.cut(node)
    return pruning.pruned_tree()
