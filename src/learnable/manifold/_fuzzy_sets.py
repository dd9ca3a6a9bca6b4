"""Fuzzy sets of neighbours, and their unions and intersections with a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..engines.neighbours import Found

UNKNOWN, APART = 1.0, 2.5  # distances of the categories of rows, of which one is unknown, or which differ
MIN_MEMBERSHIP = 1e-8  # membership in a set that does not hold the pair
MAX_OF_MINIMUM = 1e-4  # the same, of a target


def memberships(found: Found, n_neighbors: int, connectivity: float, limit: float = np.inf) -> Array:
    """Membership of each neighbour in the fuzzy set of its row, exp(-max(0, d - rho) / sigma) with sum log2(k).

    rho is the distance of the nearest other rows, of rank `connectivity`; neighbours from `limit` on are not members.
    """
    distances = np.ascontiguousarray(found[0], dtype=np.float64)
    if not distances.size:
        return distances
    member, rho, sigma = np.empty(distances.shape), np.empty(len(distances)), np.empty(len(distances))
    near = np.where(distances < limit, distances, np.minimum(distances, _largest_below(distances, limit)))
    mean = float(near.sum()) / max(near.size + len(near), 1)
    kernels.neighbour_memberships(near, float(n_neighbors), connectivity, mean, rho, sigma, member)
    member[distances >= limit] = 0.0
    return member


def fuzzy_graph(found: Found, n_neighbors: int, connectivity: float, mix: float = 1.0, limit: float = np.inf) -> Any:
    """The fuzzy union of the sets of all rows, or for `mix` 0 their intersection, as a sparse symmetric matrix."""
    from scipy.sparse import csr_array

    rows = found[1]
    n, k = rows.shape
    member = memberships(found, n_neighbors, connectivity, limit)
    one_way = csr_array((member.ravel(), rows.ravel(), np.arange(n + 1) * k), shape=(n, n))
    return union(one_way, mix)


def union(one_way: Any, mix: float = 1.0) -> Any:
    """mix (A + A' - A o A') + (1 - mix) A o A'."""
    both = one_way.multiply(one_way.T)
    return _clean(mix * (one_way + one_way.T - both) + (1 - mix) * both)


def with_categories(graph: Any, codes: Array, weight: float) -> Any:
    """The intersection with the fuzzy set of pairs of one category; code -1 is an unknown category."""
    graph = graph.tocoo()
    one, other = codes[graph.row], codes[graph.col]
    apart = APART / (1 - weight) if weight < 1 else 1e12
    unknown = (one < 0) | (other < 0)
    factor = np.where(unknown, np.exp(-UNKNOWN), np.where(one == other, 1.0, np.exp(-apart)))
    graph.data = graph.data * factor
    return connected_again(_clean(graph))


def with_target(graph: Any, target: Any, weight: float) -> Any:
    """The intersection with the fuzzy graph of a target, of which `weight` 0 takes nothing and 1 everything."""
    both = (graph + target).tocoo()
    left, right = _entries(graph, both), _entries(target, both)
    least = max(float(graph.data.min(initial=1.0)) / 2, MIN_MEMBERSHIP)
    target_least = min(max(float(target.data.min(initial=1.0)) / 2, MIN_MEMBERSHIP), MAX_OF_MINIMUM)
    left, right = np.where(left > 0, left, least), np.where(right > 0, right, target_least)
    if weight < 0.5:
        both.data = left * right ** (weight / (1 - weight))
    else:
        both.data = left ** ((1 - weight) / weight if weight > 0 else 0.0) * right
    return connected_again(_clean(both))


def connected_again(graph: Any) -> Any:
    """The graph in which the strongest edge of each row has weight one again."""
    graph = graph.tocsr()
    largest = np.asarray(graph.max(axis=1).todense()).ravel()
    largest[largest == 0] = 1.0
    graph.data = graph.data / np.repeat(largest, np.diff(graph.indptr))
    return union(graph)


def _largest_below(distances: Array, limit: float) -> float:
    below = distances[distances < limit]
    return float(below.max(initial=0.0))


def _entries(matrix: Any, other: Any) -> Array:
    return np.asarray(matrix.tocsr()[other.row, other.col]).ravel()


def _clean(matrix: Any) -> Any:
    from scipy.sparse import csr_array

    matrix = csr_array(matrix)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix
