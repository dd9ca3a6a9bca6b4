"""Base class of forest regressors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, Data, DataError, Matrix, Regressor, Trace, Traits, declaring, learned, param
from ...core.errors import ParameterError
from ...core.r2 import r_squared
from ...engines.trees.builder import Draws
from ...engines.trees.leaf_targets import LeafTargets
from ...engines.trees.regression_target import ScaledTarget
from .._out_of_bag import out_of_bag_scores
from .forest_base import ForestBase

Criterion = Literal["squared_error", "friedman_mse", "absolute_error", "poisson"]


@declaring
class ForestRegressorBase(ForestBase, Regressor):
    """Base class of forests that predict the mean over the trees."""

    criterion: Criterion = param("squared_error", "loss that a split reduces")
    keep_targets: bool = param(False, "whether to store the targets in the leaves, for `predict_quantiles`")
    oob_prediction_: Array = learned("out-of-bag prediction of each training row", optional=True)
    leaf_targets_: LeafTargets = learned("the training targets in the leaves", optional=True)

    traits = Traits(flat_target=True, double_target=True)

    def _unsound(self) -> str:
        kept, stack = self.__dict__.get("leaf_targets_"), self.forest_.stack
        if kept is not None and (len(kept.start) != len(stack.left) + 1 or len(kept.first) != len(stack)):
            return "leaf_targets_ must hold the targets of each node"
        return super()._unsound()

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64).reshape(data.n, -1)
        weight = np.ones(data.n) if data.weight is None else data.weight
        target = ScaledTarget.of(y, self.criterion, type(self).__name__)
        columns, draws = self._grow(target, data, weight, trace)
        if self.oob_score and draws is not None:
            self._score_out_of_bag(columns.numbers, draws, y, data.weight)
        if self.keep_targets:
            self._store_targets(columns.numbers, draws, y, weight)

    def _score_out_of_bag(self, X: Array, draws: Draws, y: Array, weight: Array | None) -> None:
        flat = y.shape[1] == 1

        def score(predicted: Array, rows: Array) -> float:
            if callable(self.oob_score):
                return float(self.oob_score(y[rows, 0] if flat else y[rows], predicted[:, 0] if flat else predicted))
            return r_squared(y[rows], predicted, None if weight is None else weight[rows])

        counts = draws.counts(self.seeds_)
        predicted, self.oob_curve_, self.oob_score_ = out_of_bag_scores(self.forest_, X, counts, score)
        self.oob_prediction_ = predicted[:, 0] if flat else predicted

    def _store_targets(self, X: Array, draws: Draws | None, y: Array, weight: Array) -> None:
        if y.shape[1] > 1:
            raise ParameterError(f"{type(self).__name__}: keep_targets needs a single target; fit one forest for each")
        counts = None if draws is None else draws.counts(self.seeds_)
        self.leaf_targets_ = LeafTargets.of(self.forest_.stack, X, y[:, 0], weight, counts)

    def _predict(self, X: Matrix) -> Array:
        found = self.forest_.means(self._coded(X))[:, :, 0]
        return found[:, 0] if self.n_outputs_ == 1 else found

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Array:
        """Conditional quantiles of the target for the rows of `X`, a column for each (quantile regression forest).

        F(y | x) = sum_i w_i(x) [y_i <= y],    w_i(x) = mean over trees of the weight of row i in the leaf of x

        [Meinshausen, 2006]. Needs a fit with `keep_targets=True`. The quantiles 0.05 and 0.95 form a 90 % prediction
        interval.
        """
        matrix = self._coded(self._read(X))
        levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        if not ((levels >= 0) & (levels <= 1)).all():
            raise ParameterError(f"{type(self).__name__}: quantiles must be between 0 and 1; got {quantiles!r:.60}")
        if "leaf_targets_" not in self.__dict__:
            raise DataError(f"{type(self).__name__}: predict_quantiles needs a fit with keep_targets=True")
        return self.leaf_targets_.quantiles(self.forest_.stack.leaves(matrix), levels)

    def _facts(self) -> dict[str, Any]:
        return {}
