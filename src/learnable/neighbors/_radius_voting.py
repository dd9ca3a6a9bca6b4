"""Votes and means over all neighbours within a radius."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ..core import Array
from ..engines.neighbours import Within
from ._voting import call_weights, gaussian


def query_of(found: Within) -> Array:
    """The query that each neighbour belongs to."""
    start = found[2]
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def nearness_within(found: Within, weights: str | Callable[[Array], Array] | None) -> Array:
    """How much each neighbour counts, by its distance; rows at distance zero outweigh all others where 1 / d counts."""
    distances, _, start = found
    if weights in (None, "uniform"):
        return np.ones(len(distances))
    if callable(weights):
        parts = [call_weights(weights, distances[begin:end]) for begin, end in pairwise(start)]
        return np.concatenate([np.zeros(0), *parts])
    if weights == "gaussian":
        nearest = np.full(len(start) - 1, np.inf)
        np.minimum.at(nearest, query_of(found), distances)
        return gaussian(distances, nearest[query_of(found)])
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1 / distances
    same, query = np.isinf(inverse), query_of(found)
    exact = np.bincount(query[same], minlength=len(start) - 1) > 0
    return np.where(exact[query], same, inverse).astype(np.float64)


def weight_of(model: Any, found: Within) -> Array:
    """The weight of each neighbour: by its distance, times its sample weight."""
    near = nearness_within(found, model.weights)
    return near if model.counts_ is None else near * model.counts_[found[1]]
