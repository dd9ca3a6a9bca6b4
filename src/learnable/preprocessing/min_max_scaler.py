"""Columns brought into a range."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Incremental, Matrix, Trace, Traits, estimator, learned, param
from ..engines.columns.column_statistics import ColumnStatistics, statistics_and_weight
from ..engines.passes import TrainingRows
from ._scale_base import Scaler, usable


def _is_range(value: Any) -> bool:
    return len(value) == 2 and value[0] < value[1]


@estimator
class MinMaxScaler(Incremental, Scaler):
    """Min-max scaling: features shifted and scaled so that the training rows fill a given range.

    z_ij = a + (x_ij - min_j) (b - a) / (max_j - min_j)

    One pass; missing entries are left aside and stay missing. Later rows may leave the range unless `clip`.

    >>> MinMaxScaler().fit_transform([[2.0], [3.0], [6.0]])
    array([[0.  ],
           [0.25],
           [1.  ]])
    """

    title = "min-max scaling"
    traits = Traits(missing="native")

    feature_range: tuple[float, float] = param(
        (0, 1), "the range (a, b)", kw_only=False, accepts=_is_range, says="two numbers, the smaller first"
    )
    copy: bool = param(True, "accepted for compatibility; X is never changed")
    clip: bool = param(False, "whether to clip new rows to the range")

    min_: Array = learned("shift of each column after scaling", shape="features")
    scale_: Array = learned("factor of each column", shape="features")
    data_min_: Array = learned("minimum of each column", shape="features")
    data_max_: Array = learned("maximum of each column", shape="features")
    data_range_: Array = learned("range of each column", shape="features")
    n_samples_seen_: float | Array = learned("weight of the rows seen", shape="features?", least=0)

    def _fit_more(self, data: Data) -> None:
        columns = ColumnStatistics.of(data.X, data.weight)
        low, high = (np.where(columns.weight == 0, np.nan, end) for end in (columns.low, columns.high))
        if "data_min_" in self.__dict__:
            low, high = np.fmin(self.data_min_, low), np.fmax(self.data_max_, high)
        self._keep(low, high)
        self.n_samples_seen_ = self.__dict__.get("n_samples_seen_", 0) + data.total_weight

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        columns, self.n_samples_seen_ = rows.total(statistics_and_weight)
        self._keep(*(np.where(columns.weight == 0, np.nan, end) for end in (columns.low, columns.high)))

    def _keep(self, low: Array, high: Array) -> None:
        a, b = self.feature_range
        self.data_min_, self.data_max_, self.data_range_ = low, high, high - low
        self.scale_ = (b - a) / usable(self.data_range_)
        self.min_ = a - low * self.scale_

    def _transform(self, X: Matrix) -> Matrix:
        scaled = (X * self.scale_ + self.min_).astype(X.dtype, copy=False)
        return np.clip(scaled, *self.feature_range) if self.clip else scaled

    def _inverse(self, X: Matrix) -> Matrix:
        return ((X - self.min_) / self.scale_).astype(X.dtype, copy=False)
