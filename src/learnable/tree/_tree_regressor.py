"""Base class of regression trees."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, declaring, param
from ..engines.trees.regression_target import ScaledTarget
from ._tree_base import DecisionTreeBase

Criterion = Literal["squared_error", "friedman_mse", "absolute_error", "poisson"]


@declaring
class TreeRegressorBase(DecisionTreeBase, Regressor):
    """Base class of trees whose leaves predict the mean or the median of their targets."""

    criterion: Criterion = param("squared_error", "loss that a split reduces")

    traits = Traits(double_target=True)

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64).reshape(data.n, -1)
        weight = np.ones(data.n) if data.weight is None else data.weight
        target = ScaledTarget.of(y, self.criterion, type(self).__name__)
        self._grow(target, data, weight, trace)

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The mean or median of the leaf of each row of `X`."""
        return super().predict(X)

    def _predict(self, X: Matrix) -> Array:
        found = self._leaf_values(X)[:, :, 0]
        return found[:, 0] if self.n_outputs_ == 1 else found
