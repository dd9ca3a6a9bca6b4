"""Outliers moved to the edge of the ordinary."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, Transformer, estimator, learned, param
from ..engines.columns.iqr import Rule, ordinary_range


@estimator
class OutlierClipper(Transformer):
    """Winsorisation: values beyond the IQR fences of their feature are clipped to them.

    z_ij = min(max(x_ij, low_j), high_j)

    The range is mean -+ 3 sd ("z-score"), 1.5 interquartile distances beyond the quartiles ("iqr", Tukey's fences), or
    median -+ 3.5 median distances in units of the normal ("mad"). Missing entries stay missing. [Tukey, 1977]

    >>> OutlierClipper("iqr").fit_transform([[1.0], [2.0], [3.0], [4.0], [90.0]]).ravel()
    array([1., 2., 3., 4., 7.])
    """

    traits = Traits(missing="native")
    title = "winsorisation"
    reference = "Tukey, 1977"

    rule: Rule = param("iqr", "rule for the range of ordinary values", kw_only=False)
    threshold: float | None = param(None, "width of the range (None: 3, 1.5 or 3.5, by rule)", above=0)

    low_: Array = learned("least ordinary value of each column", shape="features")
    high_: Array = learned("largest ordinary value of each column", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.low_, self.high_ = ordinary_range(data.X, data.weight, self.rule, self.threshold)

    def _transform(self, X: Matrix) -> Matrix:
        return np.clip(X, self.low_, self.high_).astype(X.dtype, copy=False)
