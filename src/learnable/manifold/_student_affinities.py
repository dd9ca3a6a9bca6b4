"""Gaussian affinities of rows with a given perplexity."""

from __future__ import annotations

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..engines.graph.edges import Graph
from ..engines.neighbours import Found

MIN_AFFINITY = 1e-12  # of a sum of affinities


def new_affinities(distances: Array, perplexity: float) -> Array:
    """Affinities of rows to their neighbours, with sum 1 for each row."""
    largest = float(distances.max(initial=0.0)) or 1.0
    squares = np.ascontiguousarray((distances / largest) ** 2)
    p, beta = np.empty(squares.shape), np.empty(len(squares))
    kernels.perplexity_affinities(squares, perplexity, beta, p)
    return p


def affinity_graph(found: Found, perplexity: float) -> Graph:
    """p_ij = (p_j|i + p_i|j) / 2n over the pairs of neighbours, with sum 1."""
    from scipy.sparse import csr_array

    distances, rows = found
    p = new_affinities(distances, perplexity)
    n, k = rows.shape
    P = csr_array((p.ravel(), rows.ravel(), np.arange(n + 1) * k), shape=(n, n))
    P = (P + P.T).tocsr()
    P.sort_indices()
    graph = Graph.of_matrix(P)
    return Graph(graph.start, graph.index, graph.length / max(float(graph.length.sum()), MIN_AFFINITY))
