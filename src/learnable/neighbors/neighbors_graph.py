"""Graphs of near rows of a table, as functions."""

from __future__ import annotations

from typing import Any, Literal

from ..core import ParameterError
from .nearest_neighbors import NearestNeighbors

Mode = Literal["connectivity", "distance"]


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: Mode = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """The sparse graph of the nearest rows of every row:   G[i, j] = 1, or d(x_i, x_j), if row j is a neighbour of i.

    X may be a fitted NearestNeighbors. With `include_self` a row is its own first neighbour.

    >>> kneighbors_graph([[0.0], [3.0], [1.0]], 1, mode="distance").toarray().tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]]
    """
    model = X if hasattr(X, "kneighbors_graph") else None
    if model is None:
        model = NearestNeighbors(n_neighbors=n_neighbors, metric=metric, p=p, metric_params=metric_params).fit(X)
    else:
        _check_same(model, metric=metric, p=p, metric_params=metric_params)
    with_self = mode == "connectivity" if include_self == "auto" else include_self
    return model.kneighbors_graph(model.rows_ if with_self else None, n_neighbors, mode)


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: Mode = "connectivity",
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: int | None = None,
) -> Any:
    """The sparse graph of the rows within a radius of every row:   G[i, j] = 1, or d(x_i, x_j), where that is small.

    X may be a fitted NearestNeighbors. With `include_self` a row is its own neighbour.

    >>> radius_neighbors_graph([[0.0], [3.0], [1.0]], 2.0, mode="distance").toarray().tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]]
    """
    model = X if hasattr(X, "radius_neighbors_graph") else None
    if model is None:
        model = NearestNeighbors(radius=radius, metric=metric, p=p, metric_params=metric_params).fit(X)
    else:
        _check_same(model, metric=metric, p=p, metric_params=metric_params)
    with_self = mode == "connectivity" if include_self == "auto" else include_self
    return model.radius_neighbors_graph(model.rows_ if with_self else None, radius, mode)


def _check_same(model: Any, **wanted: Any) -> None:
    for name, value in wanted.items():
        if getattr(model, name) != value:
            raise ParameterError(
                f"neighbors_graph: got {value!r} for {name}, while the estimator has {getattr(model, name)!r} for it"
            )
