"""Initial responsibilities of EM runs."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array
from ..engines.generative.missing_patterns import impute_means
from ..engines.kmeans import kmeans
from ..engines.kmeans_init import seeds

InitParams = Literal["kmeans", "k-means++", "random", "random_from_data"]


def initial_responsibilities(
    X: Array, weight: Array | None, count: int, method: InitParams, draws: np.random.Generator
) -> Array:
    """Initial responsibilities of `count` components: k-means clusters, single rows, or random."""
    row_weights = np.ones(len(X)) if weight is None else weight
    filled = impute_means(X, weight)
    if method == "random":
        weights = draws.uniform(size=(len(X), count))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
    if method == "kmeans":
        return np.eye(count)[kmeans(filled, count, weight, draws).labels]
    if method == "k-means++":
        chosen = seeds(np.ascontiguousarray(filled), weight, count, "k-means++", draws)
    else:
        chosen = draws.choice(len(X), count, replace=False, p=row_weights / row_weights.sum())
    responsibilities = np.zeros((len(X), count))
    responsibilities[chosen, np.arange(count)] = 1.0
    return responsibilities
