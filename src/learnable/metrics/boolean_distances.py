"""Distances of rows of yes and no: all are made of four counts of columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core import Array
from .distance_kinds import products

Distance = Callable[[Array, Array, Array, Array], Array]  # of columns: yes in both, in the first, the second, neither
BOOLEAN: dict[str, Distance] = {
    "jaccard": lambda both, a, b, no: _share(a + b, both + a + b),
    "dice": lambda both, a, b, no: (a + b) / (2 * both + a + b),
    "rogerstanimoto": lambda both, a, b, no: 2 * (a + b) / (both + no + 2 * (a + b)),
    "russellrao": lambda both, a, b, no: 1 - both / (both + a + b + no),
    "sokalsneath": lambda both, a, b, no: 2 * (a + b) / (both + 2 * (a + b)),
    "yule": lambda both, a, b, no: _share(2 * a * b, both * no + a * b),
}


def boolean_distances(X: Array, Y: Array, metric: str) -> Array:
    """Distances of tables of booleans.

    >>> boolean_distances(np.array([[True, True, False]]), np.array([[True, False, False]]), "jaccard").tolist()
    [[0.5]]
    """
    left, right = X.astype(np.float64), Y.astype(np.float64)
    both = products(left, right)
    first, second = left.sum(axis=1)[:, None] - both, right.sum(axis=1) - both
    neither = X.shape[1] - both - first - second
    with np.errstate(invalid="ignore"):
        return np.asarray(BOOLEAN[metric](both, first, second, neither))


def _share(part: Array, whole: Array) -> Array:
    """part / whole, and 0 for nothing of nothing."""
    return np.where(part > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
