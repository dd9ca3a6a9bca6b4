"""Growth that stops at a training score: the first nodes of best-first growth that reach it."""

from __future__ import annotations

import heapq

import numpy as np

from ....core.validate.features import Array
from ..tree import Tree
from .pruned_tree import PruningState


def grown_until(tree: Tree, value: Array, enough: float) -> Tree:
    """The tree when best-first growth first had leaves with values of at least `enough` in total.

    `value` is what each node contributes as a leaf. The leaf whose split reduces the impurity most is split next; the
    whole tree is returned if it does not reach `enough`.
    """
    impurity = tree.impurity * tree.weighted_n_node_samples
    state, total, queue = PruningState(tree), float(value[0]), [(0.0, 0)]
    state.leaf[:] = True
    while queue and total < enough:
        _, node = heapq.heappop(queue)
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            continue
        state.leaf[node] = False
        total += float(value[left] + value[right] - value[node])
        for child in (left, right):
            sides = tree.children_left[child], tree.children_right[child]
            below = 0.0 if sides[0] < 0 else float(impurity[sides[0]] + impurity[sides[1]])
            heapq.heappush(queue, (below - float(impurity[child]), child))
    smaller: Tree = state.pruned_tree()
    return smaller


def training_accuracy(tree: Tree) -> Array:
    """The weight of the rows that each node classifies correctly, averaged over the targets."""
    return np.asarray(tree.value.max(axis=2).mean(axis=1) * tree.weighted_n_node_samples)


def explained_impurity(tree: Tree) -> Array:
    """The impurity of the root less that of each node, times their weights, as a fraction of the weight of the root."""
    weight, root = tree.weighted_n_node_samples, float(tree.impurity[0]) or 1.0
    return np.asarray(weight * (1 - tree.impurity / root))
