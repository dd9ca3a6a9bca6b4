"""Histogram-based gradient boosting for regression."""

from __future__ import annotations

from typing import Any, Literal

from ..core import estimator, param
from ..core.errors import ParameterError
from ..parts import losses
from ._boosting.boosting_regressor import BoostedTreesRegressor
from ._boosting.hist_gradient_boosting_params import HistGradientBoostingParams
from ._boosting.histogram_boosting import HistogramBoostingBase

Losses = Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"]


@estimator
class HistGradientBoostingRegressor(HistGradientBoostingParams, HistogramBoostingBase, BoostedTreesRegressor):
    """Histogram gradient boosting regressor: small trees over binned columns, each fitted to the gradients so far.

    minimise over the next tree    sum_i (g_i v_i + h_i v_i^2 / 2)  +  l2_regularization sum_leaves v^2 / 2

    where g and h are the gradient and Hessian of the loss at the scores f so far, and v_i is the value of the leaf of
    row i; then f <- f + learning_rate v. Columns are binned once, into at most 255 bins; a level costs O(p n), and the
    histogram of the larger child is that of its parent minus that of its sibling. Missing values have a bin of their
    own and go to the side of the larger gain; categories are split in the order of their gradients. Integer weights
    count rows.
    [Friedman, 2001; Ke et al., 2017]

    >>> import numpy as np
    >>> X = np.arange(200.0)[:, None]
    >>> model = HistGradientBoostingRegressor().fit(X, np.floor(X[:, 0] / 100))
    >>> model.predict([[20.0], [180.0]]).round(3)
    array([0., 1.])
    """

    loss: Losses = param("squared_error", "loss function", kw_only=False)
    quantile: float | None = param(None, 'quantile level of loss="quantile"', between=(0, 1))

    title = "histogram gradient boosting regressor"
    reference = "Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NeurIPS 2017"

    def _named_loss(self) -> Any:
        if self.loss != "quantile":
            return super()._named_loss()
        if self.quantile is None:
            raise ParameterError(f'{type(self).__name__}: loss="quantile" needs the parameter quantile')
        return losses.Quantile(self.quantile)
