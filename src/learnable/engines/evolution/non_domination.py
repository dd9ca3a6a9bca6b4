"""Several objectives: ranks of non-dominated fronts, crowding distances, hypervolume."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, DataError
from ...core.declare.checked_functions import Rows, checked, numbers


def _objectives(owner: str, F: Any) -> Array:
    return numbers(owner, "F", F, None, None)


@checked()
def non_dominated_ranks(F: Rows) -> Array:
    """Non-dominated sorting: the front of each row of objectives, all minimised; 0 is the Pareto front.

    A row dominates another if it is nowhere worse and somewhere better. [Deb et al., 2002]

    >>> non_dominated_ranks([[1, 4], [2, 2], [4, 1], [3, 3], [5, 5]])
    array([0, 0, 0, 1, 2])
    """
    values = _objectives("non_dominated_ranks", F)
    n = len(values)
    dominates = np.ones((n, n), dtype=bool)
    better = np.zeros((n, n), dtype=bool)
    for column in values.T:
        dominates &= column[:, None] <= column
        better |= column[:, None] < column
    dominates &= better
    count, ranks = dominates.sum(axis=0), np.full(n, -1)
    front = 0
    while (ranks < 0).any():
        here = (count == 0) & (ranks < 0)
        ranks[here] = front
        count = count - dominates[here].sum(axis=0)
        front += 1
    return ranks


@checked()
def crowding_distance(F: Rows) -> Array:
    """Crowding distance of rows of objectives: the sum of the normalised distances between their two neighbours.

    Rows at the ends of an objective have an infinite distance. [Deb et al., 2002]

    >>> crowding_distance([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]])
    array([inf,  2., inf])
    """
    values = _objectives("crowding_distance", F)
    distance = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        span = column[order[-1]] - column[order[0]]
        distance[order[[0, -1]]] = np.inf
        if span > 0 and len(order) > 2:
            distance[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / span
    return distance


@checked()
def hypervolume(F: Rows, reference: Any) -> float:
    """Hypervolume indicator: the volume that rows of objectives dominate, up to the reference point.

    vol( union over rows f of [f, reference] )

    Exact, by slices along the last objective; rows that do not lie below the reference add nothing. [Zitzler and
    Thiele, 1998]

    >>> hypervolume([[1.0, 3.0], [2.0, 1.0]], [4.0, 4.0])
    7.0
    """
    values = _objectives("hypervolume", F)
    limit = numbers("hypervolume", "reference", reference, values.shape[1])
    inside = values[(values < limit).all(axis=1)]
    return _volume(inside, limit) if len(inside) else 0.0


def _volume(values: Array, limit: Array) -> float:
    if values.shape[1] == 1:
        return float(limit[0] - values.min())
    values = values[np.argsort(values[:, -1], kind="stable")]
    if values.shape[1] == 2:
        least = np.minimum.accumulate(values[:, 0])
        ends = np.append(values[1:, 1], limit[1])
        return float(((limit[0] - least) * (ends - values[:, 1])).sum())
    ends, total = np.append(values[1:, -1], limit[-1]), 0.0
    for i, end in enumerate(ends):
        depth = end - values[i, -1]
        if depth > 0:
            total += depth * _volume(_front(values[: i + 1, :-1]), limit[:-1])
    return total


def _front(values: Array) -> Array:
    """The rows that no other row dominates, each once."""
    unique = np.unique(values, axis=0)
    kept: Array = unique[non_dominated_ranks(unique) == 0]
    return kept


def refuse_objectives(owner: str, F: Array, count: int) -> Array:
    """What a function of several objectives returned, if it is finite."""
    if F.ndim != 2 or len(F) != count or F.shape[1] == 0:
        raise DataError(f"{owner}: the function must return a row of objectives for each individual; got {F.shape}")
    lost = ~np.isfinite(F).all(axis=1)
    if lost.any():
        row = int(lost.argmax())
        raise DataError(
            f"{owner}: the function must return finite objectives; got {F[row].tolist()!r:.60} for individual {row}; "
            "return a large number instead"
        )
    return F
