"""Power transforms: Box-Cox and Yeo-Johnson."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Invertible, Matrix, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..core.runtime.context import give_way
from ..core.validate.features import column_name
from ..engines.columns import power_transforms
from ..engines.columns.column_statistics import ColumnStatistics
from ._scale_base import affine, affine_back, usable


@estimator
class PowerTransformer(Invertible):
    """Power transform (Box-Cox, Yeo-Johnson): make features as normal as possible.

    maximise over power_j    log likelihood of normal values z_j = (x_j^power_j - 1) / power_j

    "box-cox" needs positive numbers; "yeo-johnson" takes 1 + x on the right of zero and mirrors it on the left. Missing
    entries are left aside and stay missing; constant columns are left as they are. [Box and Cox, 1964; Yeo and Johnson,
    2000]

    >>> PowerTransformer("box-cox").fit([[1.0], [2.0], [4.0], [8.0]]).lambdas_.round(3) + 0.0
    array([0.])
    """

    traits = Traits(missing="native")
    title = "power transform"
    reference = "Box and Cox, 1964"

    method: Literal["yeo-johnson", "box-cox"] = param("yeo-johnson", "which family of powers", kw_only=False)
    standardize: bool = param(True, "whether the result gets mean zero and variance one")
    copy: bool = param(True, "accepted for compatibility; X is never changed")

    lambdas_: Array = learned("power of each column", shape="features")
    shift_: Array | None = learned("mean of each transformed column, None unless standardised", shape="features")
    scale_: Array | None = learned("standard deviation of each transformed column", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        self._refuse_not_positive(data.X, data.names)
        X = data.X.astype(np.float64)
        weight = np.ones(data.n) if data.weight is None else data.weight
        summary = ColumnStatistics.of(X, data.weight)
        constant = summary.low == summary.high
        found = [
            1.0 if constant[j] else self._power(X[:, j], weight, f"{column_name(data.names, j)}") for j in range(data.p)
        ]
        self.lambdas_ = np.array(found)
        self.shift_ = self.scale_ = None
        if self.standardize:
            transformed = ColumnStatistics.of(self._transformed(X), data.weight)
            self.shift_ = transformed.mean
            self.scale_ = usable(
                np.sqrt(transformed.spread / np.maximum(transformed.weight, 1e-300)),
                transformed.low == transformed.high,
            )
        trace.exact("the most likely power of each column, found to rounding")

    def _power(self, column: Array, weight: Array, where: str) -> float:
        give_way()
        there = ~np.isnan(column) & (weight > 0)
        if not there.any():
            raise DataError(f"PowerTransformer: {where} contains only NaN; drop it")
        score = power_transforms.box_cox_score if self.method == "box-cox" else power_transforms.yeo_johnson_score
        return power_transforms.best_power(partial(score, column[there], weight[there] / weight[there].mean()))

    def _refuse_not_positive(self, X: Array, names: list[str] | None = None) -> None:
        if self.method == "box-cox" and (X <= 0).any():
            row, j = np.argwhere(X <= 0)[0]
            raise DataError(
                "PowerTransformer: the Box-Cox transform needs strictly positive numbers, but "
                f"{column_name(names, int(j))} holds {X[row, j]:g} in row {row}; use method='yeo-johnson'"
            )

    def _transformed(self, X: Array) -> Array:
        transform_column = power_transforms.box_cox if self.method == "box-cox" else power_transforms.yeo_johnson
        with np.errstate(over="ignore"):
            return np.column_stack(
                [transform_column(X[:, j].astype(np.float64), self.lambdas_[j]) for j in range(X.shape[1])]
            )

    def _transform(self, X: Matrix) -> Matrix:
        self._refuse_not_positive(X, None)
        return affine(self._transformed(X), self.shift_, self.scale_).astype(X.dtype, copy=False)

    def _inverse(self, X: Matrix) -> Any:
        back = power_transforms.box_cox_back if self.method == "box-cox" else power_transforms.yeo_johnson_back
        transformed = np.asarray(affine_back(X.astype(np.float64), self.shift_, self.scale_))
        result = np.column_stack([back(transformed[:, j], self.lambdas_[j]) for j in range(X.shape[1])])
        for j in np.flatnonzero((np.isnan(result) & ~np.isnan(X)).any(axis=0)):
            warn(f"some values of column {j} are outside the range of the transform: their inverse is NaN", UserWarning)
        return result.astype(X.dtype, copy=False)
