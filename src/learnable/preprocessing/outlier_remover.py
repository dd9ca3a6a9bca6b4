"""Training rows with outliers left out."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, RowFilter, Trace, Traits, estimator, learned, param
from ..engines.columns.iqr import Rule, ordinary_range


@estimator
class OutlierRemover(RowFilter):
    """Outlier removal: drop training rows with a value beyond the IQR fences of its feature.

    keep row i if low_j <= x_ij <= high_j for every j = 1, ..., p

    A step of a pipeline that acts in fit alone: rows to be predicted are never dropped. The ranges are those of
    `OutlierClipper`; a missing entry is not an outlier. [Tukey, 1977]

    >>> X, y = OutlierRemover("iqr").fit_resample([[1.0], [2.0], [3.0], [4.0], [90.0]], [0, 1, 0, 1, 0])
    >>> X.ravel(), y
    (array([1., 2., 3., 4.]), array([0, 1, 0, 1]))
    """

    traits = Traits(missing="native")
    title = "outlier removal"
    reference = "Tukey, 1977"

    rule: Rule = param("iqr", "rule for the range of ordinary values", kw_only=False)
    threshold: float | None = param(None, "width of the range (None: 3, 1.5 or 3.5, by rule)", above=0)

    low_: Array = learned("least ordinary value of each column", shape="features")
    high_: Array = learned("largest ordinary value of each column", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.low_, self.high_ = ordinary_range(data.X, data.weight, self.rule, self.threshold)

    def _kept(self, X: Matrix) -> Array:
        return np.asarray(~((self.low_ > X) | (self.high_ < X)).any(axis=1))
