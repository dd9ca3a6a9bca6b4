"""Neighbours as sparse graphs and as ragged arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..engines.neighbours import Within


def graph_of(found: Within, mode: str, columns: int, owner: str, by_distance: bool = False) -> Any:
    """A CSR matrix with a row per query: 1 where a row is a neighbour, or its distance."""
    from scipy.sparse import csr_matrix

    if mode not in ("connectivity", "distance"):
        raise ParameterError(f'{owner}: mode must be "connectivity" or "distance"; got {mode!r}')
    distances, rows, start = in_order(found) if by_distance else found
    values = distances if mode == "distance" else np.ones(len(rows), dtype=distances.dtype)
    return csr_matrix((values, rows, start), shape=(len(start) - 1, columns))


def in_order(found: Within) -> Within:
    """The same graph with the neighbours of each query sorted by distance."""
    distances, rows, start = found
    query = np.repeat(np.arange(len(start) - 1), np.diff(start))
    order = np.lexsort((rows, distances, query))
    return distances[order], rows[order], start


def ragged(found: Within, by_distance: bool) -> tuple[Array, Array]:
    """Distances and rows as arrays of arrays, one for each query.

    >>> [part.tolist() for part in ragged((np.array([2.0]), np.array([7]), np.array([0, 1, 1])), False)[1]]
    [[7], []]
    """
    distances, rows, start = in_order(found) if by_distance else found
    return _split(distances, start), _split(rows, start)


def _split(values: Array, start: Array) -> Array:
    parts = np.empty(len(start) - 1, dtype=object)
    for place, (begin, end) in enumerate(pairwise(start)):
        parts[place] = values[begin:end]
    return parts
