"""The mean of the nearest rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param
from ..engines.cv_path import FoldPaths
from ..engines.folds import Fold
from ._all_k_scores import number_paths
from ._feature_weights import FeatureWeights, learn_weights, number_loss, of_features
from ._neighbors_base import LeavingOut, WithNearest
from ._neighbour_weights import polled
from ._voting import SAYS, is_weighting, mean, median


@estimator
class KNeighborsRegressor(WithNearest, LeavingOut, Regressor):
    """K-nearest neighbours regression: the mean, or the median, of the targets of the nearest training rows.

    f(x) = sum of w_i y_i / sum of w_i,    over the k rows nearest to x

    Rows count alike, by 1 / distance or by exp(-distance^2 / 2); neighbours are exact whatever the algorithm. All k are
    compared in one pass by GridSearchCV over n_neighbors and by `score_every_k`. A weighted row counts for as many
    neighbours. [Fix and Hodges, 1951]

    >>> KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [5]], [1.0, 3.0, 9.0]).predict([[0.4]])
    array([2.])
    """

    n_neighbors: int = param(
        5, "number of neighbours", at_least=1, kw_only=False, tune=(1, 3, 5, 9, 15, 25), simpler="larger"
    )
    weights: Any = param(
        "uniform",
        "weight of a neighbour: uniform, by distance, or a function of the distances",
        accepts=is_weighting,
        says=SAYS,
    )
    average: Literal["mean", "median"] = param("mean", "mean or median of the targets of the neighbours")
    feature_weights: FeatureWeights = param(
        None, 'factor of each column in the distance, or "learn" to fit them by leave-one-out'
    )

    targets_: Array = learned("target of each row kept", shape="rows targets?")
    counts_: Array | None = learned("weight of each row kept, None if all count alike", shape="rows")
    feature_weights_: Array | None = learned("factor of each column, None if all are 1", shape="columns")

    traits = Traits(multi_target=True)
    validation_paths = ("n_neighbors",)
    title = "k-nearest neighbours regression"
    reference = "Fix and Hodges, 1951"

    def _fit(self, data: Data, trace: Trace) -> None:
        kept = self._counting(data)
        self.targets_ = data.y[kept]
        self.counts_ = None if data.weight is None else data.weight[kept]
        X = data.X[kept]
        self.feature_weights_ = learn_weights(self, X, self.targets_, number_loss)
        self._keep(of_features(X, self.feature_weights_))
        trace.exact("the training rows themselves are kept")

    def _predict(self, X: Matrix) -> Array:
        rows, weight = polled(self, X)
        values = self.targets_.reshape(len(self.targets_), -1)[rows].astype(np.float64)
        found = (mean if self.average == "mean" else median)(values, weight)
        return found.reshape(len(rows), *self.targets_.shape[1:]).astype(self.targets_.dtype, copy=False)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        return number_paths(self, values, data, parts)
