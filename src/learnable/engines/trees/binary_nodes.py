"""What trees whose nodes divide in two have in common, whatever they ask of a row."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...core.validate.features import Array
from .nodes import Nodes


class BinaryNodes(Nodes):
    """Nodes with a left and a right child, or none: then -1 stands for both. The first node is above all."""

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
        """The node above each, -1 for the first."""
        above = np.full(self.node_count, -1, dtype=np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        above[self.children_left[inner]] = above[self.children_right[inner]] = inner
        return above

    def predict(self, X: Array) -> Array:
        """The value of the leaf of each row."""
        return np.asarray(self.value[self.apply(X)])

    def decision_path(self, X: Array) -> Any:
        """A sparse matrix that marks the nodes on the way of each row."""
        from scipy import sparse

        node, above = self.apply(X), self.parents()
        rows, nodes = [np.arange(len(X))], [node]
        while len(going := np.flatnonzero(above[nodes[-1]] >= 0)):
            rows.append(rows[-1][going])
            nodes.append(above[nodes[-1][going]])
        marks = np.ones(sum(map(len, nodes)), dtype=np.int64)
        shape = (len(X), self.node_count)
        return sparse.csr_matrix((marks, (np.concatenate(rows), np.concatenate(nodes))), shape=shape)
