"""What all grown trees have in common, however many branches their nodes have."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...core.validate.features import Array
from ...core.validate.sparse_input import ChecksSparse


class Nodes(ChecksSparse, ABC):
    """Arrays with an entry for each node; the first node is above all."""

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
        """The node above each, -1 for the first."""

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.impurity)

    @property
    def n_leaves(self) -> int:
        """How many of them are leaves."""
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        """How many divisions a row passes at most."""
        return int(self.depth().max())

    def depth(self) -> Array:
        """The number of divisions above each node, counted by steps upwards that double."""
        above = self.parents()
        depth = (above >= 0).astype(np.int64)
        while (going := above >= 0).any():
            depth[going] += depth[above[going]]
            above = np.where(going, above[above], -1)
        return depth

    @property
    def mean_impurity(self) -> float:
        """The impurity that the leaves leave, each by its weight."""
        weight = np.where(self.is_leaf, self.weighted_n_node_samples, 0.0)
        return float(self.impurity @ weight / self.weighted_n_node_samples[0])


class ColumnNodes(Nodes):
    """Nodes that each ask about one column, `feature`; that of a leaf is -2."""

    feature: Array

    def compute_feature_importances(self, columns: int, normalize: bool = True) -> Array:
        """How much impurity the divisions by each column remove; shares of all, if `normalize`."""
        loss, above = self.weighted_n_node_samples * self.impurity, self.parents()
        below = above >= 0
        removed = loss - np.bincount(above[below], loss[below], self.node_count)
        inner = ~self.is_leaf
        found = np.bincount(self.feature[inner], removed[inner], columns) / self.weighted_n_node_samples[0]
        total = found.sum()
        return found / total if normalize and total > 0 else np.asarray(found)
