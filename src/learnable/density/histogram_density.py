"""The density of rows as a histogram."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
from ..core.roles.density_estimator import DensityEstimator
from ..engines.columns.column_statistics import Columns


@estimator
class HistogramDensity(DensityEstimator):
    """The share of the rows in each cell of a grid, over its volume.

    p(x) = weight of the rows in the cell of x / (W volume of a cell),    W = sum weight

    It integrates to one. Many bins follow the rows (little bias, much variance), few smooth them; outside the range of
    the rows the density is 0. Only cells that hold rows are kept, so many columns are no harm. The number of bins per
    column is given, or by Sturges' rule 1 + log2 n, Scott's width 3.49 s n^(-1/3), or sqrt(n). [Scott, 1979]

    >>> np.exp(HistogramDensity(bins=2).fit([[0.0], [1.0], [3.0], [4.0], [4.0]]).score_samples([[0.5], [3.5]]))
    array([0.2, 0.3])
    """

    bins: int | Literal["sturges", "scott", "sqrt"] = param(
        10, "number of bins of each column", at_least=1, at_most=1e15, tune=(5, 10, 20, 40), simpler="smaller"
    )

    low_: Array = learned("least value of each column", shape="columns")
    width_: Array = learned("width of the bins of each column", shape="columns")
    n_bins_: Array = learned("number of bins of each column", shape="columns", least=1)
    cells_: Array = learned("place of each cell that holds rows", shape="cells columns")
    log_density_: Array = learned("logarithm of the density in each of them", shape="cells")

    parametric = False
    reference = "Scott, 1979"

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else np.asarray(data.weight, dtype=np.float64)
        rows = np.asarray(data.X[weight > 0], dtype=np.float64)
        weight = weight[weight > 0]
        low, high = rows.min(axis=0), rows.max(axis=0)
        room = np.where(high > low, 0.0, np.maximum(np.abs(low), 1e-300) * 1e-6)  # a constant has some width, too
        self.low_, span = low - room, (high / 2 - low / 2 + room) * 2
        self.n_bins_ = self._counts(Columns.of(rows, weight), span)
        self.width_ = span / self.n_bins_
        self.cells_, place = np.unique(self._cells(rows), axis=0, return_inverse=True)
        mass = np.bincount(place.ravel(), weight)
        self.log_density_ = np.log(mass / weight.sum()) - np.log(self.width_).sum()
        trace.exact("the rows in each cell, counted")

    def _counts(self, columns: Columns, span: Array) -> Array:
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
        """The place of each row in the grid; a value at the upper end belongs to the last bin, -1 is outside."""
        place = np.floor((X - self.low_) / self.width_)
        top = self.low_ + self.width_ * self.n_bins_
        place = np.where((place >= self.n_bins_) & (top * (1 + np.sign(top) * 1e-12) >= X), self.n_bins_ - 1, place)
        return np.where((place < 0) | (place >= self.n_bins_), -1, place).astype(np.int64)

    def _log_density(self, X: Matrix) -> Array:
        cells = self._cells(np.asarray(X, dtype=np.float64))
        _, place = np.unique(np.vstack([self.cells_, cells]), axis=0, return_inverse=True)
        known = np.full(place.max() + 1, -np.inf)
        known[place.ravel()[: len(self.cells_)]] = self.log_density_
        found = known[place.ravel()[len(self.cells_) :]]
        return np.where((cells < 0).any(axis=1), -np.inf, found).astype(X.dtype)

    def _drawn(self, count: int, rng: np.random.RandomState) -> Array:
        mass = np.exp(self.log_density_ - self.log_density_.max())
        cell = rng.choice(len(mass), count, p=mass / mass.sum())
        return self.low_ + (self.cells_[cell] + rng.random_sample((count, len(self.low_)))) * self.width_
