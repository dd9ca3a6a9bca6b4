"""Linkage matrices of hierarchical clustering, in SciPy's format."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import checked, is_column
from ..core.validate.features import FeatureValidator
from ..engines.time_budget import within_budget
from ..metrics.distances import pairwise_distances
from ..neighbors._metrics import comparison
from ..neighbors._mixed_features import OF_CATEGORIES
from ..neighbors.nearest_neighbors import NearestNeighbors
from ._linkage.agglomerate import SQUARED, Method, merges_of_rows, merges_of_table, table_between


@checked()
def linkage(y: Any, method: Method = "single", metric: Any = "euclidean", optimal_ordering: bool = False) -> Array:
    """The linkage matrix of hierarchical clustering: a row for each merge of the two nearest clusters, as in SciPy.

    merges[k] = the two clusters, their distance and number of rows; merge k of n rows creates cluster n + k

    The distance of clusters is that of their nearest rows (`single`), their farthest (`complete`), the mean of all
    pairs (`average`), the mean over the two merged clusters (`weighted`), that of their means (`centroid`), of their
    midpoints (`median`), or the increase of the sum of squares (`ward`). `y` is a table of rows, or a condensed
    distance matrix; `metric` a name, or a function of two rows. Time grows with the square of the rows; `single` and
    `ward` need memory for the rows alone.

    >>> linkage([[0.0], [1.0], [5.0]], "average")
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 4.5, 3. ]])
    """
    by_pairs = callable(metric) or (isinstance(metric, str) and metric in OF_CATEGORIES)
    values = _condensed_distances(y, method, metric) if by_pairs and not is_column(y) else _numbers(y)
    with within_budget():
        merges = _merges(values, method, metric)
    return _reorder_leaves(merges, values, metric) if optimal_ordering else merges


def _reorder_leaves(merges: Array, values: Array, metric: Any) -> Array:
    """The same merges in optimal leaf ordering."""
    from scipy.cluster.hierarchy import optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    condensed = values if values.ndim == 1 else squareform(pairwise_distances(values, metric=metric), checks=False)
    return np.asarray(optimal_leaf_ordering(merges, condensed))


def _merges(values: Array, method: Method, metric: Any) -> Array:
    if values.ndim == 1:
        return merges_of_table(_square(values), method)
    X, _ = FeatureValidator("linkage").matrix(values)
    if len(X) < 2:
        raise DataError(f"linkage: at least two rows are needed; n_samples = {len(X)}")
    return merges_of_rows(X, method, metric, "linkage")


def _numbers(y: Any) -> Array:
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"linkage: y must be a table of numbers, or a condensed distance matrix; got {y!r:.60}"
        ) from None


def _condensed_distances(y: Any, method: Method, metric: Any) -> Array:
    """The condensed distance matrix of a table, which may hold categories, or by a function of two rows."""
    if method in SQUARED:
        raise ParameterError(
            f"linkage: {method} linkage is based on centroids and needs metric='euclidean'; got {metric!r}"
        )
    search = NearestNeighbors(metric=metric).fit(y)
    how = comparison(metric, search.effective_metric_params_, search.rows_, "linkage")
    return np.asarray(table_between(how, search.rows_)[np.triu_indices(search.n_samples_fit_, 1)])


def _square(distances: Array) -> Array:
    """The square form of a condensed distance matrix."""
    rows = (1 + math.isqrt(1 + 8 * len(distances))) // 2
    if rows < 2 or rows * (rows - 1) // 2 != len(distances):
        raise DataError(
            f"linkage: {len(distances)} distances are not a condensed distance matrix, which has n (n - 1) / 2 entries"
        )
    if not (np.isfinite(distances) & (distances >= 0)).all():
        raise DataError("linkage: the distances must be finite and non-negative")
    table = np.zeros((rows, rows))
    table[np.triu_indices(rows, 1)] = distances
    return table + table.T
