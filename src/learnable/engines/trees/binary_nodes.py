"""Base class of binary trees, whatever the condition of their splits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...core.validate.features import Array
from .nodes import Nodes


class BinaryNodes(Nodes):
    """Nodes with a left and a right child; both are -1 in a leaf. Node 0 is the root."""

    children_left: Array
    children_right: Array

    @abstractmethod
    def apply(self, X: Array) -> Array:
        """The leaf of each row."""

    @property
    def is_leaf(self) -> Array:
        """Which nodes have no children."""
        return self.children_left < 0

    def parents(self) -> Array:
        """The parent of each node, -1 for the root."""
        parent = np.full(self.node_count, -1, dtype=np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        parent[self.children_left[inner]] = parent[self.children_right[inner]] = inner
        return parent

    def predict(self, X: Array) -> Array:
        """The value of the leaf of each row."""
        return np.asarray(self.value[self.apply(X)])

    def decision_path(self, X: Array) -> Any:
        """A sparse indicator matrix of the nodes that each row passes."""
        from scipy import sparse

        node, parent = self.apply(X), self.parents()
        rows, nodes = [np.arange(X.shape[0])], [node]
        while len(remaining := np.flatnonzero(parent[nodes[-1]] >= 0)):
            rows.append(rows[-1][remaining])
            nodes.append(parent[nodes[-1][remaining]])
        ones = np.ones(sum(map(len, nodes)), dtype=np.int64)
        shape = (X.shape[0], self.node_count)
        return sparse.csr_matrix((ones, (np.concatenate(rows), np.concatenate(nodes))), shape=shape)
