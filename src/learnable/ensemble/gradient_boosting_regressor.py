"""Gradient boosting with exact trees for regression."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, learned, param
from ..dummy import DummyRegressor
from ..parts import losses
from ._boosting.boosting_regressor import BoostedTreesRegressor
from ._boosting.gradient_boosting_base import GradientBoosting

Losses = Literal["squared_error", "absolute_error", "huber", "quantile", "log_cosh", "poisson", "gamma"]


@estimator
class GradientBoostingRegressor(BoostedTreesRegressor, GradientBoosting):
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

    def _fit(self, data: Data, trace: Trace) -> None:
        y = self._in_units(data)
        self._boost(self._loss(), data, y, trace, self.alpha if self.loss == "huber" else None)

    def _loss(self) -> Any:
        if self.loss == "quantile":
            return losses.Quantile(self.alpha)
        return losses.Huber() if self.loss == "huber" else super()._loss()

    def _begin(self, X: Array, data: Data, rows: Array, y: Array, weight: Array) -> None:
        self._fitted_init(data, rows, data.y)
        best = losses.Absolute() if self.loss == "huber" else self._loss()
        constant = 0.0 if self.init is not None else best.best_constant(y[rows], weight[rows])
        self.baseline_ = np.array([constant])
        self.coding_ = self.__dict__["_coding"]

    def _initial(self, X: Array) -> Array:
        if self.given_init_ is None:
            return np.full((1, len(X)), self.baseline_[0])
        answer = np.asarray(self.given_init_.predict(X), dtype=np.float64).reshape(1, -1)
        return answer / self.scale_ if self._loss().link == "identity" else np.log(answer)

    def _constant(self) -> DummyRegressor:
        share = {"quantile": self.alpha, "absolute_error": 0.5, "huber": 0.5}.get(self.loss)
        model = DummyRegressor(strategy="mean" if share is None else "quantile", quantile=share)
        return model.fit([[0.0]], self._numbers(self.baseline_[None]))

    def _unit(self) -> float:
        return super()._unit() * (2.0 if self.loss == "squared_error" else 1.0)
