"""Columns with mean zero and variance one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core import Array, Data, Incremental, Matrix, Trace, Traits, estimator, learned, param
from ..engines.columns.column_statistics import ColumnStatistics, column_statistics
from ..engines.passes import TrainingRows
from ._scale_base import Scaler, affine, affine_back, refuse_sparse_centring, seen, usable


@estimator
class StandardScaler(Incremental, Scaler):
    """Standardisation: features shifted and scaled to zero mean and unit variance.

    z_ij = (x_ij - mean_j) / sd_j,    sd_j^2 = sum_i (x_ij - mean_j)^2 / (n - ddof)

    One pass over the rows; missing entries are left aside and stay missing. A constant column is only shifted. Rows
    can come in parts through `partial_fit`. The course divides by n - 1 (`ddof=1`), scikit-learn by n.

    >>> StandardScaler().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """

    title = "standardisation"
    traits = Traits(sparse=True, storage="given", missing="native")

    copy: bool = param(True, "accepted for compatibility; X is never changed")
    with_mean: bool = param(True, "whether to shift to mean zero; not possible for sparse data")
    with_std: bool = param(True, "whether to scale to variance one")
    ddof: int = param(0, "delta degrees of freedom of the variance", between=(0, 1))

    scale_: Array | None = learned("scale by which each column is divided", shape="features")
    mean_: Array | None = learned("mean of each column", shape="features")
    var_: Array | None = learned("variance of each column", shape="features")
    n_samples_seen_: float | Array = learned(
        "weight of the rows seen, per column where that differs", shape="features?", least=0
    )

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """The standardised rows of `X`; `copy` is accepted for compatibility."""
        return super().transform(X)

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Any:
        """Inverse transform: standardised rows in their original units; `copy` is accepted for compatibility."""
        return super().inverse_transform(X)

    def _fit_more(self, data: Data) -> None:
        if self.with_mean:
            refuse_sparse_centring(type(self).__name__, data.X, "with_mean")
        columns = ColumnStatistics.of(data.X, data.weight)
        self._keep(self._summary() + columns if "n_samples_seen_" in self.__dict__ else columns)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if self.with_mean:
            refuse_sparse_centring(type(self).__name__, rows.first.X, "with_mean")
        self._keep(rows.total(column_statistics))

    def _keep(self, columns: ColumnStatistics) -> None:
        needed = self.with_mean or self.with_std
        freedom = np.maximum(columns.weight - self.ddof, 1e-300)
        variance = np.where(columns.weight > self.ddof, columns.spread / freedom, 0.0)
        self.mean_ = columns.mean if needed else None
        self.var_ = variance if self.with_std else None
        rounding = columns.weight * np.finfo(np.float64).eps
        constant = variance <= rounding * variance + (rounding * columns.mean) ** 2
        self.scale_ = usable(np.sqrt(variance), constant) if self.with_std else None
        self.n_samples_seen_ = seen(columns.weight)

    def _summary(self) -> ColumnStatistics:
        """The sufficient statistics of the rows seen so far."""
        p = self.n_features_in_
        weight = np.broadcast_to(np.asarray(self.n_samples_seen_, dtype=np.float64), p).copy()
        mean = np.zeros(p) if self.mean_ is None else self.mean_
        spread = np.zeros(p) if self.var_ is None else self.var_ * np.maximum(weight - self.ddof, 0)
        return ColumnStatistics(weight, mean, spread, np.zeros(p), np.zeros(p), np.zeros(p))

    def _transform(self, X: Matrix) -> Matrix:
        if self.with_mean:
            refuse_sparse_centring(type(self).__name__, X, "with_mean")
        return affine(X, self.mean_ if self.with_mean else None, self.scale_)

    def _inverse(self, X: Matrix) -> Matrix:
        if self.with_mean:
            refuse_sparse_centring(type(self).__name__, X, "with_mean")
        return affine_back(X, self.mean_ if self.with_mean else None, self.scale_)

    def _effective_traits(self) -> Traits:
        return replace(self.traits, sparse=not self.with_mean)
