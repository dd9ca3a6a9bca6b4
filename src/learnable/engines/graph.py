"""Graphs of rows, as tables of the weights of their edges: degrees, and the matrices of Laplace.

For a graph with weights w_ij = w_ji and degrees d_i = sum_j w_ij, the Laplacian L = D - W has v'Lv = sum over edges of
w_ij (v_i - v_j)^2. It has no negative eigenvalue, and as many that are zero as the graph has parts that hang together.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core.data import Array, Matrix
from .design import is_sparse

Kind = Literal["plain", "symmetric", "random walk"]


def degrees(W: Matrix) -> Array:
    """The sum of the weights of the edges of every row; edges to itself do not count."""
    return np.asarray(np.asarray(W.sum(axis=1)).ravel() - W.diagonal(), dtype=np.float64)


def laplacian(W: Matrix, kind: Kind = "plain") -> Matrix:
    """L = D - W, or D^-1/2 L D^-1/2 (symmetric), or D^-1 L (random walk); rows without edges are zero.

    >>> laplacian(np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    degree = degrees(W)
    power = {"plain": 0.0, "symmetric": -0.5, "random walk": -1.0}[kind]
    left, right = _power(degree, power), _power(degree, power if kind == "symmetric" else 0.0)
    return _scaled(_without_loops(W), -left, right) + _diagonal(degree * left * right, is_sparse(W))


def normalised(W: Matrix) -> Matrix:
    """D^-1/2 W D^-1/2, without edges of rows to themselves; 1 on the diagonal for rows that have no others.

    Its largest eigenvalues are one minus the smallest of the symmetric Laplacian, and belong to the same vectors.
    """
    degree = degrees(W)
    root = _power(degree, -0.5)
    return _scaled(_without_loops(W), root, root) + _diagonal((degree <= 0).astype(np.float64), is_sparse(W))


def _power(degree: Array, power: float) -> Array:
    """Powers of degrees, zero where a degree is."""
    return np.power(degree, power, where=degree > 0, out=np.zeros_like(degree))


def _without_loops(W: Matrix) -> Matrix:
    if is_sparse(W):
        bare = W.astype(np.float64).tocsr(copy=True)
        bare.setdiag(0.0)
        bare.eliminate_zeros()
        return bare
    bare = np.array(W, dtype=np.float64)
    np.fill_diagonal(bare, 0.0)
    return bare


def _scaled(W: Matrix, left: Array, right: Array) -> Matrix:
    """diag(left) W diag(right), in place."""
    if is_sparse(W):
        W.data *= np.repeat(left, np.diff(W.indptr)) * right[W.indices]
        return W
    W *= left[:, None]
    W *= right
    return W


def _diagonal(values: Array, sparse: bool) -> Matrix:
    if not sparse:
        return np.diag(values) if len(values) <= 1 or values.any() else 0.0
    from scipy.sparse import csr_array

    places = np.arange(len(values))
    return csr_array((values, (places, places)), shape=(len(values), len(values)))
