"""The mean of all rows within a radius."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ._neighbors_base import LeavingOut, WithRadius
from ._radius_voting import query_of, weight_of
from ._voting import SAYS, is_weighting


@estimator
class RadiusNeighborsRegressor(WithRadius, LeavingOut, Regressor):
    """Radius neighbours regression: the mean of the targets of all training rows within a radius.

    f(x) = sum of w_i y_i / sum of w_i,    over all rows with d(x, x_i) <= radius

    Rows without any neighbour get NaN and a warning. A weighted row counts for as many. [Bentley, 1975]

    >>> RadiusNeighborsRegressor(radius=1.0).fit([[0], [1], [5]], [1.0, 3.0, 9.0]).predict([[0.4]])
    array([2.])
    """

    radius: float = param(
        1.0,
        "neighbourhood radius",
        at_least=0,
        kw_only=False,
        tune=(0.5, 1.0, 2.0),
        simpler="larger",
    )
    weights: Any = param(
        "uniform",
        "weight of a neighbour: uniform, by distance, or a function of the distances",
        accepts=is_weighting,
        says=SAYS,
    )

    targets_: Array = learned("target of each row kept", shape="rows targets?")
    counts_: Array | None = learned("weight of each row kept, None if all count alike", shape="rows")

    traits = Traits(multi_target=True)
    title = "radius neighbours regression"
    reference = "Bentley, 1975"

    def _fit(self, data: Data, trace: Trace) -> None:
        kept = self._counting(data)
        self.targets_ = data.y[kept]
        self.counts_ = None if data.weight is None else data.weight[kept]
        self._keep(data.X[kept])
        trace.exact("the training rows themselves are kept")

    def _predict(self, X: Matrix) -> Array:
        found = self._within(X, self.radius)
        queries, query, weight = len(found[2]) - 1, query_of(found), weight_of(self, found)
        total = np.bincount(query, weight, queries)
        values = self.targets_.reshape(len(self.targets_), -1)[found[1]].astype(np.float64)
        share = weight / np.where(total > 0, total, 1.0)[query]
        means = np.column_stack([np.bincount(query, share * column, queries) for column in values.T]).astype(np.float64)
        alone = np.diff(found[2]) == 0
        if alone.any():
            warn("Some rows have no neighbour within the radius: their prediction is NaN.", UserWarning)
            means[alone] = np.nan
        return means.reshape(queries, *self.targets_.shape[1:]).astype(self.targets_.dtype, copy=False)
