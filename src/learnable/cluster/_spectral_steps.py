"""Steps of spectral clustering: the graph, its smallest eigenvectors, groups of their rows."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, Matrix, generator
from ..core.runtime.context import give_way
from ..engines.algebra.eigen import leading_eigenpairs
from ..engines.algebra.laplacian import degrees, normalised
from ..engines.kmeans import kmeans

Assignment = Literal["kmeans", "discretize", "cluster_qr"]
TOLERANCE = 1e-8


class Embedding(NamedTuple):
    """Places of the rows by eigenvectors, a column each; the smallest eigenvalues; how well both solve L v = l D v."""

    places: Array
    values: Array
    residual: float


def embedding(W: Matrix, count: int, seed: int, tolerance: float = TOLERANCE) -> Embedding:
    """The vectors v with D^-1 L v = l v for the smallest l: nearly constant on parts that few edges connect."""
    found = leading_eigenpairs(normalised(W), count, generator(seed, 0), tolerance)
    degree = degrees(W)
    places = found.vectors / np.sqrt(np.where(degree > 0, degree, 1.0))[:, None]
    return Embedding(places, np.maximum(1.0 - found.values, 0.0), found.residual)


def smallest_eigenvalues(W: Matrix, count: int) -> Array:
    """The smallest eigenvalues of the symmetric Laplacian, up to a millionth: as many are zero as there are parts."""
    return embedding(W, count, 0, 1e-6).values


def grouped(places: Array, count: int, how: Assignment, restarts: int, seed: int) -> Array:
    """The group of each row, by its place."""
    if how == "cluster_qr":
        labels = _by_pivots(places)
    elif how == "discretize":
        labels = _by_turning(places, generator(seed, 1))
    else:
        tries = (kmeans(places, count, None, generator(seed, 1, k)) for k in range(restarts))
        labels = min(tries, key=lambda groups: groups.inertia).labels
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _by_pivots(places: Array) -> Array:
    """Rows that stand for the groups are chosen far apart, and all turned towards them. [Damle, Minden, Ying, 2019]"""
    from scipy.linalg import qr, svd

    count = places.shape[1]
    pivots = qr(places.T, pivoting=True)[2]
    left, _, right = svd(places[pivots[:count]].T)
    return np.asarray(np.abs(places @ (left @ right.conj())).argmax(axis=1))


def _by_turning(places: Array, draws: np.random.Generator, limit: int = 100) -> Array:
    """Places as unit vectors, turned until each is as near to an axis as can be. [Yu and Shi, 2003]"""
    unit = places / np.maximum(np.linalg.norm(places, axis=0), 1e-300)
    unit = unit / np.maximum(np.linalg.norm(unit, axis=1), 1e-300)[:, None]
    turn, best = _spread_rows(unit, draws), -np.inf
    for _ in range(limit):
        give_way()
        labels = np.asarray((unit @ turn).argmax(axis=1))
        left, values, right = np.linalg.svd(np.eye(unit.shape[1])[labels].T @ unit)
        if values.sum() <= best * (1 + 1e-12):
            break
        best, turn = float(values.sum()), (left @ right).T
    return labels


def _spread_rows(unit: Array, draws: np.random.Generator) -> Array:
    """Rows, as columns, each as much at right angles to those before as there is."""
    chosen = [int(draws.integers(len(unit)))]
    overlap = np.zeros(len(unit))
    for _ in range(unit.shape[1] - 1):
        overlap += np.abs(unit @ unit[chosen[-1]])
        chosen.append(int(overlap.argmin()))
    return np.asarray(unit[chosen].T)


def near_graph(C: Any) -> Any:
    """A graph of neighbours with edges in both directions: half where only one is near the other."""
    return (C + C.T) * 0.5
