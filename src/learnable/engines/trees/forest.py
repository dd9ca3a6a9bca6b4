"""A fitted forest: its trees packed for prediction, and each tree on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.declare import registry
from ...core.validate.features import Array
from .tree import Tree
from .tree_checks import flaw_of_statistics
from .tree_stack import TreeStack


@registry.value
@dataclass(frozen=True)
class Forest:
    """A stack of trees, with the impurity and the training rows of each node; `targets` is the number of outputs."""

    stack: TreeStack
    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    targets: int

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Forest:
        """The forest of some trees, at least one."""
        joined = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in NODE_FIELDS}
        return cls(TreeStack.of(trees), targets=trees[0].value.shape[1], **joined)

    def flaw(self) -> str:
        """The defect of a forest read from a file; empty if it is valid."""
        count, width = self.stack.value.shape
        if flaw := flaw_of_statistics(vars(self), count, NODE_FIELDS):
            return flaw
        valid = self.targets >= 1 and width % self.targets == 0
        return "" if valid else "every target needs values of the same width"

    def __len__(self) -> int:
        return len(self.stack)

    def __add__(self, more: Forest) -> Forest:
        """The trees of both."""
        joined = {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in NODE_FIELDS}
        return Forest(self.stack + more.stack, targets=self.targets, **joined)

    def tree(self, t: int) -> Tree:
        """One of the trees, which shares its memory with the forest."""
        stack = self.stack
        nodes = slice(int(stack.start[t]), int(stack.start[t + 1]))
        sets = stack.set_start[nodes.start : nodes.stop + 1]
        return Tree(
            stack.left[nodes],
            stack.right[nodes],
            stack.feature[nodes],
            stack.threshold[nodes],
            stack.missing_left[nodes],
            sets - sets[0],
            stack.set_words[sets[0] : sets[-1]],
            self.impurity[nodes],
            self.n_node_samples[nodes],
            self.weighted_n_node_samples[nodes],
            stack.value[nodes].reshape(nodes.stop - nodes.start, self.targets, -1),
        )

    def trees(self) -> list[Tree]:
        """All trees."""
        return [self.tree(t) for t in range(len(self))]

    def means(self, X: Array) -> Array:
        """The mean over the trees of the values of the leaf of each row: (rows, targets, width)."""
        return np.asarray(self.stack.sums(X).reshape(len(X), self.targets, -1) / len(self))

    def importances(self, columns: int) -> Array:
        """Impurity-based importance of each column, averaged over the trees; zeros if no tree has a split."""
        found = [tree.compute_feature_importances(columns) for tree in self.trees() if tree.node_count > 1]
        mean = np.mean(found, axis=0) if found else np.zeros(columns)
        return np.asarray(mean / mean.sum()) if mean.sum() > 0 else mean

    def decision_path(self, X: Array) -> tuple[Any, Array]:
        """A sparse indicator matrix of the nodes that each row passes, and the first column of each tree."""
        from scipy import sparse

        paths = [tree.decision_path(X) for tree in self.trees()]
        return sparse.hstack(paths).tocsr(), self.stack.start.copy()


NODE_FIELDS = ("impurity", "n_node_samples", "weighted_n_node_samples")
