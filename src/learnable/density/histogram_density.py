"""Histogram density estimation."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..core.roles.density_estimator import DensityEstimator
from ..engines.columns.column_statistics import ColumnStatistics


@estimator
class HistogramDensity(DensityEstimator):
    """Histogram density estimation: the fraction of rows in each cell of a grid, divided by the volume of the cell.

    p(x) = weight of the rows in the cell of x / (W volume of a cell),    W = sum weight

    It integrates to one. Many bins follow the rows (little bias, much variance), few smooth them; outside the range of
    the rows the density is 0. Only cells with rows are stored, which allows many columns. The number of bins per
    column is given, or by Sturges' rule 1 + log2 n, Scott's width 3.49 s n^(-1/3), or sqrt(n). [Scott, 1979]

    >>> np.exp(HistogramDensity(bins=2).fit([[0.0], [1.0], [3.0], [4.0], [4.0]]).score_samples([[0.5], [3.5]]))
    array([0.2, 0.3])
    """

    bins: int | Literal["sturges", "scott", "sqrt"] = param(
        10, "number of bins of each column", at_least=1, at_most=1e15, tune=(5, 10, 20, 40), simpler="smaller"
    )

    low_: Array = learned("minimum of each column", shape="features")
    width_: Array = learned("width of the bins of each column", shape="features")
    n_bins_: Array = learned("number of bins of each column", shape="features", least=1)
    cells_: Array = learned("indices of each cell with rows", shape="cells columns")
    log_density_: Array = learned("log density in each of these cells", shape="cells")

    traits = Traits(parametric=False)
    title = "histogram density estimation"
    reference = "Scott, 1979"

    def _unsound(self) -> str:
        """The density in every cell is finite."""
        return "" if np.isfinite(self.log_density_).all() else "log_density_ must hold finite numbers"

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else np.asarray(data.weight, dtype=np.float64)
        rows = np.asarray(data.X[weight > 0], dtype=np.float64)
        weight = weight[weight > 0]
        low, high = rows.min(axis=0), rows.max(axis=0)
        room = np.where(high > low, 0.0, np.maximum(np.abs(low), 1e-300) * 1e-6)  # a constant column needs some width
        self.low_, span = low - room, (high / 2 - low / 2 + room) * 2
        self.n_bins_ = self._counts(ColumnStatistics.of(rows, weight), span)
        self.width_ = span / self.n_bins_
        self.cells_, index = np.unique(self._cells(rows), axis=0, return_inverse=True)
        mass = np.bincount(index.ravel(), weight)
        self.log_density_ = np.log(mass / weight.sum()) - np.log(self.width_).sum()
        trace.exact("the rows in each cell were counted")

    def _counts(self, columns: ColumnStatistics, span: Array) -> Array:
        """The number of bins of each column."""
        total = float(np.max(columns.weight))
        if not isinstance(self.bins, str):
            return np.full(len(span), self.bins)
        if self.bins == "scott":
            deviation = np.sqrt(columns.spread / total)
            width = 3.49 * np.where(deviation > 0, deviation, span) * total ** (-1 / 3)
            return np.asarray(np.clip(np.ceil(span / width), 1, 2**31), dtype=np.int64)
        return np.full(len(span), int(np.ceil(1 + np.log2(total) if self.bins == "sturges" else np.sqrt(total))))

    def _cells(self, X: Array) -> Array:
        """The cell indices of each row; a value at the upper end belongs to the last bin, -1 is outside."""
        index = np.floor((X - self.low_) / self.width_)
        top = self.low_ + self.width_ * self.n_bins_
        index = np.where((index >= self.n_bins_) & (top * (1 + np.sign(top) * 1e-12) >= X), self.n_bins_ - 1, index)
        return np.where((index < 0) | (index >= self.n_bins_), -1, index).astype(np.int64)

    def _log_density(self, X: Matrix) -> Array:
        cells = self._cells(np.asarray(X, dtype=np.float64))
        _, index = np.unique(np.vstack([self.cells_, cells]), axis=0, return_inverse=True)
        known = np.full(index.max() + 1, -np.inf)
        known[index.ravel()[: len(self.cells_)]] = self.log_density_
        found = known[index.ravel()[len(self.cells_) :]]
        return np.where((cells < 0).any(axis=1), -np.inf, found).astype(X.dtype)

    def _drawn(self, count: int, rng: np.random.RandomState) -> Array:
        mass = np.exp(self.log_density_ - self.log_density_.max())
        cell = rng.choice(len(mass), count, p=mass / mass.sum())
        return self.low_ + (self.cells_[cell] + rng.random_sample((count, len(self.low_)))) * self.width_
