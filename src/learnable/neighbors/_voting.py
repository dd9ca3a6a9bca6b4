"""Aggregation over neighbours: weights, class probabilities, means and medians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, ParameterError

NAMES = ("uniform", "distance", "gaussian")
SAYS = '"uniform", "distance", "gaussian", a function of distances, or None'


def is_weighting(value: Any) -> bool:
    """Whether the value is a valid weighting of neighbours."""
    return value is None or callable(value) or (isinstance(value, str) and value in NAMES)


def nearness(distances: Array, weights: str | Callable[[Array], Array] | None) -> Array | None:
    """How much each neighbour counts, by its distance; None if all count alike.

    distance: 1 / d, and rows at distance zero outweigh all others;  gaussian: exp(-d^2 / 2) / sqrt(2 pi).

    >>> nearness(np.array([[0.0, 2.0], [1.0, 2.0]]), "distance").tolist()
    [[1.0, 0.0], [1.0, 0.5]]
    """
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        return call_weights(weights, distances)
    if weights == "gaussian":
        return gaussian(distances, distances.min(axis=1, keepdims=True) if distances.size else distances)
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1 / distances
    same = np.isinf(inverse)
    return np.where(same.any(axis=1, keepdims=True), same, inverse).astype(np.float64)


def gaussian(distances: Array, nearest: Array) -> Array:
    """exp(-d^2 / 2) in units of that of the nearest: the proportions are the same, and never 0 / 0."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(-(distances - nearest) * (distances / 2 + nearest / 2)))


def call_weights(weights: Callable[[Array], Array], distances: Array) -> Array:
    """The weights that a user's function gives to distances, one row at a time or all at once; checked."""
    found = np.asarray(weights(distances), dtype=np.float64)
    if found.shape != np.shape(distances):
        raise ParameterError(
            f"the function given as weights must return as many numbers as there are distances; it returned "
            f"the shape {found.shape} for {np.shape(distances)}"
        )
    if not (found >= 0).all():
        first = np.argmax(~(found >= 0).ravel())
        raise ParameterError(
            f"the function given as weights must return numbers of at least 0; it returned "
            f"{found.ravel()[first]:g} for the distance {np.ravel(distances)[first]:g}"
        )
    if distances.size and (found.sum(axis=-1) == 0).any():
        raise ParameterError(
            "the function given as weights returned 0 for all neighbours of a row; at least one must count"
        )
    same = np.isinf(found)  # such as 1 / d of rows at distance zero, which outweigh all others
    return np.where(same.any(axis=-1, keepdims=True), same, found).astype(np.float64) if same.any() else found


def shares(codes: Array, weight: Array | None, classes: int) -> Array:
    """The proportion of each class (queries, classes) in the votes of neighbours with these codes (queries, k).

    >>> shares(np.array([[0, 2, 2]]), None, 3).round(2).tolist()
    [[0.33, 0.0, 0.67]]
    """
    return normalised(votes(codes, weight, classes))


def votes(codes: Array, weight: Array | None, classes: int) -> Array:
    """The votes for each class (queries, classes)."""
    queries = len(codes)
    place = codes + classes * np.arange(queries)[:, None]
    counts = None if weight is None else weight.ravel()
    return np.bincount(place.ravel(), counts, queries * classes).reshape(queries, classes).astype(np.float64)


def normalised(found: Array) -> Array:
    """Votes as proportions; without any vote, all are 0."""
    total = found.sum(axis=1, keepdims=True)
    return np.asarray(found / np.where(total > 0, total, 1.0))


def mean(values: Array, weight: Array | None) -> Array:
    """The mean of the neighbours' values (queries, k, targets)."""
    if weight is None:
        return np.asarray(values.mean(axis=1))
    unit = weight / weight.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("qk,qkt->qt", unit, values))


def median(values: Array, weight: Array | None) -> Array:
    """The median of the neighbours' values, half way between the middle two where it is not one of them."""
    if weight is None:
        return np.asarray(np.median(values, axis=1))
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    sorted_weights = np.take_along_axis(np.broadcast_to(weight[:, :, None], values.shape), order, axis=1)
    passed = np.cumsum(sorted_weights, axis=1)
    half = passed[:, -1:] / 2
    low = np.take_along_axis(ordered, (passed < half * (1 - 1e-12)).sum(axis=1)[:, None], axis=1)
    high = np.take_along_axis(ordered, (passed <= half * (1 + 1e-12)).sum(axis=1)[:, None], axis=1)
    return np.asarray((low / 2 + high / 2)[:, 0])
