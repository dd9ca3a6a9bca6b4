"""Graphs of near rows of a table, as functions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Matrix, ParameterError
from ..core.declare.checked_functions import checked, limits
from ..core.errors import EfficiencyWarning, ParameterTypeError, not_fitted, warn
from .nearest_neighbors import NearestNeighbors

Mode = Literal["connectivity", "distance"]
WITH_ZEROS = ("csr", "csc", "coo", "lil")  # sparse formats that hold a distance of zero apart from no distance


@checked()
def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: Mode = "connectivity",
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """Sparse graph of the k nearest neighbours of every row.

    G[i, j] = 1, or d(x_i, x_j), if row j is a neighbour of i.

    X may be a fitted NearestNeighbors. With `include_self` a row is its own first neighbour.

    >>> kneighbors_graph([[0.0], [3.0], [1.0]], 1, mode="distance").toarray().tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]]
    """
    model = _fitted(X, "kneighbors_graph", metric=metric, p=p, metric_params=metric_params)
    return model._nearest_graph(_requested(model, include_self, mode), n_neighbors, mode)


@checked(radius=limits(at_least=0, infinite=True))
def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: Mode = "connectivity",
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """Sparse graph of the neighbours within a radius of every row:   G[i, j] = 1, or d(x_i, x_j), where that is small.

    X may be a fitted NearestNeighbors. With `include_self` a row is its own neighbour.

    >>> radius_neighbors_graph([[0.0], [3.0], [1.0]], 2.0, mode="distance").toarray().tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]]
    """
    model = _fitted(X, "radius_neighbors_graph", metric=metric, p=p, metric_params=metric_params)
    return model._radius_graph(_requested(model, include_self, mode), radius, mode)


@checked(graph=limits(accepts=lambda graph: hasattr(graph, "tocsr"), says="a sparse matrix"))
def sort_graph_by_row_values(graph: Any, copy: bool = False, warn_when_not_sorted: bool = True) -> Any:
    """The same sparse graph with the entries of every row stored from the least to the greatest, equal ones as before.

    Without `copy` a CSR graph is sorted in its place; of other formats a copy must be allowed. Estimators with
    metric="precomputed" take graphs in any order.

    >>> from scipy.sparse import csr_array
    >>> sort_graph_by_row_values(csr_array([[0.0, 3.0, 1.0]]), warn_when_not_sorted=False).indices.tolist()
    [2, 1]
    """
    rows = graph if graph.format == "csr" else None
    if rows is not None and _ascends(rows):
        return graph
    if graph.format not in WITH_ZEROS:
        raise ParameterTypeError(
            f"sort_graph_by_row_values: graph must be in one of the formats {', '.join(WITH_ZEROS)}, which distinguish "
            f"a distance of zero from none; got {graph.format}"
        )
    if rows is None and not copy:
        raise ParameterError(
            f"sort_graph_by_row_values: copy must be True for a graph in the format {graph.format}, of which a CSR "
            "copy is made; got False"
        )
    if warn_when_not_sorted:
        warn("sort_graph_by_row_values: the rows of graph were not sorted by their values", EfficiencyWarning)
    found = graph.copy() if copy and rows is not None else graph.tocsr()
    order = np.lexsort((found.data, np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))))
    found.data, found.indices = found.data[order], found.indices[order]
    found.has_sorted_indices = False
    return found


def _ascends(graph: Any) -> bool:
    """Whether no entry of a row is less than the one before it."""
    falls = np.flatnonzero(graph.data[1:] < graph.data[:-1]) + 1
    return bool(np.isin(falls, graph.indptr).all())


def _fitted(X: Any, method: str, **options: Any) -> Any:
    """A model of the rows: one that is fitted already must compare them by the requested metric."""
    if not hasattr(X, method):
        return NearestNeighbors(**options).fit(X)
    if not X.__sklearn_is_fitted__():
        raise not_fitted(X)
    for name, value in options.items():
        if getattr(X, name) != value:
            raise ParameterError(
                f"{method}: got {value!r} for {name}, while the estimator has {getattr(X, name)!r} for it"
            )
    return X


def _requested(model: Any, include_self: bool | Literal["auto"], mode: Mode) -> Matrix | None:
    """The rows as questions, which find themselves; None asks for other rows alone."""
    return model.rows_ if (mode == "connectivity" if include_self == "auto" else include_self) else None
