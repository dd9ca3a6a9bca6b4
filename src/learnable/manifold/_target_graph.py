"""The graph of neighbours intersected with a target, for supervised maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import Array, DataError
from ..neighbors import NearestNeighbors
from ._fuzzy_sets import fuzzy_graph, with_categories, with_target

if TYPE_CHECKING:
    from .umap import UMAP


def with_given_target(model: UMAP, graph: Any, y: Array) -> Any:
    """The intersection of the graph with the fuzzy sets of a target: of categories, or of near numbers."""
    if isinstance(model.target_metric, str) and model.target_metric == "categorical":
        return with_categories(graph, category_codes(y), model.target_weight)
    try:
        table = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
    except (TypeError, ValueError):
        raise DataError(
            f"UMAP: y must hold numbers for target_metric={model.target_metric!r}; use target_metric='categorical'"
        ) from None
    k = model.n_neighbors_ if model.target_n_neighbors == -1 else model.target_n_neighbors
    k = min(max(k, 2), len(table))
    if k < 2:
        return graph
    search = NearestNeighbors(
        n_neighbors=k - 1, metric=model.target_metric, metric_params=model.target_metric_kwds
    ).fit(table)
    target = fuzzy_graph(search._nearest(None, k - 1), k, 1.0)
    return with_target(graph, target, model.target_weight)


def category_codes(y: Array) -> Array:
    """Codes of categories from 0 on; -1 stays -1: the category is not known."""
    labels, codes = np.unique(y, return_inverse=True)
    unknown = np.flatnonzero(labels == -1) if labels.dtype.kind in "iuf" else np.zeros(0, dtype=np.int64)
    return np.asarray(np.where(codes == unknown[0], -1, codes) if unknown.size else codes)
