"""Trees that predict numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Regressor, Trace, declaring, param
from ..engines.trees import Ground, Tree
from .decision_tree import DecisionTree

Criterion = Literal["squared_error", "friedman_mse", "absolute_error", "poisson"]


@declaring
class NumberTree(DecisionTree, Regressor):
    """A tree whose leaves answer with the mean or the median of the targets in them."""

    criterion: Criterion = param("squared_error", "what a division removes most of")

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64).reshape(data.n, -1)
        weight = np.ones(data.n) if data.weight is None else data.weight
        size = float(np.abs(y).max())
        scale = 2.0 ** np.floor(np.log2(size)) if size > 0 else 1.0  # so that squares are numbers
        power = 2 if self.criterion in ("squared_error", "friedman_mse") else 1
        unit = y.shape[1] / scale**power / (weight.sum() if self.criterion == "friedman_mse" else 1.0)
        tree, centre = self._grow(self._ground(data, weight, unit), y / scale)
        value = (tree.value + centre[:, None]) * scale
        self._keep(replace(tree, value=value, impurity=tree.impurity * scale**power), trace)

    def _grow(self, ground: Ground, y: Array) -> tuple[Tree, Array]:
        """The tree of targets about a centre, and that centre."""
        centre = np.zeros(y.shape[1])
        if self.criterion == "poisson":
            if (y < 0).any() or not y.sum() > 0:
                raise DataError(
                    f"{type(self).__name__}: Some value(s) of y are negative, or all are zero, which is not allowed "
                    "for Poisson regression; use criterion='squared_error'"
                )
            return ground.numbers(y, "poisson"), centre
        if self.criterion == "absolute_error":
            if y.shape[1] > 1:
                raise DataError(f"{type(self).__name__}: absolute_error is for one target; fit one tree for each")
            return ground.deviations(y[:, 0]), centre
        centre = np.average(y, axis=0, weights=ground.weight)
        return ground.numbers(y - centre, "squares"), centre

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The mean or median of the leaf of each row of `X`."""
        return super().predict(X)

    def _predict(self, X: Matrix) -> Array:
        found = self._leaf_values(X)[:, :, 0].astype(X.dtype, copy=False)
        return found[:, 0] if self.n_outputs_ == 1 else found
