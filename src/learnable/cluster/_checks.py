"""What some parameters may be, where a type does not say it."""

from __future__ import annotations

from typing import Any

from ..parts.kernels.resolve import KERNEL_NAMES

MEMORY = "None, a folder or a joblib.Memory"
GRAPH = "None, a square matrix of edges, or a function of the table that returns one"
AFFINITY = (
    "the name of a kernel, nearest_neighbors, precomputed, precomputed_nearest_neighbors, or a function of two rows"
)
GIVEN = ("precomputed", "precomputed_nearest_neighbors")


def is_memory(value: Any) -> bool:
    """Whether scikit-learn would keep trees in it."""
    return value is None or isinstance(value, str) or hasattr(value, "cache")


def is_graph(value: Any) -> bool:
    """Whether it says which rows have an edge between them."""
    return value is None or callable(value) or (hasattr(value, "shape") and len(value.shape) == 2)


def is_affinity(value: Any) -> bool:
    """Whether it says how much edges weigh."""
    known = (*KERNEL_NAMES, "additive_chi2", "nearest_neighbors", *GIVEN)
    return callable(value) or (isinstance(value, str) and value in known)
