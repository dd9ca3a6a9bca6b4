"""Boosted trees over binned columns that predict numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..core.errors import ParameterError
from ..engines.boosting import Lesson
from ..parts import losses
from .held_out import Standing
from .hist_gradient_boosting import HistGradientBoosting

Losses = Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"]
LOSSES = {"squared_error": "Squared", "absolute_error": "Absolute", "gamma": "Gamma", "poisson": "Poisson"}


@estimator
class HistGradientBoostingRegressor(HistGradientBoosting, Regressor):
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

    scale_: float = learned("unit of the scores, in that of the target")

    reference = "Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NeurIPS 2017"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None
    ) -> Self:  # fmt: skip
        """Learn from rows `X` and targets `y`; rows given to validate on say when to stop."""
        with self._coded(X, (X_val, y_val, sample_weight_val), self.categorical_features):
            return super().fit(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        loss = self._loss()
        y = np.ascontiguousarray(data.y, dtype=np.float64)
        counted = y if data.weight is None else y[data.weight > 0]
        loss.check(counted)
        self.scale_ = power_of_two(counted) if loss.link == "identity" else 1.0
        unit = self.scale_ ** (2 if self.loss == "squared_error" else 1)
        self._boost(
            loss,
            data,
            y if self.scale_ == 1 else y / self.scale_,
            data.weight,
            trace,
            unit if 0 < unit < np.inf else 1.0,
        )

    def _start(self, lesson: Lesson) -> Array:
        y = lesson.y if lesson.rows is None else lesson.y[lesson.rows]
        return np.array([self._loss().best_constant(y, lesson.weights(lesson.rows))])

    def _loss(self) -> Any:
        if self.loss != "quantile":
            return getattr(losses, LOSSES[self.loss])()
        if self.quantile is None:
            raise ParameterError(f'{type(self).__name__}: loss="quantile" needs a level; set quantile')
        return losses.Quantile(self.quantile)

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


def power_of_two(y: Array) -> float:
    """One, or where the largest target is so far from it that squares might not be numbers, a power of two near it."""
    size = float(np.abs(y).max())
    return 1.0 if size == 0 or 1e-10 < size < 1e10 else float(2.0 ** np.floor(np.log2(size)))
