"""Trees whose nodes ask on which side of a plane a row lies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.declare import registry
from ...core.validate.features import Array
from .binary_nodes import BinaryNodes
from .split_conditions import Condition, Side
from .tree_checks import flaw_of_arrays, flaw_of_children, flaw_of_statistics, flaw_of_values


@registry.value
@dataclass(frozen=True)
class PlaneTree(BinaryNodes):
    """A tree of planes as arrays with an entry for each node; a child of -1 marks a leaf.

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
        """What is wrong with a tree that came from a file; empty if nothing is."""
        count = len(self.children_left)
        whole = all(
            side.dtype.kind == "i" and side.shape == (count,) for side in (self.children_left, self.children_right)
        )
        if not whole or self.weights.ndim != 2 or any(len(part) != count for part in (self.weights, self.value)):
            return "every node needs children, weights and values"
        return (
            flaw_of_arrays(vars(self), {"threshold": np.float64}, count)
            or flaw_of_children(self.children_left, self.children_right, np.array([0, count]))
            or flaw_of_statistics(vars(self), count)
            or flaw_of_values(self.value, count, self.value.ndim)
        )

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The nodes below one, and what leads to each."""
        left, right = int(self.children_left[node]), int(self.children_right[node])
        if left < 0:
            return []
        weights, cut = tuple(self.weights[node].tolist()), float(self.threshold[node])
        return [(left, Side(weights, cut, False)), (right, Side(weights, cut, True))]

    def apply(self, X: Array) -> Array:
        """The leaf of each row."""
        node, going = np.zeros(len(X), dtype=np.int64), np.arange(len(X))
        while len(going := going[self.children_left[node[going]] >= 0]):
            here = node[going]
            left = np.einsum("ij,ij->i", X[going], self.weights[here]) <= self.threshold[here]
            node[going] = np.where(left, self.children_left[here], self.children_right[here])
        return node

    def pruned(self, keep: Array) -> PlaneTree:
        """The tree in which nodes without `keep` are gone and those above them leaves, in the same order."""
        place = np.cumsum(keep) - 1
        inner = keep & (self.children_left >= 0)
        inner[inner] = keep[self.children_left[inner]]
        left, right = (
            np.where(inner, place[children], -1)[keep] for children in (self.children_left, self.children_right)
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
