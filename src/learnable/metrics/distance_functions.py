"""Distances between all rows of two tables, one function a kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import DataError
from ..core.runtime.native import kernels
from ..core.scaling import SAFE_DISTANCES, unit_of
from ._row_pairs import Pair, pair, paired

FEW_ENTRIES = 2**16  # of a table on the way to distances: it stays in the cache


@checked()
def euclidean_distances(
    X: Rows,
    Y: Rows | None = None,
    *,
    Y_norm_squared: Rows | None = None,
    squared: bool = False,
    X_norm_squared: Rows | None = None,
) -> Array:
    """Euclidean distances of all rows of X to all rows of Y, |x - y|, or their squares.

    Products of blocks of rows about a common centre; near rows are compared column by column, so that no digits are
    lost. Norms that are given are not needed.

    >>> euclidean_distances([[0.0, 0.0]], [[3.0, 4.0]]).tolist()
    [[5.0]]
    """
    return euclidean(pair("euclidean_distances", X, Y), squared)


def euclidean(tables: Pair, squared: bool = False) -> Array:
    """Distances, or their squares, of tables that are checked."""
    if tables.sparse and tables.X.shape[1] > 1000:
        return tables.cast(_sparse_euclidean(tables, squared))
    X, Y = tables.dense()
    unit = unit_of(X, Y, safe=SAFE_DISTANCES)
    if unit != 1:
        X = X * unit
        Y = X if tables.same else Y * unit
    found = kernels.euclidean_distances(X, Y, squared)
    with np.errstate(over="ignore"):  # squares of enormous distances are infinite
        return tables.cast(found if unit == 1 else found / unit / unit if squared else found / unit)


@checked()
def nan_euclidean_distances(
    X: Rows, Y: Rows | None = None, *, squared: bool = False, missing_values: float = np.nan, copy: bool = True
) -> Array:
    """Euclidean distance over the columns present in both rows, scaled up to all columns; NaN if there are none.

    sqrt(columns / shared columns * sum over shared columns of (x - y)^2). [Dixon, 1979]

    >>> nan_euclidean_distances([[3.0, np.nan]], [[0.0, 1.0]]).round(4).tolist()
    [[4.2426]]
    """
    if missing_values == missing_values and missing_values is not None:
        X, Y = (
            None if table is None else np.where(np.asarray(table) == missing_values, np.nan, table) for table in (X, Y)
        )
    tables = pair("nan_euclidean_distances", X, Y, missing=True)
    rows, others = tables.dense()
    found = kernels.column_distances(rows, others, "nan_euclidean")
    if tables.same:
        np.fill_diagonal(found, np.where(np.isnan(rows).all(axis=1), np.nan, 0.0))
    return tables.cast(found**2 if squared else found)


@checked()
def manhattan_distances(X: Rows, Y: Rows | None = None) -> Array:
    """Manhattan distances, sum |x_j - y_j|.

    >>> manhattan_distances([[0.0, 0.0]], [[3.0, 4.0]]).tolist()
    [[7.0]]
    """
    tables = pair("manhattan_distances", X, Y)
    rows, others = tables.dense()
    return kernels.column_distances(rows, others, "manhattan")


@checked()
def cosine_distances(X: Rows, Y: Rows | None = None) -> Array:
    """Cosine distances: 1 - the cosine of the angle between rows; 1 for a row of zeros.

    >>> cosine_distances([[1.0, 0.0]], [[0.0, 2.0], [3.0, 0.0]]).tolist()
    [[1.0, 0.0]]
    """
    return cosine(pair("cosine_distances", X, Y))


def cosine(tables: Pair) -> Array:
    """Cosine distances of tables that are checked."""
    found = unlikeness(similarity(tables))
    if tables.same:
        np.fill_diagonal(found, 0.0)
    return tables.cast(found)


def unlikeness(cosines: Array) -> Array:
    """1 - cosine, between 0 and 2 whatever was rounded, in the place of the cosines."""
    np.subtract(1, cosines, out=cosines)
    return np.clip(cosines, 0, 2, out=cosines)


def similarity(tables: Pair) -> Array:
    """The cosine of every pair of rows; 0 where a row is zero."""
    if tables.sparse:
        X, Y = (_unit_sparse(table) for table in (tables.X, tables.Y))
        return np.asarray((X @ Y.T).toarray() if hasattr(X @ Y.T, "toarray") else X @ Y.T)
    X, Y = tables.dense()
    left = _unit(X)
    return products(left, left if tables.same else _unit(Y))


def products(X: Array, Y: Array) -> Array:
    """x'y for all rows, with the same bits on any number of threads."""
    return kernels.matvec(X, Y.T)


@checked()
def haversine_distances(X: Rows, Y: Rows | None = None) -> Array:
    """Haversine distance: the angle between points on a sphere, given as latitude and longitude in radians.

    2 arcsin sqrt(sin^2((a - a') / 2) + cos a cos a' sin^2((b - b') / 2))

    >>> haversine_distances([[0.0, 0.0]], [[0.0, np.pi / 2]]).round(4).tolist()
    [[1.5708]]
    """
    tables = pair("haversine_distances", X, Y)
    rows, others = tables.dense()
    if rows.shape[1] != 2:
        raise DataError("haversine_distances: Haversine distance only valid in 2 dimensions: latitude and longitude")
    found, step = np.empty((len(rows), len(others))), max(1, FEW_ENTRIES // max(1, len(others)))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        high, far = (np.sin((part[:, None, j] - others[None, :, j]) / 2) ** 2 for j in (0, 1))
        inside = high + np.cos(part[:, :1]) * np.cos(others[:, 0]) * far
        found[start : start + step] = 2 * np.arcsin(np.sqrt(inside))
    return tables.cast(found)


@checked()
def paired_euclidean_distances(X: Rows, Y: Rows) -> Array:
    """Paired Euclidean distances, |x_i - y_i|, row by row.

    >>> paired_euclidean_distances([[0.0, 0.0]], [[3.0, 4.0]]).tolist()
    [5.0]
    """
    rows, others = paired("paired_euclidean_distances", X, Y).dense()
    return np.asarray(np.sqrt(((rows - others) ** 2).sum(axis=1)))


@checked()
def paired_manhattan_distances(X: Rows, Y: Rows) -> Array:
    """Paired Manhattan distances, sum_j |x_ij - y_ij|, row by row.

    >>> paired_manhattan_distances([[0.0, 0.0]], [[3.0, 4.0]]).tolist()
    [7.0]
    """
    rows, others = paired("paired_manhattan_distances", X, Y).dense()
    return np.asarray(np.abs(rows - others).sum(axis=1))


@checked()
def paired_cosine_distances(X: Rows, Y: Rows) -> Array:
    """Paired cosine distances: 1 - the cosine of the angle between x_i and y_i, row by row.

    >>> paired_cosine_distances([[1.0, 0.0]], [[1.0, 1.0]]).round(4).tolist()
    [0.2929]
    """
    rows, others = paired("paired_cosine_distances", X, Y).dense()
    return np.asarray(0.5 * ((_unit(rows) - _unit(others)) ** 2).sum(axis=1))


def _unit(rows: Array) -> Array:
    length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(length > 0, length, 1.0))


def _unit_sparse(table: Any) -> Any:
    if not hasattr(table, "tocsr"):
        return _unit(np.asarray(table, dtype=np.float64))
    from scipy.sparse import diags_array

    length = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return (diags_array(1 / np.where(length > 0, length, 1.0)) @ table).tocsr()


def _sparse_euclidean(tables: Pair, squared: bool) -> Array:
    """|x|^2 + |y|^2 - 2 x'y, for tables with too many columns to be made dense."""
    X, Y = tables.X, tables.Y
    norms = [
        np.asarray(t.multiply(t).sum(axis=1) if hasattr(t, "tocsr") else (t**2).sum(axis=1)).ravel() for t in (X, Y)
    ]
    inner = X @ Y.T
    inner = inner.toarray() if hasattr(inner, "toarray") else np.asarray(inner)
    found = np.maximum(norms[0][:, None] + norms[1] - 2 * inner, 0)
    if tables.same:
        np.fill_diagonal(found, 0)
    return np.asarray(found if squared else np.sqrt(found))
