"""The baseline of regression: one number for every row."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Regressor, Trace, Traits, estimator, learned, param
from ..core.scaling import power_of_two_scale
from ._any_rows import OfAnyRows, some_rows


@estimator
class DummyRegressor(OfAnyRows, Regressor):
    """Baseline regressor: the mean, the median, a quantile or a constant, ignoring the features.

    minimise over c    sum_i s_i (y_i - c)^2     ("mean"; |y_i - c| for "median", the pinball loss for "quantile")

    The columns are ignored, so any table will do, with text and missing values. Quantiles lie between the two nearest
    values, and a row of weight 3 counts as three. [Quetelet, 1835]

    >>> DummyRegressor().fit([["a"], ["b"], ["c"]], [1.0, 2.0, 6.0]).predict([["d"]])
    array([3.])
    """

    strategy: Literal["mean", "median", "quantile", "constant"] = param("mean", "prediction rule")
    constant: float | Array | None = param(None, 'predicted value, or one per target, for strategy="constant"')
    quantile: float | None = param(None, 'quantile level of strategy="quantile"', between=(0, 1))
    constant_: Array = learned("predicted values, in one row", shape="one targets")
    n_outputs_: int = learned("number of targets", counts="targets")

    traits = Traits(
        takes="table", sparse=True, storage="csr", missing="native", categorical=True, multi_target=True, baseline=True
    )
    title = "baseline regressor"
    reference = "Quetelet, Sur l'homme et le développement de ses facultés, 1835"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the targets `y`; `X` is ignored and may be None."""
        return super().fit(some_rows(X, y), y, sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² of the predictions; `X` may be None."""
        return super().score(some_rows(X, y, self.__dict__.get("n_features_in_", 1)), y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        y = data.y.reshape(data.n, -1).astype(np.float64)
        weight = np.ones(data.n) if data.weight is None else data.weight
        self.n_outputs_ = y.shape[1]
        self.constant_ = self._constant(y, weight).reshape(1, -1).astype(data.y.dtype)
        scale = _scale(y)
        trace.record(float(np.average((y / scale - self.constant_ / scale) ** 2, axis=0, weights=weight).sum()))
        trace.stopped = "exact"
        trace.certify("exact", 0.0, 0.0, "the number is computed from the targets directly.")

    def _constant(self, y: Array, weight: Array) -> Array:
        if self.strategy == "mean":
            scale = _scale(y)
            return np.asarray(np.average(y / scale, axis=0, weights=weight) * scale)
        if self.strategy == "constant":
            return self._given(y.shape[1])
        if self.strategy == "median":
            return np.array([weighted_median(column, weight) for column in y.T])
        share = self.quantile
        if share is None:
            raise ParameterError("DummyRegressor: strategy='quantile' needs the parameter quantile, from 0 to 1")
        return np.array([weighted_quantile(column, weight, share) for column in y.T])

    def _given(self, targets: int) -> Array:
        if self.constant is None:
            raise TypeError("DummyRegressor: strategy='constant' needs the parameter constant")
        values = np.ravel(np.asarray(self.constant, dtype=np.float64))
        if len(values) != targets:
            raise DataError(
                f"DummyRegressor: constant holds a number for each of the {targets} targets; got {values.shape}"
            )
        return values

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The number for each row; with `return_std` also zeros, for nothing is said about the spread."""
        found = super().predict(X)
        return (found, np.zeros_like(found)) if return_std else found

    def _predict(self, X: Matrix) -> Array:
        rows = np.repeat(self.constant_, X.shape[0], axis=0)
        return rows[:, 0] if self.n_outputs_ == 1 else rows


def weighted_quantile(values: Array, weight: Array, share: float) -> float:
    """The value at a share of the way through the sorted values, between the two nearest; weights count copies.

    >>> weighted_quantile(np.array([1.0, 5.0]), np.array([3.0, 1.0]), 0.5)
    1.0
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weight[order])
    place = share * max(float(ends[-1]) - 1.0, 0.0)
    below = float(np.floor(place))
    indices = np.minimum(np.searchsorted(ends, [below, below + 1.0], side="right"), len(values) - 1)
    low, high = values[order][indices]
    return float(low + (place - below) * (high - low) if high != low else low)


def weighted_median(values: Array, weight: Array) -> float:
    """The value with at most half of the weight on either side; the middle of two that share this.

    >>> weighted_median(np.array([1.0, 5.0]), np.array([2.0, 2.0])), weighted_median(np.array([1.0, 5.0]), np.ones(2))
    (3.0, 3.0)
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weight[order])
    low, high = values[order][[np.searchsorted(ends, ends[-1] / 2, side) for side in ("left", "right")]]
    return float(low + (high - low) / 2 if high != low else low)


def _scale(y: Array) -> float:
    """A power of two that keeps sums of huge targets finite."""
    return 1 / power_of_two_scale(y)
