"""Where climbs begin: a posterior of the components for each row."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array
from ..engines.kmeans import kmeans
from ..engines.seeding import seeds

Beginning = Literal["kmeans", "k-means++", "random", "random_from_data"]


def begin(X: Array, weight: Array | None, count: int, how: Beginning, draws: np.random.Generator) -> Array:
    """Groups of rows about means, single rows, or drawn shares, as a posterior of `count` components."""
    heavy = np.ones(len(X)) if weight is None else weight
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X) if np.isnan(X).any() else X
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
