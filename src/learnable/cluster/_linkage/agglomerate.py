"""Agglomeration of the two nearest clusters: from rows, from a distance matrix, or along a connectivity graph."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, DataError, ParameterError
from ...core.errors import warn
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.scaling import unit_of
from ...engines.neighbours import RowComparison
from ...metrics.distances import pairwise_distances
from ...neighbors._metrics import comparison, effective

Method = Literal["single", "complete", "average", "weighted", "centroid", "median", "ward"]
SQUARED = ("centroid", "median", "ward")  # centroid-based linkages, computed from squared Euclidean distances
EUCLIDEAN = ("euclidean", "l2")


def merges_by_metric(X: Array, method: Method, metric: Any, owner: str) -> Array:
    """The linkage matrix by a metric, by a function of the table, or from a precomputed distance matrix."""
    if not _given(metric) and not callable(metric):
        return merges_of_rows(X, method, metric, owner)
    table = X if _given(metric) else table_of(X, metric)
    if table.shape != (len(X), len(X)):
        raise DataError(f"{owner}: a square distance matrix of the {len(X)} rows is needed; the shape is {table.shape}")
    return merges_of_table(table, method)


def merges_of_rows(X: Array, method: Method, metric: Any, owner: str) -> Array:
    """The linkage matrix of the rows of `X`: two clusters, their distance, and the size of the merged cluster."""
    if method in SQUARED and metric not in EUCLIDEAN:
        raise ParameterError(
            f"{owner}: {method} linkage is based on centroids and needs metric='euclidean'; got {metric!r}"
        )
    how = comparison(*effective(metric, 2.0, None), X, owner) if isinstance(metric, str) else None
    table = X.astype(np.float64) if how is None or how.power is None else how.among(X).rows(X)
    unit = unit_of(table)
    table, merges = np.ascontiguousarray(table * unit), _empty_linkage(len(X))
    if method == "single" and how is not None and how.power is not None:
        kernels.link_single(table, how.power, None, merges)
    elif method == "ward":
        kernels.link_ward(table, merges)
    elif how is None or how.power is None:
        return merges_of_table(table_of(X, metric), method)
    else:
        _link(pairwise_distances(table, metric=metric), method, merges)
    merges[:, 2] /= unit
    return merges


def merges_of_table(distances: Array, method: Method) -> Array:
    """The same by a square distance matrix, which is not changed; only its upper triangle is read."""
    if np.isnan(distances).any():
        row, other = np.argwhere(np.isnan(distances))[0]
        raise DataError(
            f"rows {row} and {other} have no distance (NaN): they have no column in common; impute the missing values"
        )
    unit, merges = unit_of(distances), _empty_linkage(len(distances))
    table = np.array(distances * unit, dtype=np.float64, order="C")
    for row in range(1, len(table)):
        give_way()
        table[row, :row] = table[:row, row]  # nearest-neighbour chains would not end with asymmetric distances
    _link(table, method, merges)
    merges[:, 2] /= unit
    return merges


def _link(table: Array, method: Method, merges: Array) -> None:
    """Write the merges by a distance matrix, which is overwritten."""
    if method == "single":
        kernels.link_single_table(table, None, merges)
        return
    if method in SQUARED:
        np.multiply(table, table, out=table)
    kernels.link_table(table, method, merges)
    if method in SQUARED:
        merges[:, 2] = np.sqrt(np.maximum(merges[:, 2], 0.0))


def table_between(how: RowComparison, rows: Array) -> Array:
    """Distances between all rows, by a comparison with a distance function."""
    assert how.table is not None
    return how.table(rows, rows)


def table_of(X: Array, metric: Any) -> Array:
    """Distances between all rows, by a name or by a function of the table."""
    return np.asarray(metric(X) if callable(metric) else pairwise_distances(X, metric=metric), dtype=np.float64)


def _empty_linkage(rows: int) -> Array:
    return np.empty((rows - 1, 4))


def merges_along(X: Array, graph: Any, method: Method, metric: Any, owner: str) -> tuple[Array, int]:
    """The merges of clusters that edges of a graph connect, and the number of connected components of the graph.

    Components are connected by an edge between their nearest rows.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if method not in ("single", "complete", "average", "ward"):
        raise ParameterError(
            f"{owner}: {method} linkage does not support connectivity; use ward, single, complete or average"
        )
    try:
        edges = csr_array(graph)
    except (TypeError, ValueError) as error:
        raise DataError(f"{owner}: connectivity must be a matrix of numbers, dense or sparse; {error}") from None
    if edges.shape != (len(X), len(X)):
        raise DataError(
            f"{owner}: connectivity must have a row and a column for each of the {len(X)} rows; got {edges.shape}"
        )
    pattern = csr_array(((edges + edges.T) != 0).astype(np.float64))
    count, component = connected_components(pattern, directed=False)
    if count > 1:
        warn(
            f"{owner}: connectivity has {count} components; each pair is joined between its nearest rows",
            UserWarning,
        )
        pattern = _connect_components(X, pattern, component, metric)
    pattern.setdiag(0)
    pattern.eliminate_zeros()
    pattern.sort_indices()
    return _merges_of_graph(X, pattern, method, metric), int(count)


def _connect_components(X: Array, pattern: Any, component: Array, metric: Any) -> Any:
    """The graph with an edge between the nearest rows of every two components."""
    from scipy.sparse import csr_array

    ends: list[tuple[int, int]] = []
    for k in range(component.max() + 1):
        for other in range(k):
            left, right = np.flatnonzero(component == k), np.flatnonzero(component == other)
            apart = X[np.ix_(left, right)] if _given(metric) else _between(X[left], X[right], metric)
            i, j = np.unravel_index(int(np.argmin(apart)), apart.shape)
            ends += [(left[i], right[j]), (right[j], left[i])]
    rows, columns = np.array(ends).T
    return csr_array(pattern + csr_array((np.ones(len(ends)), (rows, columns)), shape=pattern.shape))


def _given(metric: Any) -> bool:
    return isinstance(metric, str) and metric == "precomputed"


def _between(A: Array, B: Array, metric: Any) -> Array:
    """Distances between the rows of two tables."""
    if callable(metric):
        return np.asarray(metric(np.vstack([A, B])))[: len(A), len(A) :]
    return pairwise_distances(A, B, metric=metric)


def _merges_of_graph(X: Array, pattern: Any, method: Method, metric: Any) -> Array:
    left = np.repeat(np.arange(len(X)), np.diff(pattern.indptr))
    right = pattern.indices.astype(np.int64)
    merges, start = _empty_linkage(len(X)), pattern.indptr.astype(np.int64)
    unit = unit_of(X)
    table = np.ascontiguousarray(X * unit, dtype=np.float64)
    if method == "ward":
        apart = ((table[left] - table[right]) ** 2).sum(axis=1)
    elif metric in EUCLIDEAN:
        apart = np.sqrt(((table[left] - table[right]) ** 2).sum(axis=1))
    else:
        unit = 1.0
        apart = np.ascontiguousarray((X if _given(metric) else table_of(X, metric))[left, right], dtype=np.float64)
    kernels.link_graph(apart, right, start, method, table, merges)
    if method == "ward":
        merges[:, 2] = np.sqrt(merges[:, 2])
    merges[:, 2] /= unit
    return merges
