"""Base class of classification trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, declaring, param
from ..engines.trees.tree_checks import flaw_of_labels
from ..parts.class_weights import row_weights
from ._class_leaves import TreeClassifierLeaves
from ._tree_base import DecisionTreeBase


@declaring
class TreeClassifierBase(DecisionTreeBase, TreeClassifierLeaves):
    """Base class of trees whose leaves hold class proportions."""

    class_weight: Any = param(None, 'weight of each class; "balanced" for equal total weights, None for ones')

    def _flaw_of_leaves(self, targets: int, width: int) -> str:
        return flaw_of_labels(self._labels(), targets, width)

    def _fit(self, data: Data, trace: Trace) -> None:
        targets, owner = self._class_targets(data.y), type(self).__name__
        weight = np.ones(data.n) if data.weight is None else data.weight
        weight = weight * row_weights(self.class_weight, self._labels(), targets.codes, data.weight, owner)
        self._keep(targets.forest(self._grower(data, weight, targets.unit), owner).tree(0), trace)

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The majority class, or those of all targets, in the leaf of each row of `X`."""
        return super().predict(X)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Class probabilities: proportions in the leaf of each row of `X`; a list for several targets."""
        return super().predict_proba(X)

    def _probabilities(self, X: Matrix) -> Any:
        return self._split_targets(self._leaf_values(X))
