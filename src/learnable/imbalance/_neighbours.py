"""The nearest rows of every row of a table, missing values included."""

from __future__ import annotations

import numpy as np

from ..core import Array, DataError, Matrix
from ..core.runtime.native import kernels
from ..core.scaling import unit_of
from ..core.validate.targets import is_sparse
from ..engines.neighbours import NeighbourSearch, RowComparison
from ..metrics import euclidean_distances

CHUNK = 2**22  # distances at a time


def nearest(X: Matrix, k: int, owner: str, label: object) -> Array:
    """Indices of the `k` nearest other rows of every row, nearest first.

    With missing values, distances are those over the columns that both rows have, scaled up to all columns.

    >>> nearest(np.array([[0.0], [1.0], [5.0]]), 1, "SMOTE", "rare").ravel().tolist()
    [1, 0, 1]
    """
    rows = X.shape[0]
    if rows <= k:
        raise DataError(
            f"{owner}: Expected n_neighbors <= n_samples_fit, but k_neighbors = {k} and class {label!r} has {rows} "
            f"rows, each with {rows - 1} others; lower k_neighbors or drop the class"
        )
    if not is_sparse(X) and np.isnan(X).any():
        return _nearest_with_missing(np.require(X, np.float64, "C") * unit_of(np.nan_to_num(X)), k)
    return NeighbourSearch.of(X, RowComparison(power=2, table=euclidean_distances)).nearest_others(k)[1]


def _nearest_with_missing(table: Array, k: int) -> Array:
    indices = np.empty((len(table), k), dtype=np.int64)
    step = max(1, CHUNK // len(table))
    for begin in range(0, len(table), step):
        part = np.ascontiguousarray(table[begin : begin + step])
        distance = kernels.column_distances(part, table, "nan_euclidean")
        distance[np.arange(len(part)), begin + np.arange(len(part))] = np.inf
        distance = np.where(np.isnan(distance), np.finfo(np.float64).max, distance)  # nothing in common: last
        indices[begin : begin + step] = np.argsort(distance, axis=1, kind="stable")[:, :k]
    return indices
