"""Columns centred and scaled by quantiles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..core.validate.sparse_input import as_dense
from ..engines.columns.quantiles import column_quantiles
from ..engines.sampled_rows import FitsSample
from ._scale_base import Scaler, affine, affine_back, refuse_sparse_centring, usable


def _is_range(value: Any) -> bool:
    return len(value) == 2 and 0 <= value[0] <= value[1] <= 100


@estimator
class RobustScaler(FitsSample, Scaler):
    """Robust scaling: features shifted by their median and divided by an interquantile range or by the MAD.

    z_ij = (x_ij - median_j) / (q_high,j - q_low,j)

    With `scale="mad"` the divisor is the median absolute deviation, the median of |x_ij - median_j|, which half of the
    entries as outliers cannot move without bound. Sorts every column; missing entries are left aside and stay missing.
    With `unit_variance` the columns of normal data get variance one.

    >>> RobustScaler().fit_transform([[1.0], [2.0], [3.0], [4.0], [1000.0]]).ravel()
    array([ -1. ,  -0.5,   0. ,   0.5, 498.5])
    """

    title = "robust scaling"
    traits = Traits(sparse=True, storage="given", missing="native")

    with_centering: bool = param(True, "whether to shift by the median; not possible for sparse data")
    with_scaling: bool = param(True, "whether to divide by the distance of the quantiles")
    quantile_range: tuple[float, float] = param(
        (25.0, 75.0),
        "percentiles of the range",
        accepts=_is_range,
        says="two numbers within 0 and 100 in order",
    )
    copy: bool = param(True, "accepted for compatibility; X is never changed")
    unit_variance: bool = param(False, "whether to divide so that normal data get variance one")
    scale: Literal["quantiles", "mad"] = param(
        "quantiles", 'measure of scale: the distance of the quantiles, or "mad", the median absolute deviation'
    )

    center_: Array | None = learned("median of each column", shape="features")
    scale_: Array | None = learned("scale by which each column is divided", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.with_centering:
            refuse_sparse_centring(type(self).__name__, data.X, "with_centering")
        X = as_dense(data.X)
        low, middle, high = column_quantiles(
            X, np.array([self.quantile_range[0] / 100, 0.5, self.quantile_range[1] / 100]), data.weight
        )
        self.center_ = middle if self.with_centering else None
        width = median_absolute_deviation(X, middle, data.weight) if self.scale == "mad" else high - low
        self.scale_ = usable(width) / self._normal_width() if self.with_scaling else None

    def _normal_width(self) -> float:
        """The scale of a standard normal variable, if that is to become one."""
        if not self.unit_variance:
            return 1.0
        from statistics import NormalDist

        if self.scale == "mad":
            return NormalDist().inv_cdf(0.75)
        low, high = (NormalDist().inv_cdf(percent / 100) for percent in self.quantile_range)
        return high - low

    def _transform(self, X: Matrix) -> Matrix:
        if self.with_centering:
            refuse_sparse_centring(type(self).__name__, X, "with_centering")
        return affine(X, self.center_, self.scale_)

    def _inverse(self, X: Matrix) -> Matrix:
        return affine_back(X, self.center_, self.scale_)

    def _effective_traits(self) -> Traits:
        return replace(self.traits, sparse=not self.with_centering)


def median_absolute_deviation(X: Array, middle: Array, weight: Array | None) -> Array:
    """The median of the distances of the entries of each column from its median; missing entries are left aside."""
    return np.asarray(column_quantiles(np.abs(X - middle), np.array([0.5]), weight)[0])
