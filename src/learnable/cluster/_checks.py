"""Checks of parameters whose type alone does not say what is valid."""

from __future__ import annotations

from typing import Any

from ..parts.kernels.resolve import KERNEL_NAMES

MEMORY = "None, a folder or a joblib.Memory"
GRAPH = "None, a square adjacency matrix, or a function of the table that returns one"
AFFINITY = (
    "the name of a kernel, nearest_neighbors, radius_neighbors, precomputed, precomputed_nearest_neighbors, or a "
    "function of two rows"
)
GIVEN = ("precomputed", "precomputed_nearest_neighbors")


def is_memory(value: Any) -> bool:
    """Whether it is a valid cache location in scikit-learn."""
    return value is None or isinstance(value, str) or hasattr(value, "cache")


def is_graph(value: Any) -> bool:
    """Whether it is a connectivity matrix, a function that makes one, or None."""
    return value is None or callable(value) or (hasattr(value, "shape") and len(value.shape) == 2)


def is_affinity(value: Any) -> bool:
    """Whether it is a valid affinity: a name or a function."""
    known = (*KERNEL_NAMES, "additive_chi2", "nearest_neighbors", "radius_neighbors", *GIVEN)
    return callable(value) or (isinstance(value, str) and value in known)
