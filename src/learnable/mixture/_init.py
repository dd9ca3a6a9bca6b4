"""Where runs of EM begin: a posterior of the components for each row."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array
from ..engines.kmeans import kmeans
from ..engines.kmeans_init import seeds

Beginning = Literal["kmeans", "k-means++", "random", "random_from_data"]


def begin(X: Array, weight: Array | None, count: int, how: Beginning, draws: np.random.Generator) -> Array:
    """Groups of rows about means, single rows, or drawn shares, as a posterior of `count` components."""
    heavy = np.ones(len(X)) if weight is None else weight
    filled = without_gaps(X, weight)
    if how == "random":
        shares = draws.uniform(size=(len(X), count))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
    if how == "kmeans":
        return np.eye(count)[kmeans(filled, count, weight, draws).labels]
    if how == "k-means++":
        chosen = seeds(np.ascontiguousarray(filled), weight, count, "k-means++", draws)
    else:
        chosen = draws.choice(len(X), count, replace=False, p=heavy / heavy.sum())
    posterior = np.zeros((len(X), count))
    posterior[chosen, np.arange(count)] = 1.0
    return posterior


def without_gaps(X: Array, weight: Array | None) -> Array:
    """The rows, with gaps as the mean of their column, or zero where it has no entries at all."""
    gone = np.isnan(X)
    if not gone.any():
        return X
    heavy = ~gone * (1.0 if weight is None else weight[:, None])
    total = heavy.sum(axis=0)
    means = (heavy * np.where(gone, 0.0, X)).sum(axis=0) / np.where(total > 0, total, 1.0)
    return np.where(gone, means, X)
