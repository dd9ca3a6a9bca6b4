"""Base class of classification trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, declaring, param
from ..engines.trees.classification_target import ClassificationTarget
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
        target = ClassificationTarget.of(data.y, self.classes_, self.criterion)
        self.n_classes_ = target.sizes if isinstance(self.classes_, list) else target.sizes[0]
        weight = np.ones(data.n) if data.weight is None else data.weight
        if self.class_weight is not None:
            owner = type(self).__name__
            weight = weight * row_weights(self.class_weight, self._labels(), target.codes, data.weight, owner)
        self._grow(target, data, weight, trace)

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The majority class, or those of all targets, in the leaf of each row of `X`."""
        return super().predict(X)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Class probabilities: proportions in the leaf of each row of `X`; a list for several targets."""
        return super().predict_proba(X)

    def _probabilities(self, X: Matrix) -> Any:
        return self._split_targets(self._leaf_values(X))
