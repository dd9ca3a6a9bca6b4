"""Trees that tell classes apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, declaring, param
from ..engines.trees.tree_checks import flaw_of_labels
from ..parts.class_weights import row_weights
from ._class_leaves import ClassLeaves
from ._tree_base import DecisionTree


@declaring
class ClassTree(DecisionTree, ClassLeaves):
    """A tree whose leaves answer with the shares of the classes in them."""

    class_weight: Any = param(None, 'weight of each class, "balanced" to let all count alike, None for one')

    def _flaw_of_leaves(self, targets: int, width: int) -> str:
        return flaw_of_labels(self._labels(), targets, width)

    def _fit(self, data: Data, trace: Trace) -> None:
        targets, owner = self._class_targets(data.y), type(self).__name__
        weight = np.ones(data.n) if data.weight is None else data.weight
        weight = weight * row_weights(self.class_weight, self._labels(), targets.codes, data.weight, owner)
        self._keep(targets.forest(self._grower(data, weight, targets.unit), owner).tree(0), trace)

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The class, or those of all targets, that most of the weight in the leaf of each row has."""
        return super().predict(X)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """The shares of the classes in the leaf of each row of `X`; a list if there are several targets."""
        return super().predict_proba(X)

    def _probabilities(self, X: Matrix) -> Any:
        return self._shares(self._leaf_values(X))
