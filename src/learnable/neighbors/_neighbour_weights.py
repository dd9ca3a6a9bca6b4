"""The neighbours of each query and their weights."""

from __future__ import annotations

from typing import Any

from ..core import Array, Matrix
from ._feature_weights import of_features
from ._neighbors_base import counted, rows_enough
from ._voting import nearness


def polled(model: Any, X: Matrix | None) -> tuple[Array, Array | None]:
    """The neighbours of each row of `X`, and their weights (None: all alike), by a model of `n_neighbors` of them."""
    queries = None if X is None else of_features(X, model.feature_weights_)
    if model.counts_ is None:
        distances, rows = model._nearest(queries, model.n_neighbors)
        return rows, nearness(distances, model.weights)
    k = rows_enough(model.counts_, model.n_neighbors, type(model).__name__)
    distances, rows = model._nearest(queries, k)
    often, near = counted(model.counts_, rows, model.n_neighbors), nearness(distances, model.weights)
    return rows, often if near is None else often * near
