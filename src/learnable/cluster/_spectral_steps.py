"""Steps of spectral clustering: graph, embedding by eigenvectors, label assignment."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Matrix, generator
from ..core.runtime.context import give_way
from ..core.runtime.threads import scipy_linalg
from ..engines.graph.spectral import smallest_eigenpairs
from ..engines.kmeans import kmeans

Assignment = Literal["kmeans", "discretize", "cluster_qr"]


def smallest_eigenvalues(W: Matrix, count: int) -> Array:
    """The smallest eigenvalues of the symmetric Laplacian, up to 1e-6: one zero for each connected component."""
    return smallest_eigenpairs(W, count, 0, 1e-6).values


def assign_labels(vectors: Array, count: int, method: Assignment, restarts: int, seed: int) -> Array:
    """The cluster of each row of the embedding."""
    if method == "cluster_qr":
        labels = _by_pivoted_qr(vectors)
    elif method == "discretize":
        labels = _by_rotation(vectors, generator(seed, 1))
    else:
        tries = (kmeans(vectors, count, None, generator(seed, 1, k)) for k in range(restarts))
        labels = min(tries, key=lambda found: found.inertia).labels
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _by_pivoted_qr(vectors: Array) -> Array:
    """Representative rows by pivoted QR, and a rotation of the embedding towards them. [Damle, Minden, Ying, 2019]"""
    qr, svd = scipy_linalg().qr, scipy_linalg().svd
    count = vectors.shape[1]
    pivots = qr(vectors.T, pivoting=True)[2]
    left, _, right = svd(vectors[pivots[:count]].T)
    return np.asarray(np.abs(vectors @ (left @ right.conj())).argmax(axis=1))


def _by_rotation(vectors: Array, draws: np.random.Generator, limit: int = 100) -> Array:
    """Unit row vectors rotated until each is closest to an axis. [Yu and Shi, 2003]"""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=0), 1e-300)
    unit = unit / np.maximum(np.linalg.norm(unit, axis=1), 1e-300)[:, None]
    rotation, best = _spread_rows(unit, draws), -np.inf
    for _ in range(limit):
        give_way()
        labels = np.asarray((unit @ rotation).argmax(axis=1))
        left, values, right = np.linalg.svd(np.eye(unit.shape[1])[labels].T @ unit)
        if values.sum() <= best * (1 + 1e-12):
            break
        best, rotation = float(values.sum()), (left @ right).T
    return labels


def _spread_rows(unit: Array, draws: np.random.Generator) -> Array:
    """Rows, as columns, each as orthogonal as possible to the previous ones."""
    chosen = [int(draws.integers(len(unit)))]
    overlap = np.zeros(len(unit))
    for _ in range(unit.shape[1] - 1):
        overlap += np.abs(unit @ unit[chosen[-1]])
        chosen.append(int(overlap.argmin()))
    return np.asarray(unit[chosen].T)


def near_graph(C: Any) -> Any:
    """A symmetric neighbour graph: weight 1/2 where only one row is a neighbour of the other."""
    return (C + C.T) * 0.5
