"""Cholesky factor and inverse of a covariance matrix, of which only the lower triangle is read and written."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..core import Array
from ..core.runtime import context
from ..core.runtime.threads import scipy_linalg, thread_count
from ..engines.algebra.cholesky import cholesky

FEWEST_FOR_BLOCKS = 1024  # rows; below, one call of LAPACK is fastest
BLOCK = 256


def in_parallel(function: Callable[[int], None], tasks: range, many: bool = True) -> None:
    """Call `function` for every number of `tasks`, on as many threads as are allowed if there are `many`."""
    count = min(thread_count(), len(tasks)) if many else 1
    if count <= 1:
        for task in tasks:
            context.give_way()
            function(task)
        return
    pool = ThreadPoolExecutor(count)
    try:
        for first in range(0, len(tasks), 4 * count):
            context.give_way()
            list(pool.map(function, tasks[first : first + 4 * count])).clear()
    finally:
        pool.shutdown(cancel_futures=True)


def factorise(K: Array) -> Array:
    """The Cholesky factor L of K = L L', in the place of K; a `LinAlgError` if K is not positive definite."""
    if len(K) >= FEWEST_FOR_BLOCKS:
        cholesky(K)
        return K
    context.give_way()
    factor, failed = scipy_linalg().lapack.dpotrf(K.T, lower=0, overwrite_a=1, clean=0)
    if failed or not np.isfinite(factor.diagonal()).all():
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return np.asarray(factor.T)


def inverse_of(L: Array) -> Array:
    """The lower triangle of the inverse of L L'."""
    if len(L) < FEWEST_FOR_BLOCKS:
        found, _ = scipy_linalg().lapack.dpotri(L.T, lower=0, overwrite_c=0)
        return np.asarray(found.T)
    W = _triangular_inverse(L)
    n, found = len(L), np.empty_like(L)

    def block_row(task: int) -> None:
        top, bottom = task, min(task + BLOCK, n)
        np.matmul(W[top:, top:bottom].T, W[top:, :bottom], out=found[top:bottom, :bottom])

    in_parallel(block_row, range(0, n, BLOCK))
    return found


def _triangular_inverse(L: Array) -> Array:
    """The inverse of a lower triangle, by columns of blocks; zero above the diagonal."""
    n, W = len(L), np.zeros_like(L)
    solve = scipy_linalg().solve_triangular
    corners = [
        solve(L[k : k + BLOCK, k : k + BLOCK], np.eye(min(BLOCK, n - k)), lower=True, check_finite=False)
        for k in range(0, n, BLOCK)
    ]

    def block_column(left: int) -> None:
        right = min(left + BLOCK, n)
        W[left:right, left:right] = corners[left // BLOCK]
        for top in range(right, n, BLOCK):
            bottom = min(top + BLOCK, n)
            inner = L[top:bottom, left:top] @ W[left:top, left:right]
            np.matmul(corners[top // BLOCK], -inner, out=W[top:bottom, left:right])

    in_parallel(block_column, range(0, n, BLOCK))
    return W


def symmetric_solve(L: Array, b: Array) -> Array:
    """x of L L' x = b."""
    solve = scipy_linalg().solve_triangular  # of the transpose, whose columns are the rows of L: nothing is copied
    half = solve(L.T, b, trans=1, lower=False, check_finite=False)
    return np.asarray(solve(L.T, half, lower=False, check_finite=False))


def cleared(L: Array) -> Array:
    """L with zeros above the diagonal; changed in place."""
    n = len(L)
    for top in range(0, n, BLOCK):
        bottom = min(top + BLOCK, n)
        L[top:bottom, bottom:] = 0.0
        L[top:bottom, top:bottom] = np.tril(L[top:bottom, top:bottom])
    return L
