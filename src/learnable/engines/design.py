"""Products with a data matrix, dense or sparse, whose bits do not depend on the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.data import Array, Data, Matrix
from ..core.native import kernels

SMALLEST, LARGEST = 1e-240, 1e240  # squares outside this range have lost digits or are about to overflow


class OutOfRange(ArithmeticError):
    """Squares of the data leave the floating-point range; the data must be scaled first."""


def scores(X: Matrix, coef: Array, intercept: Any = 0.0) -> Array:
    """X w + b for coefficients of shape (features,) or (targets, features)."""
    constant = np.broadcast_to(np.asarray(intercept, dtype=np.float64), coef.shape[:-1] or (1,))
    product: Array = kernels.matvec(X, coef.T, constant)
    return product.astype(X.dtype, copy=False)


def precise_scores(X: Matrix, coef: Array, intercept: float) -> Array:
    """X w + b in double precision, whatever the precision of the data."""
    product: Array = kernels.matvec(X, coef, np.array([intercept]))
    return product


def pullback(X: Matrix, residual: Array) -> Array:
    """X' r for a residual of shape (samples,) or (samples, targets)."""
    product: Array = kernels.rmatvec(X, residual)
    return product


def column_means(X: Matrix, weight: Array | None) -> Array:
    """Weighted mean of each column."""
    ones = np.ones(X.shape[0]) if weight is None else weight
    return pullback(X, ones) / ones.sum()


def squared_norms(X: Matrix, weight: Array) -> Array:
    """Weighted sum of squares of each column."""
    squares: Array = kernels.weighted_squares(X, weight)
    return squares


def residual_products(
    X: Matrix, y: Array, coef: Array, intercept: Array, weight: Array | None, mean_x: Array
) -> tuple[Array, Array, Array]:
    """For residuals r = y - Xw - b, a column per target: the weighted sums r'Sr, (X - mean)'Sr, and the sum of Sr."""
    squares, products, total = kernels.residual_products(X, y, coef, intercept, weight)
    return squares, products - mean_x[:, None] * total, total


def centred_kernel(X: Matrix, mean_x: Array) -> Array:
    """Inner products of all pairs of centred rows."""
    if not is_sparse(X):
        centred = X - mean_x
        return np.asarray(centred @ centred.T)
    shift = scores(X, mean_x)
    return np.asarray((X @ X.T).toarray() - shift[:, None] - shift + mean_x @ mean_x)


def check_range(squares: Array, X: Matrix) -> None:
    """Raise `OutOfRange` if sums of squares of columns (or rows) of `X` overflowed, or vanished though `X` did not."""
    largest, smallest = float(squares.max(initial=0.0)), float(squares.min(initial=LARGEST))
    if not largest < LARGEST or (smallest < SMALLEST and 0 < _largest_entry(X) < np.sqrt(SMALLEST) * 1e3):
        raise OutOfRange


def power_of_two_scales(values: Matrix, together: bool = False) -> Array:
    """A power of two per column (or one for all) that brings its largest entry near one; exact to multiply by."""
    dense = values if isinstance(values, np.ndarray) else None
    if dense is None or together:
        largest = np.full(values.shape[1], _largest_entry(values))
    else:
        largest = np.abs(dense).max(axis=0)
    exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    return np.ldexp(1.0, -exponent)


def power_of_two_scale(values: Matrix) -> float:
    """The power of two that brings the largest entry near one."""
    largest = _largest_entry(values)
    return float(np.ldexp(1.0, -np.frexp(largest)[1])) if largest > 0 else 1.0


def scaled_columns(X: Matrix, scale: Array) -> Matrix:
    """X with every column multiplied by its scale."""
    return X * float(scale[0]) if is_sparse(X) else X * scale


def counting_rows(data: Data) -> Data:
    """The same data without the rows of weight zero."""
    if data.weight is None or data.weight.all():
        return data
    kept = np.flatnonzero(data.weight)
    return Data(data.X[kept], data.y[kept], data.weight[kept], data.names)


def is_sparse(X: Matrix) -> bool:
    """Whether `X` is stored sparsely."""
    return not isinstance(X, np.ndarray)


def _largest_entry(X: Matrix) -> float:
    values = X.data if is_sparse(X) else X
    return float(np.abs(values).max(initial=0.0))
