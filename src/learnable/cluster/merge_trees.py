"""Merge trees in scikit-learn's format: children, connected components, leaves, parents and distances."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.errors import warn
from ..core.validate.features import FeatureValidator
from ..engines.time_budget import within_budget
from ..neighbors._metrics import is_metric
from ._linkage.agglomerate import Method, merges_along, merges_by_metric

Tree = tuple[Any, ...]


@checked(n_clusters=limits(at_least=1))
def ward_tree(
    X: Rows, *, connectivity: Rows | None = None, n_clusters: int | None = None, return_distance: bool = False
) -> Tree:
    """Ward clustering: the tree of merges that increase the sum of squares least.

    Returns the two clusters of each merge (merge k of n rows creates cluster n + k), the number of connected components
    of the graph, the number of rows, the parent of each cluster (None without a graph), and with `return_distance` the
    distances of the merged clusters. Only clusters with an edge of `connectivity` between them merge, and only until
    `n_clusters` are left.

    >>> ward_tree([[0.0], [1.0], [5.0]])
    (array([[0, 1],
           [2, 3]]), 1, 3, None)
    """
    return _tree(X, connectivity, n_clusters, "ward", "euclidean", return_distance, "ward_tree")


@checked(
    n_clusters=limits(at_least=1),
    affinity=limits(accepts=is_metric, says="the name of a metric, precomputed, or a function of the table"),
)
def linkage_tree(
    X: Rows,
    connectivity: Rows | None = None,
    n_clusters: int | None = None,
    linkage: Literal["complete", "average", "single"] = "complete",
    affinity: Any = "euclidean",
    return_distance: bool = False,
) -> Tree:
    """The merge tree of complete, single or average linkage.

    The return value is that of `ward_tree`; `affinity` is the metric, "precomputed" for a distance matrix.

    >>> children, components, leaves, parents, distances = linkage_tree([[0.0], [1.0], [5.0]], return_distance=True)
    >>> distances
    array([1., 5.])
    """
    return _tree(X, connectivity, n_clusters, linkage, affinity, return_distance, "linkage_tree")


def _tree(X: Any, graph: Any, count: int | None, method: Method, metric: Any, with_distances: bool, owner: str) -> Tree:
    rows = _rows(X, owner)
    if count is not None and count > len(rows):
        raise ParameterError(f"{owner}: n_clusters={count} is larger than the number of rows, {len(rows)}")
    if graph is None and count is not None:
        warn(f"{owner}: n_clusters has an effect only with connectivity; the full tree is returned", UserWarning)
    with within_budget():
        if graph is None:
            merges, n_components = merges_by_metric(rows, method, metric, owner), 1
        else:
            merges, n_components = merges_along(rows, graph, method, metric, owner)
    parents = None
    if graph is not None:
        kept = len(rows) - (count or 1)
        parents = _parents(merges[:kept, :2].astype(np.int64), len(rows))
        merges = merges if method == "single" else merges[:kept]
    tree = merges[:, :2].astype(np.int64), n_components, len(rows), parents
    return (*tree, merges[:, 2].copy()) if with_distances else tree


def _rows(X: Any, owner: str) -> Array:
    """The rows, at least two; a one-dimensional array is one column."""
    table, _ = FeatureValidator(owner).matrix(np.reshape(X, (-1, 1)) if np.ndim(X) == 1 else X)
    if len(table) < 2:
        raise DataError(f"{owner}: at least two rows are needed; n_samples = {len(table)}")
    return np.asarray(table)


def _parents(children: Array, rows: int) -> Array:
    """The parent of each cluster; the cluster itself if it is a root."""
    above = np.arange(rows + len(children))
    above[children.ravel()] = np.repeat(np.arange(rows, len(above)), 2)
    return above
