"""Many grown trees: packed for prediction, and each of them on its own."""

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
    """Trees as a stack, with what each of its nodes knows of the rows that came to it; `targets` of each value."""

    stack: TreeStack
    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    targets: int

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Forest:
        """The forest of some trees, at least one."""
        joined = {part: np.concatenate([getattr(tree, part) for tree in trees]) for part in PARTS}
        return cls(TreeStack.of(trees), targets=trees[0].value.shape[1], **joined)

    def flaw(self) -> str:
        """What is wrong with a forest that came from a file; empty if nothing is."""
        count, width = self.stack.value.shape
        if flaw := flaw_of_statistics(vars(self), count, PARTS):
            return flaw
        return "" if self.targets >= 1 and width % self.targets == 0 else "values must be as many of each target"

    def __len__(self) -> int:
        return len(self.stack)

    def __add__(self, more: Forest) -> Forest:
        """The trees of both."""
        joined = {part: np.concatenate([getattr(self, part), getattr(more, part)]) for part in PARTS}
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
        """The mean over the trees of the share of the impurity that each column removes; zeros if none divides."""
        found = [tree.compute_feature_importances(columns) for tree in self.trees() if tree.node_count > 1]
        mean = np.mean(found, axis=0) if found else np.zeros(columns)
        return np.asarray(mean / mean.sum()) if mean.sum() > 0 else mean

    def decision_path(self, X: Array) -> tuple[Any, Array]:
        """A sparse matrix that marks the nodes on the way of each row, and the column at which each tree begins."""
        from scipy import sparse

        ways = [tree.decision_path(X) for tree in self.trees()]
        return sparse.hstack(ways).tocsr(), self.stack.start.copy()


PARTS = ("impurity", "n_node_samples", "weighted_n_node_samples")
