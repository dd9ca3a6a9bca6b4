"""Columns that vary."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, DataError, Trace, Traits, estimator, learned, param
from ..engines.columns.column_statistics import ColumnStatistics
from ._selector_base import Selector


@estimator
class VarianceThreshold(Selector):
    """Variance threshold: drop features whose variance is too small.

    choose the columns j with var_j = sum_i (x_ij - mean_j)^2 / n > threshold

    One pass over the rows; missing entries are left aside. The target is ignored. Variances depend on
    units, so compare columns of one unit, such as the pixels of pictures.

    >>> VarianceThreshold().fit_transform([[0.0, 2.0, 0.0, 3.0], [0.0, 1.0, 4.0, 3.0], [0.0, 1.0, 1.0, 3.0]])
    array([[2., 0.],
           [1., 4.],
           [1., 1.]])
    """

    title = "variance threshold"
    traits = Traits(sparse=True, missing="native")

    threshold: float = param(0.0, "variance that a column must exceed to stay", at_least=0, kw_only=False)

    variances_: Array = learned("variance of each column", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        columns = ColumnStatistics.of(data.X, data.weight)
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            variances = columns.spread / columns.weight
            if self.threshold == 0:  # rounding leaves constant columns a little variance, but no range
                variances = np.fmin(variances, columns.high - columns.low)
        if not (variances > self.threshold).any():
            rows = " (X contains only one sample)" if data.n == 1 else ""
            raise DataError(
                f"VarianceThreshold: no column varies by more than {self.threshold:.5f}{rows}; lower the threshold, "
                "or check whether the columns vary at all"
            )
        self.variances_ = variances
        trace.exact("the variances of the training rows, computed directly")

    def _support(self) -> Array:
        return np.asarray(self.variances_ > self.threshold)
