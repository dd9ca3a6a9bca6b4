"""Least squares on many small subsets of the rows, all at once."""

from __future__ import annotations

import numpy as np

from ...core import Array, Matrix
from ...core.numeric import EPSILON
from ...engines import matrix_products
from ...engines.algebra.interruptible_lapack import interruptibly

MAX_GROWTH = 1e8  # growth of the solution over the target that only nearly dependent columns cause


def subset_fits(X: Matrix, y: Array, subsets: Array, fit_intercept: bool) -> tuple[Array, Array]:
    """Coefficients (subsets, targets, features) and intercepts (subsets, targets) of least squares on each subset.

    `subsets` holds row indices, one subset in a row, with at least as many rows as there are unknowns. If the
    solution is not unique, it has minimum norm, with columns scaled by their largest entry in the subset.
    """
    count, size = subsets.shape
    A = _gathered(X, subsets)
    b = y[subsets].reshape(count, size, -1).astype(np.float64)
    if not fit_intercept:
        return interruptibly(_solved, A, b)[0].transpose(0, 2, 1), np.zeros((count, b.shape[2]))
    origin_x, origin_y = A[:, :1], b[:, :1]
    A, b = A - origin_x, b - origin_y  # constants are exactly zero, and the first row lies at the origin
    if size > X.shape[1] + 1:
        coef, intercept = interruptibly(_plane, A, b)
    else:  # a plane through all rows, so through the origin, unless columns depend on each other
        coef, doubtful = interruptibly(_solved, A[:, 1:], b[:, 1:])
        intercept = np.zeros_like(origin_y)
        if doubtful.any():
            coef[doubtful], intercept[doubtful] = interruptibly(_plane, A[doubtful], b[doubtful])
    return coef.transpose(0, 2, 1), (intercept + origin_y - origin_x @ coef)[:, 0]


def _plane(A: Array, b: Array) -> tuple[Array, Array]:
    """Least squares of each A w + c = b, as w and c."""
    mean_x, mean_y = A.mean(axis=1, keepdims=True), b.mean(axis=1, keepdims=True)
    coef, _ = _solved(A - mean_x, b - mean_y)
    return coef, mean_y - mean_x @ coef


def _gathered(X: Matrix, subsets: Array) -> Array:
    """The rows of every subset, dense and in double precision."""
    rows = X[subsets.ravel()]
    dense = rows.toarray() if matrix_products.is_sparse(X) else rows
    return np.asarray(dense.reshape(*subsets.shape, X.shape[1]).astype(np.float64, copy=False))


def _solved(A: Array, b: Array) -> tuple[Array, Array]:
    """Least squares of each A w = b, and whether the columns of A may depend on each other.

    Columns and targets are scaled first, so that no square can overflow.
    """
    scale_x, scale_y = _size(A), _size(b)
    A, b = A / scale_x, b / scale_y
    if A.shape[1] > A.shape[2]:
        A, b = _triangular(A, b)
    w, doubtful = _square(A, b)
    with np.errstate(over="ignore", under="ignore"):
        return w * (scale_y / scale_x.transpose(0, 2, 1)), doubtful


def _size(values: Array) -> Array:
    """The largest entry of each column of each matrix, one where all are zero."""
    largest = np.abs(values).max(axis=1, keepdims=True)
    return np.where(largest > 0, largest, 1.0)


def _triangular(A: Array, b: Array) -> tuple[Array, Array]:
    """Square systems with the same least squares, by orthogonal factorisation of [A b]."""
    columns = A.shape[2]
    R = np.asarray(np.linalg.qr(np.concatenate([A, b], axis=2), mode="r"))
    return R[:, :columns, :columns], R[:, :columns, columns:]


def _square(A: Array, b: Array) -> tuple[Array, Array]:
    """The solution of each square system, and whether it is singular or nearly so: then the minimum-norm solution."""
    singular = np.zeros(len(A), dtype=bool)
    try:
        w = np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        singular = np.linalg.slogdet(A)[0] == 0
        w = np.linalg.solve(np.where(singular[:, None, None], np.eye(A.shape[2]), A), b)
    size = np.abs(w).max(axis=(1, 2))
    doubtful = singular | ~(size <= MAX_GROWTH * np.abs(b).max(axis=(1, 2)))
    if doubtful.any():
        w[doubtful] = _shortest(A[doubtful], b[doubtful])
    return w, doubtful


def _shortest(A: Array, b: Array) -> Array:
    """By singular values, of which those below rounding count as zero."""
    U, singular, Vt = np.linalg.svd(A)
    kept = singular > 8 * A.shape[2] * EPSILON * singular[:, :1]
    inverse = np.divide(1.0, singular, out=np.zeros_like(singular), where=kept)
    return np.asarray(Vt.transpose(0, 2, 1) @ (inverse[:, :, None] * (U.transpose(0, 2, 1) @ b)))
