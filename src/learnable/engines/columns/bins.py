"""Edges that divide a column into bins: of equal width, of equal weight, or around centres."""

from __future__ import annotations

import numpy as np

from ...core.validate.features import Array

MAX_ROUNDS = 300  # rounds of the search for centres


def equal_width(low: float, high: float, bins: int) -> Array:
    """Edges of `bins` bins of equal width.

    >>> equal_width(0.0, 4.0, 2)
    array([0., 2., 4.])
    """
    if high - low == np.inf:
        return np.linspace(low / 2, high / 2, bins + 1) * 2
    return np.linspace(low, high, bins + 1)


def counted_quantiles(values: Array, shares: Array, weight: Array, average: bool) -> Array:
    """The least value whose share of the weight reaches each of `shares`; with the next one where it just does.

    That is the inverse of the distribution function, averaged at its steps, of the sample in which each value stands
    as often as its weight says.

    >>> counted_quantiles(np.array([1.0, 2.0, 3.0]), np.array([0.5]), np.array([1.0, 1.0, 2.0]), True)
    array([2.5])
    """
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    ordered, ends = values[order], np.cumsum(weight[order])
    requested = shares * ends[-1]
    place = np.minimum(np.searchsorted(ends, requested), len(ordered) - 1)
    if not average:
        return np.asarray(ordered[place], dtype=np.float64)
    reached = ends[place] <= requested
    after = np.minimum(place + reached, len(ordered) - 1)
    return np.asarray(np.where(shares > 0, (ordered[place] + ordered[after]) / 2, ordered[0]))


def centred_edges(values: Array, bins: int, weight: Array | None) -> Array:
    """Edges half way between the centres of k-means in one dimension, which starts from bins of equal width.

    >>> centred_edges(np.array([0.0, 1.0, 9.0, 10.0]), 2, None)
    array([ 0.,  5., 10.])
    """
    order = np.argsort(values, kind="stable")
    if weight is not None:
        order = order[weight[order] > 0]
    ordered = values[order].astype(np.float64)
    row_weights = np.ones(len(ordered)) if weight is None else weight[order]
    totals = np.concatenate([[0.0], np.cumsum(row_weights)])
    sums = np.concatenate([[0.0], np.cumsum(row_weights * (ordered - ordered[0]))])
    edges = equal_width(ordered[0], ordered[-1], bins)
    centres, last = (edges[1:] + edges[:-1]) / 2, None
    for _ in range(MAX_ROUNDS):
        bounds = np.searchsorted(ordered, (centres[1:] + centres[:-1]) / 2, side="right")
        bounds = np.concatenate([[0], bounds, [len(ordered)]])
        if last is not None and (bounds == last).all():
            break
        weights = np.diff(totals[bounds])
        means = ordered[0] + np.diff(sums[bounds]) / np.where(weights > 0, weights, 1)
        centres, last = _without_empty(means, weights, ordered, centres, bounds), bounds
    return np.concatenate([ordered[:1], (centres[1:] + centres[:-1]) / 2, ordered[-1:]])


def _without_empty(means: Array, weights: Array, ordered: Array, centres: Array, bounds: Array) -> Array:
    """Centres of clusters; an empty one goes to the value farthest from its own centre."""
    empty = np.flatnonzero(weights == 0)
    if len(empty) == 0:
        return means
    own = np.repeat(centres, np.diff(bounds))
    far = np.argsort(np.abs(ordered - own), kind="stable")[::-1][: len(empty)]
    means = means.copy()
    means[empty[: len(far)]] = ordered[far]
    return np.sort(means)
