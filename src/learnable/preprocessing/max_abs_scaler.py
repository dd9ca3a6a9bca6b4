"""Columns divided by their largest entry."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Incremental, Matrix, Trace, Traits, estimator, learned, param
from ..core.validate.targets import is_sparse
from ..engines.columns.column_statistics import ColumnStatistics, statistics_and_weight
from ..engines.passes import TrainingRows
from ._scale_base import Scaler, affine, affine_back, usable


@estimator
class MaxAbsScaler(Incremental, Scaler):
    """Max-abs scaling: features divided by their largest absolute value, so that zeros stay zeros.

    z_ij = x_ij / max_i |x_ij|

    One pass, dense or sparse; missing entries are left aside and stay missing.

    >>> MaxAbsScaler().fit_transform([[1.0], [-4.0]])
    array([[ 0.25],
           [-1.  ]])
    """

    title = "max-abs scaling"
    traits = Traits(sparse=True, storage="given", missing="native")

    copy: bool = param(True, "accepted for compatibility; X is never changed")
    clip: bool = param(False, "whether to clip new rows to the range -1 to 1")

    scale_: Array = learned("scale by which each column is divided", shape="features")
    max_abs_: Array = learned("largest absolute value of each column", shape="features")
    n_samples_seen_: float | Array = learned("weight of the rows seen", shape="features?", least=0)

    def _fit_more(self, data: Data) -> None:
        largest = _largest(ColumnStatistics.of(data.X, data.weight))
        self.max_abs_ = np.fmax(self.max_abs_, largest) if "max_abs_" in self.__dict__ else largest
        self.scale_ = usable(self.max_abs_)
        self.n_samples_seen_ = self.__dict__.get("n_samples_seen_", 0) + data.total_weight

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        columns, self.n_samples_seen_ = rows.total(statistics_and_weight)
        self.max_abs_ = _largest(columns)
        self.scale_ = usable(self.max_abs_)

    def _transform(self, X: Matrix) -> Matrix:
        scaled = affine(X, None, self.scale_)
        if not self.clip:
            return scaled
        if is_sparse(scaled):
            scaled.data = np.clip(scaled.data, -1, 1)
            return scaled
        return np.clip(scaled, -1, 1)

    def _inverse(self, X: Matrix) -> Matrix:
        return affine_back(X, None, self.scale_)


def _largest(columns: ColumnStatistics) -> Array:
    """The largest absolute value of each column; NaN where there is none."""
    return np.where(columns.weight == 0, np.nan, np.maximum(np.abs(columns.low), np.abs(columns.high)))
