"""Groups of rows about their means: seeds far apart, then nearest means and means of the nearest in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.ambient import give_way
from ..core.data import Array
from ..core.native import kernels


class Groups(NamedTuple):
    """The group of each row, the mean of each group, and the weighted sum of squared distances to the means."""

    labels: Array
    centres: Array
    inertia: float


def far_apart(X: Array, count: int, weight: Array, draws: np.random.Generator) -> Array:
    """Rows that are likely far from each other: each drawn by its squared distance from those before. [k-means++]"""
    chosen = [int(draws.choice(len(X), p=weight / weight.sum()))]
    square = ((X - X[chosen[0]]) ** 2).sum(axis=1)
    for _ in range(count - 1):
        mass = square * weight
        mass = mass if mass.sum() > 0 else weight
        chosen.append(int(draws.choice(len(X), p=mass / mass.sum())))
        square = np.minimum(square, ((X - X[chosen[-1]]) ** 2).sum(axis=1))
    return np.array(chosen)


def kmeans(
    X: Array, count: int, weight: Array | None, draws: np.random.Generator, limit: int = 300, tolerance: float = 1e-4
) -> Groups:
    """Lloyd's steps from seeds far apart, until the means move by at most `tolerance` of the spread of the columns.

    A group that loses all rows is begun anew with the row that is farthest from its mean.
    """
    heavy = np.ones(len(X)) if weight is None else weight
    X = np.ascontiguousarray(X, dtype=np.float64)
    centres = X[far_apart(X, count, heavy, draws)]
    enough = tolerance * float(X.var(axis=0).mean())
    for _ in range(limit):
        give_way()
        labels, square = _nearest(X, centres)
        moved = _means(X, labels, square, heavy, centres)
        change = float(((moved - centres) ** 2).sum())
        centres = moved
        if change <= enough:
            break
    labels, square = _nearest(X, centres)
    return Groups(labels, centres, float(heavy @ square))


def _nearest(X: Array, centres: Array) -> tuple[Array, Array]:
    """The nearest centre of each row, the first of several, and the squared distance to it."""
    nearest, square = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    kernels.nearest_rows(X, centres, nearest, square)
    return nearest, square


def _means(X: Array, labels: Array, square: Array, heavy: Array, centres: Array) -> Array:
    count = len(centres)
    mass = np.bincount(labels, heavy, count)
    sums = np.stack([np.bincount(labels, heavy * column, count) for column in X.T], axis=1)
    means = np.divide(sums, mass[:, None], where=mass[:, None] > 0, out=centres.copy())
    far = np.argsort(-square * (heavy > 0), kind="stable")
    for place, group in enumerate(np.flatnonzero(mass == 0)):
        means[group] = X[far[place % len(far)]]
    return means
