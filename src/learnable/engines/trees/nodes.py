"""Base classes of fitted trees, binary or multiway."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...core.validate.features import Array
from ...core.validate.sparse_input import ChecksSparse


class Nodes(ChecksSparse, ABC):
    """Arrays with an entry for each node; node 0 is the root."""

    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    value: Array

    @property
    @abstractmethod
    def is_leaf(self) -> Array:
        """Which nodes are leaves."""

    @abstractmethod
    def parents(self) -> Array:
        """The parent of each node, -1 for the root."""

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.impurity)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        """Maximum number of splits from the root to a leaf."""
        return int(self.depth().max())

    def depth(self) -> Array:
        """Depth of each node, by pointer doubling towards the root."""
        ancestor = self.parents()
        depth = (ancestor >= 0).astype(np.int64)
        while (inside := ancestor >= 0).any():
            depth[inside] += depth[ancestor[inside]]
            ancestor = np.where(inside, ancestor[ancestor], -1)
        return depth

    @property
    def mean_impurity(self) -> float:
        """Mean impurity of the leaves, weighted by their rows."""
        weight = np.where(self.is_leaf, self.weighted_n_node_samples, 0.0)
        return float(self.impurity @ weight / self.weighted_n_node_samples[0])


class ColumnNodes(Nodes):
    """Nodes that each split on one column, `feature`; that of a leaf is -2."""

    feature: Array

    def compute_feature_importances(self, columns: int | None = None, normalize: bool = True) -> Array:
        """Total impurity decrease by the splits on each column; as fractions of the sum, if `normalize`.

        Without the number of `columns`, up to the last one that is split on.
        """
        columns = max(int(self.feature.max()) + 1, 0) if columns is None else columns
        loss, parent = self.weighted_n_node_samples * self.impurity, self.parents()
        below = parent >= 0
        removed = loss - np.bincount(parent[below], loss[below], self.node_count)
        inner = ~self.is_leaf
        found = np.bincount(self.feature[inner], removed[inner], columns) / self.weighted_n_node_samples[0]
        total = found.sum()
        return found / total if normalize and total > 0 else np.asarray(found)
