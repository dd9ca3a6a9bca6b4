"""A fitted oblique decision tree, whose splits are hyperplanes, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.declare import registry
from ...core.validate.features import Array
from .binary_nodes import BinaryNodes
from .split_conditions import Condition, HalfSpace
from .tree_checks import flaw_of_arrays, flaw_of_children, flaw_of_statistics, flaw_of_values


@registry.value
@dataclass(frozen=True)
class PlaneTree(BinaryNodes):
    """A tree of hyperplane splits as arrays with an entry for each node; a child of -1 marks a leaf.

    A row x goes left if weights . x is at most the threshold.
    """

    children_left: Array
    children_right: Array
    weights: Array
    threshold: Array
    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    value: Array

    def flaw(self) -> str:
        """The defect of a tree read from a file; empty if it is valid."""
        count = len(self.children_left)
        valid = all(
            side.dtype.kind == "i" and side.shape == (count,) for side in (self.children_left, self.children_right)
        )
        if not valid or self.weights.ndim != 2 or any(len(part) != count for part in (self.weights, self.value)):
            return "every node needs children, weights and values"
        return (
            flaw_of_arrays(vars(self), {"threshold": np.float64}, count)
            or flaw_of_children(self.children_left, self.children_right, np.array([0, count]))
            or flaw_of_statistics(vars(self), count)
            or flaw_of_values(self.value, count, self.value.ndim)
        )

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The children of a node, each with the condition that leads to it."""
        left, right = int(self.children_left[node]), int(self.children_right[node])
        if left < 0:
            return []
        weights, cut = tuple(self.weights[node].tolist()), float(self.threshold[node])
        return [(left, HalfSpace(weights, cut, False)), (right, HalfSpace(weights, cut, True))]

    def apply(self, X: Array) -> Array:
        """The leaf of each row."""
        node, rows = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
        while len(rows := rows[self.children_left[node[rows]] >= 0]):
            here = node[rows]
            left = np.einsum("ij,ij->i", X[rows], self.weights[here]) <= self.threshold[here]
            node[rows] = np.where(left, self.children_left[here], self.children_right[here])
        return node

    def pruned(self, keep: Array) -> PlaneTree:
        """The tree without the nodes outside `keep`, whose parents become leaves; the order of nodes stays."""
        new_index = np.cumsum(keep) - 1
        inner = keep & (self.children_left >= 0)
        inner[inner] = keep[self.children_left[inner]]
        left, right = (
            np.where(inner, new_index[children], -1)[keep] for children in (self.children_left, self.children_right)
        )
        return PlaneTree(
            left,
            right,
            np.where(inner[:, None], self.weights, 0.0)[keep],
            np.where(inner, self.threshold, 0.0)[keep],
            self.impurity[keep],
            self.n_node_samples[keep],
            self.weighted_n_node_samples[keep],
            self.value[keep],
        )
