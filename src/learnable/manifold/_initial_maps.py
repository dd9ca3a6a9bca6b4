"""Initial positions of a layout: eigenvectors of the graph, each connected component for itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, generator
from ..engines.graph.edges import Graph
from ..engines.graph.spectral import smallest_eigenpairs
from ..metrics.distances import pairwise_distances
from .classical_mds import ClassicalMDS

TOLERANCE = 1e-4  # of the eigenvectors that a layout starts from
RANGE, NOISE = 10.0, 1e-4  # of initial positions
INITS = ("pca", "random", "spectral")


def is_init(value: Any) -> bool:
    """Whether it names an initialisation or holds coordinates."""
    return value in INITS if isinstance(value, str) else getattr(value, "ndim", 0) == 2


def spectral_start(W: Any, count: int, X: Matrix, pairwise: bool, seed: int) -> Array:
    """Positions by the eigenvectors of the normalised Laplacian after the constant one.

    Connected components lie where classical scaling of the distances of their centroids puts them.
    """
    component = Graph.of_matrix(W).components()
    number = int(component.max(initial=0)) + 1
    if number == 1:
        return spread(_eigenvectors(W, count, seed), seed)
    between = _distances_between(X, component, number, pairwise)
    centres = np.zeros((number, count))
    found = np.asarray(ClassicalMDS(min(count, number), metric="precomputed").fit_transform(between))
    centres[:, : found.shape[1]] = found
    positions = np.empty((len(component), count))
    np.fill_diagonal(between, np.inf)
    for code in range(number):
        rows = np.flatnonzero(component == code)
        own = _eigenvectors(W[rows][:, rows], count, seed)
        apart = np.linalg.norm(np.delete(centres, code, axis=0) - centres[code], axis=1).min()
        positions[rows] = centres[code] + own * (apart / 2 / max(float(np.abs(own).max(initial=0.0)), 1e-300))
    return spread(positions, seed)


def spread(positions: Array, seed: int) -> Array:
    """Positions with a little noise, scaled to the same range along every axis."""
    largest = float(np.abs(positions).max(initial=0.0))
    scaled = positions * (RANGE / largest) if largest > 0 else positions
    scaled = scaled + NOISE * generator(seed, 1).standard_normal(positions.shape)
    low, width = scaled.min(axis=0), np.ptp(scaled, axis=0)
    return np.asarray(RANGE * (scaled - low) / np.where(width > 0, width, 1.0))


def _eigenvectors(W: Any, count: int, seed: int) -> Array:
    n = W.shape[0]
    found = np.zeros((n, count))
    if n > 1:
        vectors = smallest_eigenpairs(W, min(count + 1, n), seed, TOLERANCE, "symmetric").vectors[:, 1:]
        found[:, : vectors.shape[1]] = vectors
    return found


def _distances_between(X: Matrix, component: Array, number: int, pairwise: bool) -> Array:
    """Distances of the centroids of components, or mean precomputed distances between them."""
    from scipy.sparse import csr_array

    size = np.bincount(component, minlength=number)
    mean = csr_array((1 / size[component], (component, np.arange(len(component)))), shape=(number, len(component)))
    centroids = mean @ X
    if pairwise:
        between = np.asarray((mean @ centroids.T).toarray() if hasattr(centroids, "tocsr") else mean @ centroids.T)
        np.fill_diagonal(between, 0.0)
        return np.asarray((between + between.T) / 2)
    dense = np.asarray(centroids.toarray() if hasattr(centroids, "toarray") else centroids, dtype=np.float64)
    return np.asarray(pairwise_distances(dense), dtype=np.float64)
