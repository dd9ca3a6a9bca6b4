"""Missing values filled from the most similar rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..metrics.distance_functions import nan_euclidean_distances
from ._imputer_base import Filler
from ._missing_entries import without

BLOCK = 2**22  # distances held at once


@estimator
class KNNImputer(Filler):
    """K-nearest-neighbours imputation: the mean of the nearest training rows with a known value in the column.

    z_ij = mean of x_lj over the k nearest rows l that have it,    distance^2 = p / |both there| sum (x_ij - x_lj)^2

    Exact: every training row is compared, in blocks that keep memory small. Where no row shares a column, the mean of
    the column is taken. A weighted row counts for as many neighbours. [Troyanskaya et al., 2001]

    >>> import numpy as np
    >>> KNNImputer(n_neighbors=1).fit_transform([[1.0, 2.0], [1.1, np.nan], [9.0, 8.0]])[1]
    array([1.1, 2. ])
    """

    traits = Traits(parametric=False, lazy=True)
    title = "k-nearest-neighbours imputation"
    reference = "Troyanskaya et al., 2001"

    n_neighbors: int = param(5, "number of neighbours whose values are averaged", at_least=1, tune=(2, 5, 10, 20))
    weights: Any = param(
        "uniform",
        "weight of a neighbour: uniform, by distance, or a function of the distances",
        accepts=lambda value: (
            callable(value) or value is None or (isinstance(value, str) and value in ("uniform", "distance"))
        ),
        says='"uniform", "distance", a function or None',
    )
    metric: Literal["nan_euclidean"] | Callable[..., Any] = param(
        "nan_euclidean", "distance of rows with missing values"
    )
    copy: bool = param(True, "accepted for compatibility; X is never changed")

    rows_: Array = learned("the training rows, NaN in their missing values", shape="rows features")
    counts_: Array | None = learned("weight of each training row, None if all count alike", shape="rows")
    means_: Array = learned("mean of each column", shape="columns")

    def _learn(self, data: Data, missing: Array, empty: Array, trace: Trace) -> None:
        kept = slice(None) if data.weight is None else data.weight > 0
        self.rows_ = np.ascontiguousarray(without(data.X, missing)[kept])
        self.counts_ = None if data.weight is None else data.weight[kept]
        there, row_weights = ~np.isnan(self.rows_), 1.0 if self.counts_ is None else self.counts_[:, None]
        total = (there * row_weights).sum(axis=0)
        size = np.maximum(np.abs(np.where(there, self.rows_, 0)).max(axis=0), np.finfo(np.float64).tiny)
        summed = (np.where(there, self.rows_ / size, 0) * row_weights).sum(axis=0)
        self.means_ = np.divide(summed, total, out=np.zeros(len(total)), where=total > 0) * size
        trace.exact("the training rows themselves are kept")

    def _filled(self, X: Matrix, missing: Array) -> Matrix:
        result, marked = X.copy(), without(X, missing)
        empty = np.isnan(self.rows_).all(axis=0)
        result[:, empty] = np.where(missing[:, empty], 0, X[:, empty])
        rows = np.flatnonzero(missing[:, ~empty].any(axis=1))
        step = max(1, BLOCK // len(self.rows_))
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            distances = self._distances(marked[block])
            for j in np.flatnonzero(missing[block].any(axis=0) & ~empty):
                holes = missing[block, j]
                result[block[holes], j] = self._averages(distances[holes], int(j))
        return result

    def _distances(self, rows: Array) -> Array:
        if callable(self.metric):
            options = {"missing_values": np.nan}
            return np.array([[self.metric(a, b, **options) for b in self.rows_] for a in rows], dtype=np.float64)
        return nan_euclidean_distances(rows, self.rows_)

    def _averages(self, distances: Array, j: int) -> Array:
        """The means of column j over the neighbours of each row."""
        donors = np.flatnonzero(~np.isnan(self.rows_[:, j]))
        far = np.where(np.isnan(distances[:, donors]), np.inf, distances[:, donors])
        values = self.rows_[donors, j].astype(np.float64)
        k = min(self.n_neighbors, len(donors))
        if self.counts_ is None:
            nearest = np.argpartition(far, k - 1, axis=1)[:, :k]
            counted = np.ones(nearest.shape)
        else:
            nearest = np.argsort(far, axis=1, kind="stable")
            row_weights = self.counts_[donors][nearest]
            before = np.cumsum(row_weights, axis=1) - row_weights
            counted = np.clip(self.n_neighbors - before, 0, row_weights)
        near = np.take_along_axis(far, nearest, axis=1)
        counted = np.where(np.isinf(near), 0, counted) * self._nearness(near)
        total = counted.sum(axis=1)
        found = (counted * values[nearest]).sum(axis=1) / np.where(total > 0, total, 1)
        return np.asarray(np.where(total > 0, found, self.means_[j]))

    def _nearness(self, distances: Array) -> Array:
        """What each neighbour counts for; a row at distance zero outweighs all others."""
        if self.weights in (None, "uniform"):
            return np.ones(distances.shape)
        if callable(self.weights):
            found = self.weights(np.where(np.isinf(distances), np.nan, distances))
            return np.ones(distances.shape) if found is None else np.asarray(np.nan_to_num(found))
        same = distances == 0
        inverse = 1 / np.where(same, 1, distances)
        return np.where(same.any(axis=1, keepdims=True), same, inverse).astype(np.float64)
