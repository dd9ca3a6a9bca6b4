"""Approximate nearest neighbours of many rows, by descent from neighbours to their neighbours."""

from __future__ import annotations

import numpy as np

from ..core.runtime.native import kernels
from ..core.runtime.random import generator
from ..core.scaling import unit_of
from ..core.validate.features import Array
from .neighbours import Found

EXTRA_NEIGHBOURS = 4  # neighbours beyond those requested, which make the search more accurate
MIN_NEW_FRACTION = 1e-3  # fraction of new neighbours at which the search ends
MAX_ROUNDS = 30
DIRECTIONS = 4  # random directions along which rows that follow each other are the first candidates


def search_by_descent(X: Array, k: int, seed: int) -> Found:
    """Distances and rows of nearly the `k` nearest other rows of every row, nearest first.

    A round replaces the neighbours of each row by the nearest of their neighbours; all rows at once, so that the result
    does not depend on threads. Distances are exact, a few neighbours may be missed. [Dong, Moses and Li, 2011]

    >>> distances, rows = search_by_descent(np.arange(5.0)[:, None], 1, 0)
    >>> distances.ravel().tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    unit = unit_of(X)
    table = np.ascontiguousarray(X, dtype=np.float64) * unit
    near = first_candidates(table, min(k + EXTRA_NEIGHBOURS, len(table) - 1), seed)
    square = np.empty(near.shape)
    for _ in range(MAX_ROUNDS):
        start, reversed_rows = reverse_lists(near)
        found = np.empty_like(near)
        fresh = kernels.descend_neighbours(table, near, start, reversed_rows, found, square)
        near = found
        if fresh <= MIN_NEW_FRACTION * near.size:
            break
    return np.sqrt(square[:, :k]) / unit, np.ascontiguousarray(near[:, :k])


def first_candidates(X: Array, count: int, seed: int) -> Array:
    """For each row others near it in the order along random directions, and random others."""
    n = len(X)
    draws = generator(seed, n, count)
    found = (np.arange(n)[:, None] + draws.integers(1, n, (n, count))) % n
    each = max(count // (2 * DIRECTIONS), 1)
    column = 0
    for direction in draws.standard_normal((DIRECTIONS, X.shape[1])):
        order = np.argsort(X @ direction, kind="stable")
        for step in range(1, each + 1):
            if column < count and step < n:
                found[order, column] = np.roll(order, step)
                column += 1
    return np.ascontiguousarray(found, dtype=np.int64)


def reverse_lists(near: Array) -> tuple[Array, Array]:
    """For each row the rows that have it in their lists, one list after the other, and where each begins."""
    n, k = near.shape
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(near.ravel(), minlength=n), out=start[1:])
    return start, np.ascontiguousarray(np.argsort(near.ravel(), kind="stable") // k, dtype=np.int64)
