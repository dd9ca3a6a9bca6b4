"""Least squares by orthogonal factorisation and refinement in extended precision, where normal equations fail."""

from __future__ import annotations

from functools import partial

import numpy as np

from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ....core.validate.sparse_input import as_dense
from ...algebra.interruptible_lapack import interruptibly
from ...sufficient_statistics import Marginals
from .normal_equations import UncheckedSolution
from .rank_tolerance import entry_rounding

REFINEMENTS = 4


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float | Array) -> UncheckedSolution:
    """Householder QR of the centred, equilibrated columns; the singular values of R decide the rank.

    Columns far from zero hold the rounding of large numbers, and count as dependent where they differ by no more than
    that. Centring and residuals use extended precision, and the solution is refined together with its residual, so that
    it is as accurate as the data allow. If the solution is not unique, it has minimum norm in the units given.
    """
    return interruptibly(_solve, as_dense(X), y, weight, middle.centred, alpha)


def _solve(X: Array, y: Array, weight: Array | None, centre: bool, alpha: float | Array) -> UncheckedSolution:
    n, root = len(y), np.ones(len(y)) if weight is None else np.sqrt(weight)
    wide_x, wide_y, mean, mean_y = _centre(X, y, weight, centre, alpha)
    A = wide_x.astype(np.float64)
    scale, offset = np.linalg.norm(A, axis=0), np.abs(mean.astype(np.float64)) * np.linalg.norm(root)
    scale[scale <= EPSILON * offset] = 0
    inverse_scale = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    Q, R = _large_rows_first(A * inverse_scale) if np.any(alpha) else np.linalg.qr(A * inverse_scale)
    U, singular, Vt = np.linalg.svd(R)
    varied = int((scale > 0).sum())
    condition = float(singular[0] / singular[varied - 1]) ** 2 if varied and singular[varied - 1] > 0 else np.inf
    real = singular > max(A.shape) * EPSILON * singular[0]
    if not np.any(alpha):
        rounding = entry_rounding(X, mean, root)
        real &= singular > np.linalg.norm(Vt * rounding * inverse_scale, axis=1)
    order, rank = np.argsort(~real, kind="stable"), int(real.sum())
    U, singular, Vt = U[:, order], singular[order], Vt[order]
    right = Vt[:rank].T / singular[:rank]
    if rank < A.shape[1]:  # the columns span less than those of Q do
        Q = Q @ U[:, :rank]
    else:
        right = right @ U.T  # the inverse of R
    coef = _refine(wide_x, wide_y, Q, right, inverse_scale)
    if 0 < rank < A.shape[1]:
        null, smallest = Vt[rank:].T, max(A.shape) * EPSILON / singular[rank - 1]
        null = np.where(np.linalg.norm(null, axis=1, keepdims=True) > smallest, null, 0.0)
        coef = _refine(wide_x, wide_y, Q, right, inverse_scale, _minimum_norm(coef, null, inverse_scale))
    spread = right * inverse_scale[:, None]
    intercept_root = np.sqrt(1 / float(root @ root) + float(np.sum((mean.astype(np.float64) @ spread) ** 2)))
    root_inverse = np.where(scale > 0, np.sqrt((spread**2).sum(axis=1)), np.nan)
    intercept = (mean_y - mean @ coef).astype(np.float64)
    freedom = float((Q[:n] ** 2).sum()) if len(Q) > n else float(rank)
    return UncheckedSolution(
        coef.astype(np.float64), lambda gradient: spread @ (spread.T @ gradient), rank, condition, freedom, "qr",
        root_inverse, intercept_root, intercept, final=True, products=partial(_products, wide_x[:n], wide_y[:n]),
    )  # fmt: skip


def _large_rows_first(A: Array) -> tuple[Array, Array]:
    """A = QR in which reflections of large rows, such as those of a penalty, do not touch small ones."""
    order = np.argsort(-np.abs(A).max(axis=1), kind="stable")
    Q = np.empty_like(A)
    Q[order], R = np.linalg.qr(A[order])
    return Q, R


def _centre(
    X: Array, y: Array, weight: Array | None, centre: bool, alpha: float | Array
) -> tuple[Array, Array, Array, Array]:
    """Root-weighted, centred data in extended precision, with rows for the penalty; and the means."""
    wide_x, wide_y = X.astype(np.longdouble), y.astype(np.longdouble)
    s = (np.ones(len(y)) if weight is None else weight).astype(np.longdouble)[:, None]
    mean, mean_y = (s * centre * wide_x).sum(axis=0) / s.sum(), (s * centre * wide_y).sum(axis=0) / s.sum()
    wide_x, wide_y = wide_x - mean, wide_y - mean_y
    if weight is not None:
        wide_x, wide_y = wide_x * np.sqrt(s), wide_y * np.sqrt(s)
    if np.any(alpha):
        wide_x = np.vstack([wide_x, np.sqrt(alpha) * np.eye(X.shape[1], dtype=np.longdouble)])
        wide_y = np.vstack([wide_y, np.zeros((X.shape[1], y.shape[1]), dtype=np.longdouble)])
    return wide_x, wide_y, mean, mean_y


def _products(A: Array, y: Array, coef: Array) -> tuple[Array, Array, Array]:
    """As `matrix_products.residual_products`, in extended precision, for data that are centred already."""
    residual = y - A @ coef
    with np.errstate(over="ignore"):  # the caller checks for infinite values
        squares, gradient = (residual**2).sum(axis=0).astype(np.float64), (A.T @ residual).astype(np.float64)
    return squares, gradient, np.zeros(y.shape[1])


def _refine(A: Array, y: Array, Q: Array, right: Array, inverse_scale: Array, start: Array | float = 0.0) -> Array:
    """Solve r + A w = y, A'r = 0 for residual and coefficients at once, by iterative refinement from `start` on.

    Q has orthonormal columns that span those of A, and `right` is the pseudo-inverse of Q'A.
    """
    residual, coef = np.zeros_like(y), np.zeros((A.shape[1], y.shape[1]), dtype=A.dtype) + start
    before = np.inf
    for _ in range(REFINEMENTS):
        f = (y - residual - A @ coef).astype(np.float64)
        g = (-(A * inverse_scale).T @ residual).astype(np.float64)
        h = right.T @ g
        d = Q.T @ f
        change = (right @ (d - h)) * inverse_scale[:, None]
        size = float(np.linalg.norm(change / np.where(inverse_scale > 0, inverse_scale, 1.0)[:, None]))
        if not size < before:
            break
        residual, coef, before = residual + (f - Q @ (d - h)), coef + change, size
    return coef


def _minimum_norm(coef: Array, null: Array, inverse_scale: Array) -> Array:
    """The minimum-norm solution `coef + inverse_scale * null z`; columns without spread get zero.

    A column of which no more than rounding was left in `null` depends on no other: there it must be zero, or its
    scale would make something of it.
    """
    used = inverse_scale > 0
    basis = null[used]
    if not used.all():  # combinations of the used columns alone are fewer; what else is left of them is rounding
        count = null.shape[1] - np.count_nonzero(~used)
        basis = np.linalg.svd(basis, full_matrices=False)[0][:, :count]
    basis = basis * inverse_scale[used, None]
    shortest = np.zeros_like(coef)
    shortest[used] = coef[used] - basis @ np.linalg.lstsq(basis, coef[used].astype(np.float64), rcond=None)[0]
    return shortest
