"""Graphs of near rows of a table, as functions."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Matrix, ParameterError
from ..core.errors import not_fitted
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
    model = _fitted(X, "kneighbors_graph", metric=metric, p=p, metric_params=metric_params)
    return model._nearest_graph(_asked(model, include_self, mode), n_neighbors, mode)


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
    model = _fitted(X, "radius_neighbors_graph", metric=metric, p=p, metric_params=metric_params)
    return model._radius_graph(_asked(model, include_self, mode), radius, mode)


def _fitted(X: Any, method: str, **options: Any) -> Any:
    """A model of the rows: one that is fitted already must compare them in the way that is asked for."""
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


def _asked(model: Any, include_self: bool | Literal["auto"], mode: Mode) -> Matrix | None:
    """The rows as questions, which find themselves; None asks for other rows alone."""
    return model.rows_ if (mode == "connectivity" if include_self == "auto" else include_self) else None
