"""Weighted graphs of rows: degrees and graph Laplacians.

For a graph with weights w_ij = w_ji and degrees d_i = sum_j w_ij, the Laplacian L = D - W has v'Lv = sum over edges of
w_ij (v_i - v_j)^2. It has no negative eigenvalue, and the multiplicity of zero is the number of connected components.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...core.validate.features import Array, Matrix
from ..matrix_products import is_sparse

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
    return _scaled(W, -left, right, degree * left * right)


def normalised(W: Matrix) -> Matrix:
    """D^-1/2 W D^-1/2, without edges of rows to themselves; 1 on the diagonal for rows that have no others.

    Its largest eigenvalues are one minus the smallest of the symmetric Laplacian, and belong to the same vectors.
    """
    degree = degrees(W)
    root = _power(degree, -0.5)
    return _scaled(W, root, root, (degree <= 0).astype(np.float64))


def _power(degree: Array, power: float) -> Array:
    """Powers of degrees, zero where a degree is."""
    return np.power(degree, power, where=degree > 0, out=np.zeros_like(degree))


def _scaled(W: Matrix, left: Array, right: Array, diagonal: Array) -> Matrix:
    """diag(left) W diag(right), with another diagonal."""
    if not is_sparse(W):
        table = W * right
        table *= left[:, None]
        np.fill_diagonal(table, diagonal)
        return table
    from scipy.sparse import diags_array

    table = W.astype(np.float64).tocsr(copy=True)
    table.data *= np.repeat(left, np.diff(table.indptr)) * right[table.indices]
    table.setdiag(0.0)
    table.eliminate_zeros()
    return (table + diags_array(diagonal)).tocsr()
