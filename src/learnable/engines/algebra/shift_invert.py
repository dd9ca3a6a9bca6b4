"""The smallest eigenvalues of a positive semi-definite matrix that has the constant vector in its null space."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...core.runtime.context import give_way
from ...core.runtime.threads import scipy_module
from ...core.validate.features import Array
from .eigen import FULL_DECOMPOSITION_ROWS, Eigenpairs
from .interruptible_lapack import interruptibly, run_in_thread
from .singular_vectors import upright

SHIFT = 1e-11  # of the diagonal, beside its mean, so that the singular matrix has a factor
MANY_ROWS = 20_000  # rows whose factor may take long
MAX_ENTRIES = 40  # of a row of a matrix whose factor is expected to stay sparse
MAX_ROWS = 10_000  # of such a matrix: should its factor be dense after all, it fits into memory
INNER_SHIFT = 1e-5  # of a matrix of norm one whose smallest eigenvalues may be zero
GUARDS = 6  # vectors beyond those requested, which speed up convergence


def smallest_but_constant(M: Any, count: int, draws: np.random.Generator, tolerance: float = 1e-10) -> Eigenpairs:
    """The smallest eigenvalues of a sparse M with M1 = 0, from the smallest on, by vectors orthogonal to 1.

    The residual is |Mv - lv| beside the mean of the diagonal. Lanczos' method on the inverse of M plus a tiny multiple
    of the identity, by a sparse LU factor. [Ericsson and Ruhe, 1980]

    >>> from scipy.sparse import csr_array
    >>> L = csr_array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> smallest_but_constant(L, 1, np.random.default_rng(0)).values.round(6).tolist()
    [1.0]
    """
    n = M.shape[0]
    mean = float(M.diagonal().mean()) or 1.0
    if n <= max(FULL_DECOMPOSITION_ROWS, 3 * count):
        values, vectors = _whole(M, mean)
    else:
        values, vectors = _inverted(M, count, mean, draws, tolerance)
    values, vectors = values[:count], upright(vectors[:, :count].T).T
    residual = np.linalg.norm(M @ vectors - vectors * values, axis=0).max(initial=0.0) / mean
    return Eigenpairs(np.maximum(values, 0.0), vectors, float(residual))


def smallest_eigenpairs_by_inversion(
    M: Any, count: int, draws: np.random.Generator, tolerance: float, limit: int = 200
) -> Eigenpairs | None:
    """The smallest eigenvalues of a sparse positive semi-definite M of norm about one, as often as they are repeated.

    Inverse subspace iteration with (M + shift)^-1 by a sparse LU factor, and the best vectors of each subspace by
    Rayleigh and Ritz; the residual |Mv - lv| is at most `tolerance`. None if the factor would have too many entries, or
    the subspaces converge too slowly.

    >>> from scipy.sparse import diags_array
    >>> M = diags_array(np.arange(1000) / 1000).tocsr()
    >>> smallest_eigenpairs_by_inversion(M, 3, np.random.default_rng(0), 1e-8).values[1:].round(6).tolist()
    [0.001, 0.002]
    """
    n = M.shape[0]
    if M.nnz > MAX_ENTRIES * n or n > MAX_ROWS:
        return None
    lu = _factored(M, INNER_SHIFT)
    basis = np.linalg.qr(draws.standard_normal((n, min(count + GUARDS, n))))[0]
    for _ in range(limit):
        give_way()
        basis = np.linalg.qr(lu.solve(basis))[0]
        images = M @ basis
        values, mix = np.linalg.eigh(basis.T @ images)
        vectors = basis @ mix
        off = images @ mix[:, :count] - vectors[:, :count] * values[:count]
        residual = float(np.linalg.norm(off, axis=0).max())
        if residual <= tolerance:
            return Eigenpairs(values[:count], upright(vectors[:, :count].T).T, residual)
    return None


def _factored(M: Any, shift: float) -> Any:
    """The sparse LU factor of M + shift, which is symmetric and positive definite."""
    from scipy.sparse import eye_array

    n, splu = M.shape[0], scipy_module("sparse.linalg").splu
    shifted = (M + shift * eye_array(n)).tocsc()
    factor = partial(splu, shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return run_in_thread(factor) if n > MANY_ROWS else factor()


def _whole(M: Any, mean: float) -> tuple[Array, Array]:
    """All pairs but the constant one, whose eigenvalue is lifted above all others."""
    n = M.shape[0]
    lifted = M.toarray() + 2 * mean
    values, vectors = interruptibly(np.linalg.eigh, (lifted + lifted.T) / 2)
    constant = int(np.argmax(np.abs(vectors.sum(axis=0)))) if n else 0
    return np.delete(values, constant), np.delete(vectors, constant, axis=1)


def _inverted(M: Any, count: int, mean: float, draws: np.random.Generator, tolerance: float) -> tuple[Array, Array]:
    sparse_linalg, n = scipy_module("sparse.linalg"), M.shape[0]
    lu = _factored(M, SHIFT * mean)

    def solve(v: Array) -> Array:
        give_way()
        found = lu.solve(v - v.mean())
        return np.asarray(found - found.mean())

    inverse = sparse_linalg.LinearOperator((n, n), matvec=solve, dtype=np.float64)
    start = draws.standard_normal(n)
    inverted, vectors = sparse_linalg.eigsh(inverse, count, which="LA", v0=start - start.mean(), tol=tolerance)
    values = np.einsum("ij,ij->j", vectors, M @ vectors)
    order = np.argsort(-inverted, kind="stable")
    return values[order], vectors[:, order]
