"""Large positive definite systems: a threaded, blocked Cholesky factor, in single precision if that suffices.

A factor in single precision costs half, and a few corrections with residuals in double precision make its solution that
of double precision, as long as the matrix is not ill conditioned; where it is, the factor is made again in double.
Blocks are fixed, so bits do not depend on threads. [Langou et al., 2006]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...core.runtime import context
from ...core.runtime.native import kernels
from ...core.runtime.threads import scipy_linalg, thread_count
from ...core.validate.features import Array

BLOCK = 512
MIN_ROWS_FOR_SINGLE = 1024  # below, nothing is gained
WORST_CONDITION_FOR_SINGLE = 1e5
MAX_CORRECTIONS = 12
ROUNDING = float(np.finfo(np.float64).eps)

Run = Callable[[Callable[[int], None], range], None]


class CholeskySolution(NamedTuple):
    """x of A x = b, the largest entry of b - A x beside those of |A| |x| + |b|, and the factor if it is in double."""

    x: Array
    error: float
    factor: Array | None


def solve_shifted(K: Array, shift: float, b: Array, keep_factor: bool = False) -> CholeskySolution:
    """(K + shift I) x = b for a symmetric K in double precision and b (n, targets); K is left as it is.

    Raises LinAlgError if the matrix is not positive definite to rounding.
    """
    size = _norm(K, shift)
    single = not keep_factor and len(K) >= MIN_ROWS_FOR_SINGLE and size < WORST_CONDITION_FOR_SINGLE * shift
    if single:
        try:
            L = _factor(K, shift, np.float32)
            found = _corrected(K, shift, b, L, size)
        except np.linalg.LinAlgError:
            found = None
        if found is not None:
            return found
    L = _factor(K, shift, np.float64)
    found = _corrected(K, shift, b, L, size, patient=True)
    assert found is not None  # the patient one takes what it gets
    return CholeskySolution(found.x, found.error, L)


def _factor(K: Array, shift: float, dtype: Any) -> Array:
    """The lower triangle L of L L' = K + shift I; what is above the diagonal is not part of it."""
    L = K.astype(dtype)
    L.flat[:: len(L) + 1] += dtype(shift)
    cholesky(L)
    return L


def cholesky(A: Array) -> None:
    """Replace the lower triangle of a symmetric matrix, float32 or float64 by rows, by its Cholesky factor."""
    n = len(A)
    identity = np.eye(min(BLOCK, n), dtype=A.dtype)
    with _workers(n) as run:
        for left in range(0, n, BLOCK):
            context.give_way()
            right = min(left + BLOCK, n)

            def reduce(top: int, left: int = left, right: int = right) -> None:
                rows = A[top : top + BLOCK]
                if left:
                    rows[:, left:right] -= rows[:, :left] @ A[left:right, :left].T

            run(reduce, range(left, n, BLOCK))
            corner = np.linalg.cholesky(A[left:right, left:right])
            if not np.isfinite(corner).all():
                raise np.linalg.LinAlgError("the matrix is not positive definite")
            A[left:right, left:right] = corner
            if right == n:
                return
            inverse = scipy_linalg().solve_triangular(corner, identity, lower=True, check_finite=False)

            def divide(top: int, left: int = left, right: int = right, inverse: Array = inverse) -> None:
                rows = A[top : top + BLOCK]
                rows[:, left:right] = rows[:, left:right] @ inverse.T

            run(divide, range(right, n, BLOCK))


def solve_factored(L: Array, b: Array) -> Array:
    """x of L L' x = b."""
    solve = scipy_linalg().solve_triangular  # of the transpose, whose columns are the rows of L: nothing is copied
    half = solve(L.T, b, trans=1, lower=False, check_finite=False)
    return np.asarray(solve(L.T, half, lower=False, check_finite=False))


def inverse_diagonal(L: Array) -> Array:
    """The diagonal of the inverse of L L', for a factor in double precision."""
    n = len(L)
    found = np.zeros(n)
    with _workers(n) as run:

        def column(left: int) -> None:
            right = min(left + BLOCK, n)
            ones = np.eye(n - left, right - left)
            part = scipy_linalg().solve_triangular(L[left:, left:], ones, lower=True, check_finite=False)
            found[left:right] = np.einsum("ij,ij->j", part, part)

        for left in range(0, n, BLOCK * max(thread_count(), 1)):
            context.give_way()
            run(column, range(left, min(left + BLOCK * max(thread_count(), 1), n), BLOCK))
    return found


def _corrected(
    K: Array, shift: float, b: Array, L: Array, size: float, patient: bool = False
) -> CholeskySolution | None:
    """The solution by a factor, refined to rounding accuracy; None if refinement does not converge."""
    x = np.zeros_like(b)
    residual, before = b, np.inf
    for _ in range(MAX_CORRECTIONS):
        unit = float(np.abs(residual).max(initial=0.0)) or 1.0  # in single precision, small residuals would be lost
        moved = x + unit * solve_factored(L, (residual / unit).astype(L.dtype)).astype(np.float64)
        residual_there = b - kernels.matvec(K, moved) - shift * moved
        error = _backward_error(residual_there, moved, b, size)
        if not error < before:
            break
        x, residual = moved, residual_there
        done = error <= ROUNDING
        hopeless = error > 0.25 * before and not patient
        before = error
        if done or hopeless or (patient and error <= 4 * ROUNDING):
            break
    if not np.isfinite(before) or (before > 16 * ROUNDING and not patient):
        return None
    return CholeskySolution(x, before, None)


def _backward_error(residual: Array, x: Array, b: Array, size: float) -> float:
    """The componentwise backward error of x, of the worst target."""
    scale = size * np.abs(x).max(axis=0, initial=0.0) + np.abs(b).max(axis=0, initial=0.0)
    off = np.abs(residual).max(axis=0, initial=0.0)
    return float(np.max(off / np.where(scale > 0, scale, 1.0), initial=0.0))


def _norm(K: Array, shift: float) -> float:
    """The largest sum of absolute values of a row of K + shift I, in blocks of rows."""
    rows = range(0, len(K), BLOCK)
    return max(float(np.abs(K[top : top + BLOCK]).sum(axis=1).max()) for top in rows) + shift


@contextmanager
def _workers(n: int) -> Iterator[Run]:
    """A function that calls another for every number of a range, on as many threads as are allowed."""
    count = min(thread_count(), -(-n // BLOCK))
    if count == 1:
        yield _one_by_one
        return
    pool = ThreadPoolExecutor(count)
    try:
        yield lambda function, indices: list(pool.map(function, indices)).clear()
    finally:
        pool.shutdown(cancel_futures=True)


def _one_by_one(function: Callable[[int], None], indices: range) -> None:
    for place in indices:
        function(place)
