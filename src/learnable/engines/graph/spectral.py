"""Eigenvectors of graph Laplacians with the smallest eigenvalues."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.runtime.random import generator
from ...core.validate.features import Array, Matrix
from ..algebra.eigen import FULL_DECOMPOSITION_ROWS, Eigenpairs, leading_eigenpairs
from ..algebra.laplacian import Kind, degrees, laplacian, normalised
from ..algebra.shift_invert import smallest_eigenpairs_by_inversion
from ..matrix_products import is_sparse

TOLERANCE = 1e-8


class LaplacianEigenpairs(NamedTuple):
    """Eigenvectors, one a column, the smallest eigenvalues, and the residual beside the largest that there can be."""

    vectors: Array
    values: Array
    residual: float


def smallest_eigenpairs(
    W: Matrix, count: int, seed: int, tolerance: float = TOLERANCE, kind: Kind = "random walk"
) -> LaplacianEigenpairs:
    """The eigenvectors of a Laplacian of the weights `W` with the smallest eigenvalues, nearly constant on clusters.

    "random walk": v with D^-1 L v = l v and v'Dv = 1; "symmetric": unit vectors of D^-1/2 L D^-1/2, with the same
    eigenvalues; "plain": unit vectors of L.
    """
    if kind == "plain":
        return _of_plain(W, count, seed, tolerance)
    found = _of_symmetric(W, count, seed, tolerance)
    vectors = found.vectors
    if kind == "random walk":
        degree = degrees(W)
        vectors = vectors / np.sqrt(np.where(degree > 0, degree, 1.0))[:, None]
    return LaplacianEigenpairs(vectors, np.maximum(found.values, 0.0), found.residual)


def _of_symmetric(W: Matrix, count: int, seed: int, tolerance: float) -> Eigenpairs:
    """Of D^-1/2 L D^-1/2: by inversion if it is very sparse, else as the largest of D^-1/2 W D^-1/2."""
    A, draws = normalised(W), generator(seed, 0)
    if is_sparse(A) and A.shape[0] > FULL_DECOMPOSITION_ROWS:
        from scipy.sparse import eye_array

        found = smallest_eigenpairs_by_inversion(eye_array(A.shape[0]) - A, count, draws, tolerance)
        if found is not None:
            return found
    largest = leading_eigenpairs(A, count, draws, tolerance)
    return largest._replace(values=1.0 - largest.values)


def _of_plain(W: Matrix, count: int, seed: int, tolerance: float) -> LaplacianEigenpairs:
    """The smallest of L are the largest of 1 - L / c, with c twice the largest degree: no eigenvalue exceeds it."""
    L, bound = laplacian(W), 2 * float(degrees(W).max(initial=0.0)) or 1.0
    if is_sparse(L):
        from scipy.sparse import eye_array

        shifted = (eye_array(L.shape[0]) - L / bound).tocsr()
    else:
        shifted = np.eye(len(L)) - L / bound
    found = leading_eigenpairs(shifted, count, generator(seed, 0), tolerance)
    values = np.maximum((1.0 - found.values) * bound, 0.0)
    return LaplacianEigenpairs(found.vectors, values, found.residual)
