"""How compact and how far apart clusters are, from the rows alone; and the likelihood of densities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, RandomState
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.errors import DataError, ParameterError
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ..core.validate.features import FeatureValidator
from ..core.validate.rows import check_equal_lengths, take_rows
from ..engines.time_budget import within_budget
from ._labels import coded, label_array
from ._validate import numbers, same_length, weights
from .distances import pairwise_distances_chunked


@checked()
def silhouette_samples(X: Rows, labels: Rows, *, metric: Any = "euclidean", **kwds: Any) -> Array:
    """Silhouette coefficient of each row, (b - a) / max(a, b): how much nearer its own cluster is than the next.

    a is the mean distance to the other rows of its cluster, b the least mean distance to another cluster; 0 for a row
    alone in its cluster. Distances are never stored. [Rousseeuw, 1987]

    >>> silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(4).tolist()
    [0.9048, 0.8947, 0.8947, 0.9048]
    """
    with within_budget():
        sums, codes, sizes = _cluster_sums("silhouette_samples", X, labels, metric, kwds)
    rows = np.arange(len(codes))
    own = sums[rows, codes] / np.maximum(sizes[codes] - 1, 1)
    others = sums / sizes
    others[rows, codes] = np.inf
    nearest = others.min(axis=1)
    larger = np.maximum(own, nearest)
    value = np.divide(nearest - own, larger, out=np.zeros_like(own), where=larger > 0)
    return np.where(sizes[codes] > 1, value, 0.0)


@checked(sample_size=limits(at_least=1))
def silhouette_score(
    X: Rows,
    labels: Rows,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    **kwds: Any,
) -> float:
    """Silhouette score: the mean silhouette coefficient of all rows, or of `sample_size` random rows, between -1 and 1.

    >>> round(silhouette_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 4)
    0.8997
    """
    if sample_size is not None:
        many = check_equal_lengths("silhouette_score", X=X, labels=labels)
        rows = stream(random_state).permutation(many)[:sample_size]
        X, labels = take_rows(X, rows), take_rows(labels, rows)
        if isinstance(metric, str) and metric == "precomputed":
            X = np.asarray(X)[:, rows]
    return float(silhouette_samples(X, labels, metric=metric, **kwds).mean())


@checked()
def davies_bouldin_score(X: Rows, labels: Rows) -> float:
    """Davies-Bouldin score, the mean over clusters of the largest (s_i + s_j) / d_ij.

    s_i is the mean distance to the centroid of cluster i, and d_ij the distance of two centroids.

    Smaller is better. [Davies and Bouldin, 1979]

    >>> round(davies_bouldin_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 4)
    0.1
    """
    rows, codes, sizes, centres = _clusters("davies_bouldin_score", X, labels)
    spread = np.bincount(codes, weights=np.sqrt(((rows - centres[codes]) ** 2).sum(axis=1))) / sizes
    apart = kernels.euclidean_distances(centres, centres)
    if np.allclose(spread, 0) or np.allclose(apart, 0):
        return 0.0
    apart[apart == 0] = np.inf
    return float(((spread[:, None] + spread) / apart).max(axis=1).mean())


@checked()
def calinski_harabasz_score(X: Rows, labels: Rows) -> float:
    """Calinski-Harabasz score: the variance between clusters over the variance within, each by its degrees of freedom.

    Larger is better.

    >>> calinski_harabasz_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    200.0
    """
    rows, codes, sizes, centres = _clusters("calinski_harabasz_score", X, labels)
    between = float(sizes @ ((centres - rows.mean(axis=0)) ** 2).sum(axis=1))
    within = float(((rows - centres[codes]) ** 2).sum())
    return 1.0 if within == 0 else between * (len(rows) - len(sizes)) / (within * (len(sizes) - 1))


@checked()
def mean_log_likelihood(log_density: Rows, *, sample_weight: Rows | None = None) -> float:
    """The mean of the log densities that a model gives to rows it has not seen: larger is better.

    >>> mean_log_likelihood([-1.0, -3.0])
    -2.0
    """
    values, weight = _log_densities("mean_log_likelihood", log_density, sample_weight)
    return float(np.average(values, weights=weight))


@checked()
def negative_log_likelihood(log_density: Rows, *, sample_weight: Rows | None = None) -> float:
    """Minus the sum of the log densities of all rows, a loss of the whole sample.

    >>> negative_log_likelihood([-1.0, -3.0])
    4.0
    """
    values, weight = _log_densities("negative_log_likelihood", log_density, sample_weight)
    return -float(values.sum() if weight is None else weight @ values)


def _log_densities(owner: str, log_density: Any, sample_weight: Any) -> tuple[Array, Array | None]:
    values = numbers(owner, log_density, "log_density")
    if values.ndim != 1 or len(values) == 0:
        raise DataError(f"{owner}: log_density must be one number per row; got shape {values.shape}")
    return values, weights(owner, sample_weight, len(values))


def _codes(owner: str, labels: Any, rows: int) -> tuple[Array, Array]:
    """The cluster of each row by number, and the sizes of the clusters."""
    given = label_array(owner, labels, "labels")
    same_length(owner, X=np.empty(rows), labels=given)
    classes, (codes,) = coded(owner, given)
    if not 1 < len(classes) < rows:
        raise DataError(f"{owner}: Number of labels is {len(classes)}. Valid values are 2 to n_samples - 1 (inclusive)")
    return codes, np.bincount(codes)


def _clusters(owner: str, X: Any, labels: Any) -> tuple[Array, Array, Array, Array]:
    """Rows, their codes, the sizes and the centres of the clusters."""
    rows = FeatureValidator(owner).matrix(X)[0].astype(np.float64, copy=False)
    codes, sizes = _codes(owner, labels, len(rows))
    sums = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(sums, codes, rows)
    return rows, codes, sizes, sums / sizes[:, None]


def _cluster_sums(owner: str, X: Any, labels: Any, metric: Any, options: dict[str, Any]) -> tuple[Array, Array, Array]:
    """The sum of the distances of each row to the rows of each cluster."""
    if isinstance(metric, str) and metric in ("euclidean", "l2") and not options and not hasattr(X, "tocsr"):
        rows = FeatureValidator(owner).matrix(X)[0]
        codes, sizes = _codes(owner, labels, len(rows))
        order = np.argsort(codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sums = np.empty((len(rows), len(sizes)))
        sums[order] = kernels.cluster_distances(np.ascontiguousarray(rows[order], dtype=np.float64), starts)
        return sums, codes, sizes
    table = _precomputed(owner, X) if isinstance(metric, str) and metric == "precomputed" else X
    codes, sizes = _codes(owner, labels, np.shape(table)[0] if hasattr(table, "shape") else len(table))
    member = (codes[:, None] == np.arange(len(sizes))).astype(np.float64)

    def summed(part: Any, _: int) -> Array:
        give_way()
        return np.asarray(part @ member)

    memory = 0 if callable(metric) else None  # of a function, which is slow, a row at a time: budgets hear of each
    parts = pairwise_distances_chunked(table, metric=metric, reduce_func=summed, working_memory=memory, **options)
    return np.concatenate(list(parts)), codes, sizes


def _precomputed(owner: str, X: Any) -> Any:
    if hasattr(X, "tocsr"):
        return X.toarray()
    table = numbers(owner, X, "X")
    if np.any(np.abs(table.diagonal()) > np.finfo(np.float64).eps * 100):
        raise ParameterError(
            f"{owner}: the distance of a row to itself is zero, but the diagonal of the given distances is not; set "
            "it by np.fill_diagonal(X, 0)"
        )
    return table
