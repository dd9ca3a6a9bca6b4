"""Additive tree models: one form of trees, forests and boosted trees, for explanations and exports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array
from .tree import Tree
from .tree_stack import TreeStack


def is_tree_sum(model: Any) -> bool:
    """Whether a model is a sum of trees; boosting that starts from another model (`init`) is not."""
    return hasattr(model, "_tree_sum") and getattr(model, "given_init_", None) is None


@dataclass(frozen=True)
class TreeSum:
    """A sum of trees: base + scale x sum_t leaf_t(x); `cover` is the weight of the training rows at each node.

    A model whose prediction or score is such a sum has a method `_tree_sum()`; `link` turns the score into the
    prediction of a regression.
    """

    stack: TreeStack
    cover: Array
    scale: float
    base: Array
    link: str = "identity"

    @classmethod
    def of(cls, trees: Sequence[Tree], scale: float = 1.0, base: Any = 0.0, output: Any = None) -> TreeSum:
        """The sum of some trees; `output` is the column of the score to which each tree adds."""
        cover = np.concatenate([tree.weighted_n_node_samples for tree in trees]).astype(np.float64)
        return cls(TreeStack.of(trees, output), cover, scale, np.atleast_1d(np.asarray(base, dtype=np.float64)))

    @property
    def outputs(self) -> int:
        """Number of columns of the score."""
        return self.stack.value.shape[1] if self.stack.value.shape[1] > 1 else int(self.stack.output.max()) + 1

    def predict(self, X: Array) -> Array:
        """The sum for each row, a column for each output."""
        return np.asarray(self.base + self.scale * self.stack.sums(X))

    def shapley(self, X: Array, background: Array | None = None) -> tuple[Array, Array]:
        """Shapley value of each column for each row (rows, columns, outputs), and the mean score.

        Unknown columns are distributed as in the training rows at each node, or as in the rows of a background sample.
        """
        outputs = self.outputs
        phi, mean = np.empty((len(X), X.shape[1] * outputs)), np.empty(outputs)
        arrays = tuple(getattr(self.stack, part.name) for part in fields(self.stack))
        if background is None:
            kernels.tree_shap(arrays, self.cover, X, phi, mean)
        else:
            kernels.tree_shap_against(arrays, self.cover, X, background, phi)
            mean = self.stack.sums(background).mean(axis=0)
        return self.scale * phi.reshape(len(X), X.shape[1], outputs), self.base + self.scale * mean
