"""Boosted exact trees that predict numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..parts import losses
from .gradient_boosting import GradientBoosting
from .hist_gradient_boosting_regressor import power_of_two

Losses = Literal["squared_error", "absolute_error", "huber", "quantile", "log_cosh", "poisson", "gamma"]


@estimator
class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Numbers predicted by trees that grow one after the other, each along the steepest descent of the loss.

    minimise over f    sum_i loss(y_i, f(x_i)),    f <- f + learning_rate tree,   tree ~ -d loss / d f

    A tree fits the negative gradients by least squares; then each of its leaves takes the value that is best for its
    rows: the mean residual (squared_error), their median (absolute_error) or quantile, or for Huber's loss the median r
    plus the mean of the rest beyond it, clipped at the `alpha` quantile of all residuals. Every division is exact; for
    many rows see HistGradientBoostingRegressor. [Friedman, 2001 and 2002]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 4.0, 4.0]
    >>> GradientBoostingRegressor(n_estimators=2, learning_rate=0.5).fit(X, y).predict(X)
    array([0.5, 0.5, 3.5, 3.5])
    """

    loss: Losses = param("squared_error", "what a wrong prediction costs")
    alpha: float = param(
        0.9, "quantile that is predicted, or of the residuals that Huber's loss takes whole", above=0, below=1
    )
    scale_: float = learned("unit of the scores, in that of the target")
    baseline_: Array = learned("score before the first tree", shape="outputs")

    reference = "Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Callable[..., Any] | None = None) -> Self:
        """Learn from rows `X` and targets `y`; `monitor(stage, self, {})` may stop after any stage by a true answer."""
        with self._coded(X, (None, None, None), None):
            self.__dict__["_monitor"] = monitor
            try:
                return super().fit(X, y, sample_weight)
            finally:
                self.__dict__.pop("_monitor", None)

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.astype(np.float64)
        counted = y if data.weight is None else y[data.weight > 0]
        loss = self._loss()
        loss.check(counted)
        in_units = self.loss in ("squared_error", "absolute_error", "huber", "quantile")
        self.scale_ = power_of_two(counted) if in_units else 1.0
        huber = self.alpha if self.loss == "huber" else None
        self._boost(loss, data, y / self.scale_, trace, huber)

    def _loss(self) -> Any:
        kinds = {"squared_error": losses.Squared, "absolute_error": losses.Absolute, "huber": losses.Huber}
        kinds |= {"log_cosh": losses.LogCosh, "poisson": losses.Poisson, "gamma": losses.Gamma}
        return losses.Quantile(self.alpha) if self.loss == "quantile" else kinds[self.loss]()

    def _begin(self, X: Array, data: Data, rows: Array, y: Array, weight: Array) -> None:
        self._fitted_init(data, rows, data.y)
        best = losses.Absolute() if self.loss == "huber" else self._loss()
        constant = 0.0 if self.init is not None else best.best_constant(y[rows], weight[rows])
        self.baseline_ = np.array([constant])
        self.coding_ = self.__dict__["_coding"]

    def _initial(self, X: Array) -> Array:
        if self.init_ is None:
            return np.full((1, len(X)), self.baseline_[0])
        answer = np.asarray(self.init_.predict(X), dtype=np.float64).reshape(1, -1)
        return answer / self.scale_ if self._loss().link == "identity" else np.log(answer)

    def _numbers(self, scores: Array) -> Array:
        return np.asarray(self._loss().predict(scores[:, 0]) * self.scale_)

    def _predict(self, X: Matrix) -> Array:
        return self._numbers(self._scores(X)).astype(X.dtype, copy=False)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each stage."""
        for scores in self._staged_scores(self._read(X)):
            yield self._numbers(scores)

    def _unit(self) -> float:
        unit = self.scale_ ** (2 if self.loss in ("squared_error", "huber") else 1)
        return (unit if 0 < unit < np.inf else 1.0) * (2.0 if self.loss == "squared_error" else 1.0)
