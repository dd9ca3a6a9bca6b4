"""What regressors of boosted trees share: from scores to numbers, in units in which squares are numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array, Data, Matrix, Regressor, Traits, declaring, learned, param
from ...engines.matrix_products import power_of_two_scale
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.boosting import TrainingSet
from ...parts import losses
from .boosted_trees import BoostedTrees
from .validation_split import PredictionSnapshot

KINDS: dict[str, Callable[[], Any]] = {
    "squared_error": losses.Squared,
    "absolute_error": losses.Absolute,
    "log_cosh": losses.LogCosh,
    "poisson": losses.Poisson,
    "gamma": losses.Gamma,
}
SQUARED, PLAIN = ("squared_error", "huber"), ("absolute_error", "quantile")  # losses that scale with the target


@declaring
class BoostedTreesRegressor(BoostedTrees, Regressor):
    """One score, which trees add up to, in units of `scale_`; a class says by which loss."""

    loss: Any = param("squared_error", "loss function")
    scale_: float = learned("scale of the scores, in units of the target")

    traits = Traits(double_target=True)

    def _loss(self) -> Any:
        """The loss of scores; one with parameters, a class makes of its own."""
        return KINDS[self.loss]()

    def _in_units(self, data: Data) -> Array:
        """The targets in units of `scale_`, which those of the first fit settle, and the loss looks at."""
        y = np.ascontiguousarray(data.y, dtype=np.float64)
        counted = y if data.weight is None else y[data.weight > 0]
        if not self._goes_on():
            self.scale_ = score_scale(counted) if self.loss in SQUARED + PLAIN else 1.0
        self._loss().check(counted)
        return y if self.scale_ == 1 else y / self.scale_

    def _unit(self) -> float:
        """What a loss of one is in the eyes of the user; one where that is no number."""
        unit = self.scale_ ** (2 if self.loss in SQUARED else 1)
        return unit if 0 < unit < np.inf else 1.0

    def _start(self, lesson: TrainingSet) -> Array:
        """The score that suits all rows best."""
        y = lesson.y if lesson.rows is None else lesson.y[lesson.rows]
        return np.array([self._loss().best_constant(y, lesson.weights(lesson.rows))])

    def _validation_target(self, y: Any, rows: int) -> Array:
        return np.asarray(self._validator.target(y, rows, np.float64, False) / self.scale_)

    def _snapshot(self, scores: Array) -> PredictionSnapshot:
        return PredictionSnapshot(self.traits.task, None, self._numbers(scores), None, None, self.scale_)

    def _numbers(self, scores: Array) -> Array:
        return np.asarray(self._loss().predict(scores[:, 0]) * self.scale_)

    def _tree_sum(self) -> TreeSum:
        return replace(super()._tree_sum(), link=self._loss().link)

    def _predict(self, X: Matrix) -> Array:
        return self._numbers(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each stage."""
        for scores in self._staged_scores(self._read(X)):
            yield self._numbers(scores)


def score_scale(y: Array) -> float:
    """One, or where targets are so far from it that slopes in single precision were none, a power of two near them."""
    size = float(np.abs(y).max())
    return 1.0 if size == 0 or 1e-10 < size < 1e10 else 1 / power_of_two_scale(y)
