"""Boosted trees with penalised leaves that predict numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, param
from ..engines.boosting import Lesson
from ..parts import losses
from .given_loss import GivenLoss
from .held_out import Standing
from .hist_gradient_boosting_regressor import power_of_two
from .regularized_boosting import RegularizedBoosting

Losses = Literal["squared_error", "absolute_error", "quantile", "huber", "log_cosh", "poisson", "gamma"]
KINDS = {"log_cosh": "LogCosh", "poisson": "Poisson", "gamma": "Gamma", "squared_error": "Squared"}


@estimator
class RegularizedBoostingRegressor(RegularizedBoosting, Regressor):
    """Numbers predicted by trees that grow one after the other, where leaves and their values have prices.

    minimise over a tree  sum_i (g_i v_i + h_i v_i^2 / 2) + sum_leaves (gamma + reg_lambda v^2 / 2 + reg_alpha |v|)

    where g and h are the gradient and curvature of the loss at the scores so far. A leaf with sums G and H takes the
    value v = -G / (H + reg_lambda); a division must gain (G_l^2 / (H_l + reg_lambda) + G_r^2 / (H_r + reg_lambda)
    - G^2 / (H + reg_lambda)) / 2 > gamma, if reg_alpha is zero. `loss` may be a function of targets and scores that
    returns gradients and curvatures. Stopping early keeps the best stage. [Chen and Guestrin, 2016; Ke et al., 2017]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 4.0, 4.0]
    >>> RegularizedBoostingRegressor(n_estimators=1, learning_rate=1.0).fit(X, y).predict(X).round(3)
    array([0.667, 0.667, 3.333, 3.333])
    """

    loss: Losses | Callable[..., Any] = param("squared_error", "what a wrong prediction costs, or its derivatives")
    quantile: float = param(0.5, 'level of loss="quantile"', between=(0, 1))
    huber_slope: float = param(1.0, 'residual from which on loss="huber" is straight', above=0)

    reference = "Chen and Guestrin, XGBoost: a scalable tree boosting system, KDD 2016"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Learn from rows `X` and targets `y`; rows given to validate on say when to stop."""
        with self._coded(X, (X_val, y_val, sample_weight_val), self.categorical_features):
            return super().fit(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        y = np.ascontiguousarray(data.y, dtype=np.float64)
        counted = y if data.weight is None else y[data.weight > 0]
        in_units = self.loss in ("squared_error", "absolute_error", "quantile", "huber")
        self.scale_ = power_of_two(counted) if in_units else 1.0
        loss = self._loss()
        loss.check(counted)
        unit = self.scale_ ** (2 if self.loss in ("squared_error", "huber") else 1)
        self._boost(
            loss,
            data,
            y if self.scale_ == 1 else y / self.scale_,
            data.weight,
            trace,
            unit if 0 < unit < np.inf else 1.0,
        )

    def _loss(self) -> Any:
        if callable(self.loss):
            return GivenLoss(self.loss)
        if self.loss == "quantile":
            return losses.Quantile(self.quantile)
        if self.loss == "absolute_error":
            return losses.Absolute()
        return (
            losses.Huber(self.huber_slope / self.scale_)
            if self.loss == "huber"
            else getattr(losses, KINDS[self.loss])()
        )

    def _start(self, lesson: Lesson) -> Array:
        if self.base_score is not None:
            return np.array([self.base_score / self.scale_])
        y = lesson.y if lesson.rows is None else lesson.y[lesson.rows]
        return np.array([self._loss().best_constant(y, lesson.weights(lesson.rows))])

    def _validation_target(self, y: Any, rows: int) -> Array:
        return np.asarray(self._door.target(y, rows, np.float64, False) / self.scale_)

    def _standing(self, scores: Array) -> Standing:
        return Standing(self.task, None, self._numbers(scores), None, None, self.scale_)

    def _numbers(self, scores: Array) -> Array:
        return np.asarray(self._loss().predict(scores[:, 0]) * self.scale_)

    def _predict(self, X: Matrix) -> Array:
        return self._numbers(self._scores(X)).astype(X.dtype, copy=False)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each stage."""
        for scores in self._staged_scores(self._read(X)):
            yield self._numbers(scores)
