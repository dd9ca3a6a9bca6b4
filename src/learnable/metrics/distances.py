"""Distances by name, whole or in chunks, and the nearest rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import DataConversionWarning, DataError, ParameterError, warn
from ..core.runtime.native import kernels
from ..core.sklearn_api.configuration import setting
from ..core.validate.features import FeatureValidator
from ..core.validate.rows import row_count
from . import distance_functions
from ._metric_options import check_options
from ._row_pairs import Pair, pair, paired
from .gower import gower_chunks, gower_distances

COMPILED = {
    "cityblock": "manhattan", "l1": "manhattan", "manhattan": "manhattan", "chebyshev": "chebyshev",
    "canberra": "canberra", "braycurtis": "braycurtis", "hamming": "hamming", "matching": "hamming",
}  # fmt: skip
STRAIGHT = {"euclidean": False, "l2": False, "sqeuclidean": True}
OTHERS = ("cosine", "correlation", "gower", "haversine", "mahalanobis", "minkowski", "nan_euclidean", "precomputed",
          "seuclidean")  # fmt: skip
BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
METRICS = tuple(sorted({*COMPILED, *STRAIGHT, *OTHERS, *BOOLEAN}))


@checked()
def distance_metrics() -> dict[str, Any]:
    """The names of metrics that have a function of their own, with it.

    >>> sorted(distance_metrics())[:3]
    ['cityblock', 'cosine', 'euclidean']
    """
    return {
        "cityblock": distance_functions.manhattan_distances,
        "cosine": distance_functions.cosine_distances,
        "euclidean": distance_functions.euclidean_distances,
        "gower": gower_distances,
        "haversine": distance_functions.haversine_distances,
        "l1": distance_functions.manhattan_distances,
        "l2": distance_functions.euclidean_distances,
        "manhattan": distance_functions.manhattan_distances,
        "nan_euclidean": distance_functions.nan_euclidean_distances,
        "precomputed": None,
    }


@checked()
def pairwise_distances(
    X: Rows,
    Y: Rows | None = None,
    metric: str | Callable[..., float] = "euclidean",
    *,
    n_jobs: int | None = None,
    ensure_all_finite: bool | str = True,
    **kwds: Any,
) -> Array:
    """The distance of every row of X to every row of Y (None: X) by a named metric or a function of two rows.

    Vectors: euclidean, sqeuclidean, seuclidean, mahalanobis, manhattan, chebyshev, minkowski, canberra, braycurtis,
    cosine, correlation, haversine, nan_euclidean, gower. Yes and no: hamming, jaccard, dice, yule, rogerstanimoto,
    russellrao, sokalsneath. Compiled, on the threads of `learnable.threads`; `n_jobs` is accepted and not needed.

    >>> pairwise_distances([[0.0, 0.0], [3.0, 4.0]], metric="manhattan").tolist()
    [[0.0, 7.0], [7.0, 0.0]]
    """
    owner = "pairwise_distances"
    if isinstance(metric, str):
        if metric == "precomputed":
            return _precomputed(owner, X, Y)
        if metric in ("nan_euclidean", "gower", "haversine"):
            return np.asarray(distance_metrics()[metric](X, Y, **kwds))
    tables = pair(owner, X, Y, missing=ensure_all_finite is not True)
    return table_of_distances(tables, metric, kwds)


def table_of_distances(tables: Pair, metric: Any, options: dict[str, Any]) -> Array:
    """Distances of tables that are checked; by name those of a row to itself are 0, also where the formula has none."""
    if callable(metric):
        return _called(tables, metric, options)
    found = _named(tables, metric, options)
    if tables.same:
        np.fill_diagonal(found, 0.0)
    return found


def _named(tables: Pair, metric: str, options: dict[str, Any]) -> Array:
    if metric not in METRICS:
        raise ParameterError(f"Unknown metric {metric}. Valid metrics are {list(METRICS)}, or a callable")
    check_options(metric, options, tables.X.shape[1], "pairwise_distances")
    if "w" in options or (metric in STRAIGHT and options):
        return _by_scipy(tables, metric, options)
    if metric in STRAIGHT:
        return distance_functions.euclidean(tables, STRAIGHT[metric])
    if metric == "cosine":
        return distance_functions.cosine(tables)
    X, Y = tables.dense()
    if metric in BOOLEAN:
        if not tables.flags:
            warn(
                f"The distance {metric} compares truth values: numbers other than zero count as true",
                DataConversionWarning,
            )
        return kernels.column_distances(X, Y, metric)
    if metric in COMPILED:
        return kernels.column_distances(X, Y, COMPILED[metric])
    return _TRANSFORMED[metric](X, Y, tables.same, **options)


def _minkowski(X: Array, Y: Array, same: bool, p: float = 2) -> Array:
    if p <= 0:
        raise ParameterError(f"pairwise_distances: p must be greater than 0 for minkowski; got {p!r}")
    if p == 1:
        return kernels.column_distances(X, Y, "manhattan")
    if p == 2:
        return kernels.euclidean_distances(X, Y)
    return kernels.column_distances(X, Y, "chebyshev" if np.isinf(p) else "minkowski", float(p))


def _standardised(X: Array, Y: Array, same: bool, V: Any = None) -> Array:
    """Euclidean distance of columns scaled by their standard deviations."""
    variance = np.var(X if same else np.vstack([X, Y]), axis=0, ddof=1) if V is None else np.asarray(V, dtype=float)
    left = np.ascontiguousarray(X / np.sqrt(variance))
    return kernels.euclidean_distances(left, left if same else np.ascontiguousarray(Y / np.sqrt(variance)))


def _mahalanobis(X: Array, Y: Array, same: bool, VI: Any = None, V: Any = None) -> Array:
    """sqrt((x - y)' VI (x - y)), with the inverse covariance unless VI, or V to be inverted, is given."""
    root = whitening(X if same else np.vstack([X, Y]), "pairwise_distances", VI, V)
    left = np.ascontiguousarray(X @ root)
    return kernels.euclidean_distances(left, left if same else np.ascontiguousarray(Y @ root))


def whitening(rows: Array, owner: str, VI: Any = None, V: Any = None) -> Array:
    """A root of the inverse covariance, VI or that of V or of `rows`: after it, Mahalanobis' distance is Euclid's."""
    try:
        if VI is None:
            VI = np.linalg.inv(covariance(rows, owner) if V is None else np.atleast_2d(np.asarray(V, dtype=np.float64)))
        VI = np.atleast_2d(np.asarray(VI, dtype=np.float64))
        if np.isfinite(VI).all():
            return np.linalg.cholesky((VI + VI.T) / 2)
    except np.linalg.LinAlgError:
        pass
    raise ParameterError(f"{owner}: the covariance V of mahalanobis, or its inverse VI, must be positive definite")


def covariance(rows: Array, owner: str) -> Array:
    """The covariance of the columns, if it has an inverse."""
    if len(rows) < 2:
        raise DataError(f"{owner}: a single row has no covariance for mahalanobis; give V or VI")
    found = np.atleast_2d(np.cov(rows.T))
    if np.linalg.matrix_rank(found, hermitian=True) < len(found):
        constant = np.flatnonzero(np.ptp(rows, axis=0) == 0)
        why = f"column {constant[0]} is constant" if len(constant) else "columns are sums of others, or rows too few"
        raise DataError(f"{owner}: the covariance for mahalanobis has no inverse: {why}; drop such columns, or give VI")
    return found


def _correlation(X: Array, Y: Array, same: bool) -> Array:
    """1 - Pearson's correlation of two rows."""
    left = X - X.mean(axis=1, keepdims=True)
    right = left if same else Y - Y.mean(axis=1, keepdims=True)
    lengths = (np.sqrt((rows**2).sum(axis=1)) for rows in (left, right))
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = (rows / length[:, None] for rows, length in zip((left, right), lengths, strict=True))
    return distance_functions.unlikeness(
        distance_functions.products(np.ascontiguousarray(first), np.ascontiguousarray(second))
    )


_TRANSFORMED: dict[str, Callable[..., Array]] = {
    "minkowski": _minkowski,
    "seuclidean": _standardised,
    "mahalanobis": _mahalanobis,
    "correlation": _correlation,
}


@checked()
def paired_distances(X: Rows, Y: Rows, *, metric: Any = "euclidean", **kwds: Any) -> Array:
    """The distance of row i of X to row i of Y, for all i.

    >>> paired_distances([[0.0, 1.0]], [[3.0, 5.0]], metric="manhattan").tolist()
    [7.0]
    """
    direct = {
        "euclidean": distance_functions.paired_euclidean_distances, "l2": distance_functions.paired_euclidean_distances,
        "cityblock": distance_functions.paired_manhattan_distances, "l1": distance_functions.paired_manhattan_distances,
        "manhattan": distance_functions.paired_manhattan_distances,
        "cosine": distance_functions.paired_cosine_distances,
    }  # fmt: skip
    if isinstance(metric, str) and metric in direct:
        return direct[metric](X, Y)
    tables = paired("paired_distances", X, Y)
    if callable(metric):
        rows, others = tables.dense()
        return np.array([metric(x, y, **kwds) for x, y in zip(rows, others, strict=True)])
    rows, others = tables.dense()
    both = (Pair(rows[i : i + 1], others[i : i + 1], False, False, tables.flags) for i in range(len(rows)))
    return np.array([table_of_distances(one, metric, kwds)[0, 0] for one in both])


@checked()
def pairwise_distances_chunked(
    X: Rows,
    Y: Rows | None = None,
    *,
    reduce_func: Callable[[Array, int], Any] | None = None,
    metric: Any = "euclidean",
    n_jobs: int | None = None,
    working_memory: float | None = None,
    **kwds: Any,
) -> Iterator[Any]:
    """Distances a few rows of X at a time, or what `reduce_func(chunk, first_row)` makes of them.

    A chunk takes at most `working_memory` MiB (of `set_config`, 64, if None) and has at least one row.

    >>> [part.shape for part in pairwise_distances_chunked(np.zeros((5, 2)), working_memory=0)]
    [(1, 5), (1, 5), (1, 5), (1, 5), (1, 5)]
    """
    if isinstance(metric, str) and metric == "precomputed":
        yield from _reduced(np.array_split(_precomputed("pairwise_distances_chunked", X, Y), 1), reduce_func)
        return
    room = setting("working_memory") if working_memory is None else working_memory
    rows = max(1, int(room * 2**20 // (8 * max(1, row_count(X if Y is None else Y)))))
    if isinstance(metric, str) and metric == "gower":
        yield from _reduced(gower_chunks(X, Y, rows, **kwds), reduce_func)
        return
    tables = pair("pairwise_distances_chunked", X, Y, missing=isinstance(metric, str) and metric == "nan_euclidean")
    options = dict(kwds)
    if metric in ("seuclidean", "mahalanobis") and not options:
        options = _scale(tables, metric)

    def chunks() -> Iterator[Array]:
        for start in range(0, tables.X.shape[0], rows):
            part = tables.X[start : start + rows]
            if metric in ("nan_euclidean", "haversine"):
                found = distance_metrics()[metric](part, tables.Y, **options)
            else:
                found = table_of_distances(Pair(part, tables.Y, False, tables.single, tables.flags), metric, options)
            if tables.same and isinstance(metric, str):
                found[np.arange(len(found)), np.arange(start, start + len(found))] = 0
            yield found

    yield from _reduced(chunks(), reduce_func)


@checked()
def pairwise_distances_argmin_min(
    X: Rows, Y: Rows, *, axis: int = 1, metric: Any = "euclidean", metric_kwargs: dict[str, Any] | None = None
) -> tuple[Array, Array]:
    """Index of the nearest row of Y (the first of equals) for each row of X, and the distance.

    `axis=0` swaps the roles.

    >>> [part.tolist() for part in pairwise_distances_argmin_min([[0.0], [9.0]], [[1.0], [8.5]])]
    [[0, 1], [1.0, 0.5]]
    """
    if axis == 0:
        X, Y = Y, X
    if isinstance(metric, str) and metric in STRAIGHT and not metric_kwargs:
        rows, others = pair("pairwise_distances_argmin_min", X, Y).dense()
        nearest, square = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
        kernels.nearest_rows(rows, others, nearest, square)
        return nearest, square if STRAIGHT[metric] else np.sqrt(square)

    def smallest(part: Array, start: int) -> tuple[Array, Array]:
        place = np.argmin(part, axis=1)
        return place, part[np.arange(len(part)), place]

    parts = list(pairwise_distances_chunked(X, Y, reduce_func=smallest, metric=metric, **(metric_kwargs or {})))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


@checked()
def pairwise_distances_argmin(
    X: Rows, Y: Rows, *, axis: int = 1, metric: Any = "euclidean", metric_kwargs: dict[str, Any] | None = None
) -> Array:
    """Index of the nearest row of Y for each row of X.

    >>> pairwise_distances_argmin([[0.0], [9.0]], [[1.0], [8.5]]).tolist()
    [0, 1]
    """
    return pairwise_distances_argmin_min(X, Y, axis=axis, metric=metric, metric_kwargs=metric_kwargs)[0]


def _scale(tables: Pair, metric: str) -> dict[str, Any]:
    """What a metric learns from all rows, so that chunks agree with the whole."""
    X, Y = tables.dense()
    both = X if tables.same else np.vstack([X, Y])
    if metric == "seuclidean":
        return {"V": np.var(both, axis=0, ddof=1)}
    return {"V": covariance(both, "pairwise_distances")}


def _reduced(chunks: Any, reduce_func: Callable[[Array, int], Any] | None) -> Iterator[Any]:
    start = 0
    for chunk in chunks:
        rows = len(chunk)
        if reduce_func is None:
            yield chunk
        else:
            reduced = reduce_func(chunk, start)
            _check_reduced(reduced, rows)
            yield reduced
        start += rows


def _check_reduced(reduced: Any, rows: int) -> None:
    parts = reduced if isinstance(reduced, tuple) else (reduced,)
    if any(isinstance(part, tuple) or not hasattr(part, "__len__") for part in parts):
        raise TypeError(f"reduce_func returned {reduced!r:.60}. Expected sequence(s) of length {rows}.")
    if any(len(part) != rows for part in parts if not hasattr(part, "tocsr")):
        raise DataError(f"reduce_func returned object of length other than {rows}, the rows of its chunk")


def _called(tables: Pair, metric: Callable[..., float], options: dict[str, Any]) -> Array:
    X, Y = tables.dense()
    if not tables.same:
        return np.array([[float(metric(x, y, **options)) for y in Y] for x in X])
    found = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        for j in range(i + 1):
            found[i, j] = found[j, i] = float(metric(X[i], X[j], **options))
    return found


def _by_scipy(tables: Pair, metric: str, options: dict[str, Any]) -> Array:
    """Metrics with weights of columns."""
    from scipy.spatial.distance import cdist

    X, Y = tables.dense()
    name = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}.get(metric, metric)
    if metric in BOOLEAN:
        X, Y = X != 0, Y != 0
    measure: Any = cdist  # its stubs list names of metrics one by one
    return np.asarray(measure(X, Y, name, **options))


def _precomputed(owner: str, X: Any, Y: Any) -> Array:
    """Distances that are there already."""
    table = FeatureValidator(owner).matrix(X)[0]
    columns = table.shape[0] if Y is None else np.shape(Y)[0]
    if table.shape[1] != columns:
        raise DataError(
            f"{owner}: Precomputed metric requires shape (n_queries, n_indexed). "
            f"Got {table.shape} for {columns} indexed."
        )
    if (table < 0).any():
        raise DataError(f"{owner}: the given distances hold numbers below zero")
    return np.asarray(table)
