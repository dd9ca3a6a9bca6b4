"""Regularised gradient boosting for regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..core import estimator, param
from ..parts import losses
from ._boosting.boosting_regressor import BoostedTreesRegressor
from ._boosting.custom_loss import CustomLoss
from ._boosting.histogram_boosting import HistogramBoostingBase
from ._boosting.regularized_boosting_params import RegularizedBoostingParams

Losses = Literal["squared_error", "absolute_error", "quantile", "huber", "log_cosh", "poisson", "gamma"]


@estimator
class RegularizedBoostingRegressor(RegularizedBoostingParams, HistogramBoostingBase, BoostedTreesRegressor):
    """Regularized gradient boosting regressor: boosted trees with penalties on leaves and leaf values, as in XGBoost.

    minimise over a tree  sum_i (g_i v_i + h_i v_i^2 / 2) + sum_leaves (gamma + reg_lambda v^2 / 2 + reg_alpha |v|)

    where g and h are the gradient and Hessian of the loss at the scores so far. A leaf with sums G and H takes the
    value v = -G / (H + reg_lambda); a split must gain (G_l^2 / (H_l + reg_lambda) + G_r^2 / (H_r + reg_lambda) - G^2
    / (H + reg_lambda)) / 2 > gamma, if reg_alpha is zero. `loss` may be a function of targets and scores that returns
    gradients and Hessians, and optionally the losses, which early stopping needs. Early stopping keeps the best stage.
    [Chen and Guestrin, 2016; Ke et al., 2017]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 4.0, 4.0]
    >>> RegularizedBoostingRegressor(n_estimators=1, learning_rate=1.0).fit(X, y).predict(X).round(3)
    array([0.667, 0.667, 3.333, 3.333])
    """

    loss: Losses | Callable[..., Any] = param(
        "squared_error", "loss function, or a function that returns its derivatives"
    )
    quantile: float = param(0.5, 'quantile level of loss="quantile"', between=(0, 1))
    huber_slope: float = param(1.0, 'absolute residual from which on loss="huber" is linear', above=0)

    title = "regularized gradient boosting regressor"
    reference = "Chen and Guestrin, XGBoost: a scalable tree boosting system, KDD 2016"

    def _named_loss(self) -> Any:
        if callable(self.loss):
            return CustomLoss(self.loss)
        if self.loss == "quantile":
            return losses.Quantile(self.quantile)
        return losses.Huber(self.huber_slope / self.scale_) if self.loss == "huber" else super()._named_loss()
