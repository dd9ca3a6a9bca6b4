"""Boosted trees with penalised leaves that predict numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, param
from ..engines.trees.boosting import Lesson
from ..parts import losses
from ._boosting.boosting_regressor import BoostedNumbers
from ._boosting.custom_loss import GivenLoss
from ._boosting.regularized_boosting_base import RegularizedBoosting

Losses = Literal["squared_error", "absolute_error", "quantile", "huber", "log_cosh", "poisson", "gamma"]


@estimator
class RegularizedBoostingRegressor(BoostedNumbers, RegularizedBoosting):
    """Numbers predicted by trees that grow one after the other, where leaves and their values have prices.

    minimise over a tree  sum_i (g_i v_i + h_i v_i^2 / 2) + sum_leaves (gamma + reg_lambda v^2 / 2 + reg_alpha |v|)

    where g and h are the gradient and curvature of the loss at the scores so far. A leaf with sums G and H takes the
    value v = -G / (H + reg_lambda); a division must gain (G_l^2 / (H_l + reg_lambda) + G_r^2 / (H_r + reg_lambda) - G^2
    / (H + reg_lambda)) / 2 > gamma, if reg_alpha is zero. `loss` may be a function of targets and scores that returns
    gradients and curvatures, and third the losses, by which alone it can stop early. Stopping early keeps the best
    stage. [Chen and Guestrin, 2016; Ke et al., 2017]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 4.0, 4.0]
    >>> RegularizedBoostingRegressor(n_estimators=1, learning_rate=1.0).fit(X, y).predict(X).round(3)
    array([0.667, 0.667, 3.333, 3.333])
    """

    loss: Losses | Callable[..., Any] = param("squared_error", "what a wrong prediction costs, or its derivatives")
    quantile: float = param(0.5, 'level of loss="quantile"', between=(0, 1))
    huber_slope: float = param(1.0, 'residual from which on loss="huber" is straight', above=0)

    reference = "Chen and Guestrin, XGBoost: a scalable tree boosting system, KDD 2016"

    def _fit(self, data: Data, trace: Trace) -> None:
        y = self._in_units(data)
        loss = self._given(self.loss, y) if callable(self.loss) else self._loss()
        self._boost(loss, data, y, data.weight, trace, self._unit())

    def _loss(self) -> Any:
        if callable(self.loss):
            return GivenLoss(self.loss)
        if self.loss == "quantile":
            return losses.Quantile(self.quantile)
        return losses.Huber(self.huber_slope / self.scale_) if self.loss == "huber" else super()._loss()

    def _start(self, lesson: Lesson) -> Array:
        return super()._start(lesson) if self.base_score is None else np.array([self.base_score / self.scale_])
