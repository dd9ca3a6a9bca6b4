"""Gradient boosting with exact trees for regression."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, estimator, learned, param
from ..dummy import DummyRegressor
from ..parts import losses
from ._boosting.boosting_regressor import BoostedTreesRegressor
from ._boosting.gradient_boosting_base import GradientBoostingBase
from ._boosting.heads import RegressionHead

Losses = Literal["squared_error", "absolute_error", "huber", "quantile", "log_cosh", "poisson", "gamma"]


@estimator
class GradientBoostingRegressor(GradientBoostingBase, BoostedTreesRegressor):
    """Gradient boosting regressor: trees fitted one after the other, each to the negative gradient of the loss.

    minimise over f    sum_i loss(y_i, f(x_i)),    f <- f + learning_rate tree,   tree ~ -d loss / d f

    A tree fits the negative gradients by least squares; then each leaf takes the value that minimises the loss of its
    rows: the mean residual (squared_error), their median (absolute_error) or quantile, or for the Huber loss the median
    plus the mean of the deviations from it, clipped at the `alpha` quantile of all absolute residuals. Every split is
    exact; for many rows see HistGradientBoostingRegressor. [Friedman, 2001 and 2002]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 4.0, 4.0]
    >>> GradientBoostingRegressor(n_estimators=2, learning_rate=0.5).fit(X, y).predict(X)
    array([0.5, 0.5, 3.5, 3.5])
    """

    loss: Losses = param("squared_error", "loss function")
    alpha: float = param(
        0.9,
        "level of the predicted quantile, or quantile of the residuals at which the Huber loss becomes linear",
        above=0,
        below=1,
    )
    baseline_: Array = learned("score before the first tree", shape="outputs")

    title = "gradient boosting regressor"
    reference = "Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001"

    def _named_loss(self) -> Any:
        if self.loss == "quantile":
            return losses.Quantile(self.alpha)
        return losses.Huber() if self.loss == "huber" else super()._named_loss()

    def _huber_quantile(self) -> float | None:
        return self.alpha if self.loss == "huber" else None

    def _head(self) -> RegressionHead:
        head = super()._head()
        return replace(head, constant_loss=losses.Absolute()) if self.loss == "huber" else head

    def _init_target(self, data: Data) -> Array:
        return data.y

    def _initial_scores(self, X: Array) -> Array:
        if self.given_init_ is None:
            return np.full((1, len(X)), self.baseline_[0])
        prediction = np.asarray(self.given_init_.predict(X), dtype=np.float64).reshape(1, -1)
        return prediction / self.scale_ if self._named_loss().link == "identity" else np.log(prediction)

    def _constant(self) -> DummyRegressor:
        quantile = {"quantile": self.alpha, "absolute_error": 0.5, "huber": 0.5}.get(self.loss)
        model = DummyRegressor(strategy="mean" if quantile is None else "quantile", quantile=quantile)
        return model.fit([[0.0]], self._head().predict(self.baseline_[None]))

    def _loss_unit(self) -> float:
        return super()._loss_unit() * (2.0 if self.loss == "squared_error" else 1.0)
