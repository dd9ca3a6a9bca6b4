"""Boosted trees over binned columns that predict numbers."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Data, Trace, estimator, param
from ..core.errors import ParameterError
from ..parts import losses
from ._boosting.boosting_regressor import BoostedNumbers
from ._boosting.hist_gradient_boosting_base import HistGradientBoosting

Losses = Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"]


@estimator
class HistGradientBoostingRegressor(BoostedNumbers, HistGradientBoosting):
    """Numbers predicted by many small trees, each grown from what those before it left over.

    minimise over the next tree    sum_i (g_i v_i + h_i v_i^2 / 2)  +  l2_regularization sum_leaves v^2 / 2

    where g and h are the gradient and curvature of the loss at the scores f so far, and v_i is the value of the leaf of
    row i; then f <- f + learning_rate v. Columns are put into at most 255 bins once; a level costs O(p n), and the sums
    of the larger side of a node are what the smaller leaves. Missing entries have a bin of their own and go where they
    help; categories are divided by the order of their gradients. Weights that are whole numbers count rows.
    [Friedman, 2001; Ke et al., 2017]

    >>> import numpy as np
    >>> X = np.arange(200.0)[:, None]
    >>> model = HistGradientBoostingRegressor().fit(X, np.floor(X[:, 0] / 100))
    >>> model.predict([[20.0], [180.0]]).round(3)
    array([0., 1.])
    """

    loss: Losses = param("squared_error", "what a wrong prediction costs", kw_only=False)
    quantile: float | None = param(None, 'level of loss="quantile"', between=(0, 1))

    reference = "Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NeurIPS 2017"

    def _fit(self, data: Data, trace: Trace) -> None:
        y = self._in_units(data)
        self._boost(self._loss(), data, y, data.weight, trace, self._unit())

    def _loss(self) -> Any:
        if self.loss != "quantile":
            return super()._loss()
        if self.quantile is None:
            raise ParameterError(f'{type(self).__name__}: loss="quantile" needs a level; set quantile')
        return losses.Quantile(self.quantile)
