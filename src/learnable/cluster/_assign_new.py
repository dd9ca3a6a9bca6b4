"""Cluster labels of new rows: those of the nearest training rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..core import Array, Matrix
from ..engines.neighbours import NeighbourSearch, RowComparison
from ..metrics.distances import covariance
from ..neighbors._metrics import column_ranges, comparison, effective


def is_given(metric: Any) -> bool:
    """Whether X is a precomputed distance matrix."""
    return isinstance(metric, str) and metric == "precomputed"


def resolve_metric(metric: Any, options: dict[str, Any], X: Matrix, owner: str) -> tuple[Any, dict[str, Any]]:
    """A metric with its data-dependent options taken from the training rows, so that new rows are compared alike.

    >>> resolve_metric("gower", {}, np.array([[0.0], [4.0]]), "KMedoids")
    ('gower', {'ranges': array([4.])})
    """
    if metric == "gower":
        return metric, {"ranges": column_ranges(X), **options}
    if metric not in ("seuclidean", "mahalanobis") or options:
        return metric, options
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    return metric, {"V": np.var(rows, axis=0, ddof=1) if metric == "seuclidean" else covariance(rows, owner)}


def labels_of_known(X: Matrix, known: Matrix, labels: Array, others: Array) -> Array:
    """The labels of rows that equal a known row, of the first such row, and `others` for all other rows.

    In a precomputed matrix a row need not be nearest to itself: training rows keep their fitted labels.

    >>> labels_of_known(np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([[0.0, 2.0]]), np.array([3]), np.array([0, 1]))
    array([3, 1])
    """
    first: dict[bytes, Any] = {}
    for row, label in zip(_row_bytes(known), labels, strict=True):
        first.setdefault(row, label)
    return np.array([first.get(row, label) for row, label in zip(_row_bytes(X), others, strict=True)], others.dtype)


def _row_bytes(X: Matrix) -> Iterator[bytes]:
    """The entries of each row as bytes."""
    if not hasattr(X, "indptr"):
        yield from (row.tobytes() for row in np.ascontiguousarray(X))
        return
    columns = X.indices.astype(np.int64)
    for start, end in pairwise(X.indptr.tolist()):
        yield columns[start:end].tobytes() + X.data[start:end].tobytes()


def core_distances(X: Matrix, how: RowComparison, k: int) -> Array:
    """The distance of each row to its `k`-th nearest other row.

    Distances are computed column by column, as in single linkage: a core distance is the length of an edge, and equal
    lengths must be equal to the last bit.
    """
    search = NeighbourSearch.of(X, how, "auto" if how.power is None else "kd_tree")
    return np.ascontiguousarray(search.nearest_others(k)[0][:, -1])


def label_of_nearest(
    X: Matrix, rows: Matrix, labels: Array, metric: Any, owner: str, options: dict[str, Any] | None = None
) -> Array:
    """The label of the nearest training row of each row of `X`; ties go to the first."""
    if is_given(metric):
        return np.asarray(labels[np.argmin(X, axis=1)])
    if callable(metric):
        table = np.asarray(metric(np.vstack([X, rows])))[: len(X), len(X) :]
        return np.asarray(labels[np.argmin(table, axis=1)])
    search = NeighbourSearch.of(rows, comparison(*effective(metric, 2.0, options), rows, owner))
    return np.asarray(labels[search.nearest(X, 1)[1][:, 0]])
