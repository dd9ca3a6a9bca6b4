"""Base class of boosted tree regressors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array, Data, Matrix, Regressor, Traits, declaring, learned, param
from ...core.scaling import power_of_two_scale
from ...engines.trees.additive_trees import TreeSum
from ...parts import losses
from .boosted_trees import BoostedTrees
from .heads import RegressionHead

LOSSES: dict[str, Callable[[], Any]] = {
    "squared_error": losses.Squared,
    "absolute_error": losses.Absolute,
    "log_cosh": losses.LogCosh,
    "poisson": losses.Poisson,
    "gamma": losses.Gamma,
}
QUADRATIC, LINEAR = ("squared_error", "huber"), ("absolute_error", "quantile")  # losses that scale with the target


@declaring
class BoostedTreesRegressor(BoostedTrees, Regressor):
    """Base class of regressors with one score, in units of `scale_`; subclasses choose the loss."""

    loss: Any = param("squared_error", "loss function")
    scale_: float = learned("scale of the scores, in units of the target")

    traits = Traits(double_target=True)

    def _named_loss(self) -> Any:
        """The loss by its name; subclasses construct those with parameters."""
        return LOSSES[self.loss]()

    def _head(self) -> RegressionHead:
        return RegressionHead(self._named_loss(), self.scale_, self._loss_unit(), self.base_score)

    def _encode_target(self, data: Data) -> Array:
        """The targets in units of `scale_`, which the first fit sets, checked for the loss."""
        y = np.ascontiguousarray(data.y, dtype=np.float64)
        counted = y if data.weight is None else y[data.weight > 0]
        if not self._is_warm():
            self.scale_ = score_scale(counted) if self.loss in QUADRATIC + LINEAR else 1.0
        self._named_loss().check(counted)
        return y if self.scale_ == 1 else y / self.scale_

    def _loss_unit(self) -> float:
        """A loss of one in the units of the user; one where that overflows."""
        unit = self.scale_ ** (2 if self.loss in QUADRATIC else 1)
        return unit if 0 < unit < np.inf else 1.0

    def _tree_sum(self) -> TreeSum:
        return replace(super()._tree_sum(), link=self._head().loss.link)

    def _predict(self, X: Matrix) -> Array:
        return self._head().predict(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predictions after each stage."""
        rows = self._read(X)
        head = self._head()
        for scores in self._staged_scores(rows):
            yield head.predict(scores)


def score_scale(y: Array) -> float:
    """One, or for targets whose gradients would leave the range of single precision, a power of two near them."""
    size = float(np.abs(y).max())
    return 1.0 if size == 0 or 1e-10 < size < 1e10 else 1 / power_of_two_scale(y)
