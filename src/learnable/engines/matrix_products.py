"""Products with a data matrix, dense or sparse, whose bits do not depend on the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.runtime.native import kernels
from ..core.scaling import column_sizes, power_of_two_scales
from ..core.validate.features import Array, Data, Matrix
from .algebra.interruptible_lapack import interruptibly

SMALLEST, LARGEST = 1e-240, 1e240  # squares outside this range have lost digits or are about to overflow
CELLS_AT_ONCE = 1 << 20  # of a large matrix, where a copy of all of it would take too much


def rows(X: Matrix, chosen: Array) -> Matrix:
    """Some rows of a matrix, without a copy where they are consecutive."""
    first, count = int(chosen[0]), len(chosen)
    neighbours = int(chosen[-1]) - first == count - 1 and bool((np.diff(chosen) == 1).all())
    if neighbours and isinstance(X, np.ndarray) and X.flags.c_contiguous:
        return X[first : first + count]
    return taken(X, chosen)


def taken(X: Matrix, chosen: Array) -> Matrix:
    """A copy of some rows of a matrix, in any order."""
    return X[chosen] if is_sparse(X) else X.take(chosen, axis=0)  # which has several reads under way at once


def flipped(X: Matrix) -> Matrix:
    """The transpose of a sparse matrix by rows, by rows too.

    >>> from scipy import sparse
    >>> flipped(sparse.csr_array([[1.0, 2.0], [0.0, 3.0]])).indices.tolist()
    [0, 0, 1]
    """
    (n, p), entries = X.shape, int(X.indptr[-1])
    start, index = np.empty(p + 1, dtype=np.int64), np.empty(entries, dtype=np.int32)
    value = np.empty(entries, dtype=X.dtype)
    kernels.transpose(X, start, index, value)
    transpose = type(X)((value, index, start), shape=(p, n))
    transpose.has_sorted_indices = True
    return transpose


class OutOfRange(DataError, ArithmeticError):
    """Squares of the data leave the floating-point range; the data must be scaled first."""

    def __init__(self) -> None:
        super().__init__("squares of the data, or of their weights, leave the range of floats; measure in other units")


def scores(X: Matrix, coef: Array, intercept: Any = 0.0) -> Array:
    """X w + b for coefficients of shape (features,) or (targets, features)."""
    constant = np.full(coef.shape[:-1] or (1,), intercept, dtype=np.float64)
    product: Array = kernels.matvec(X, coef.T, constant)
    return product.astype(X.dtype, copy=False)


def precise_scores(X: Matrix, coef: Array, intercept: float) -> Array:
    """X w + b in double precision, whatever the precision of the data."""
    product: Array = kernels.matvec(X, coef, np.array([intercept]))
    return product


def precise_products(X: Matrix, coef: Array, constant: Array) -> Array:
    """X W + b for coefficients (features, targets) in double precision, whatever the precision of the data."""
    product: Array = kernels.matvec(X, coef, constant)
    return product


def transposed_product(X: Matrix, residual: Array) -> Array:
    """X' r for a residual of shape (samples,) or (samples, targets)."""
    product: Array = kernels.rmatvec(X, residual)
    return product


def column_means(X: Matrix, weight: Array | None) -> Array:
    """Weighted mean of each column."""
    ones = np.ones(X.shape[0]) if weight is None else weight
    return np.asarray(transposed_product(X, ones) / ones.sum())


def squared_norms(X: Matrix, weight: Array) -> Array:
    """Weighted sum of squares of each column."""
    squares: Array = kernels.weighted_squares(X, weight)
    return squares


def magnitudes(X: Matrix, weight: Array, middle: Array) -> Array:
    """Sums over rows of |x_ij - middle_j| times a weight, or times each of several; the middle is 0 if X is sparse."""
    if is_sparse(X):
        return transposed_product(abs(X), weight)
    block = max(1, CELLS_AT_ONCE // X.shape[1])
    starts = range(0, X.shape[0], block)
    return sum(
        (transposed_product(abs(X[i : i + block] - middle), weight[i : i + block]) for i in starts), np.zeros(())
    )


def residual_products(
    X: Matrix, y: Array, weight: Array | None, mean_x: Array, mean_y: Array, coef: Array
) -> tuple[Array, Array, Array]:
    """For residuals r = y - mean - (X - mean) w, a column per target: r'Sr, (X - mean)'Sr, and the sum of Sr."""
    return kernels.residual_products(X, y, coef, mean_y, weight, mean_x)


def centred_transposed_product(X: Matrix, mean_x: Array, residual: Array) -> Array:
    """(X - mean)' r for a residual of shape (samples, targets)."""
    if is_sparse(X):
        return np.asarray(transposed_product(X, residual) - np.outer(mean_x, residual.sum(axis=0)))
    return interruptibly(_centred_transposed_product, X, mean_x, residual)


def centred_kernel(X: Matrix, mean_x: Array) -> Array:
    """Inner products of all pairs of centred rows."""
    if not is_sparse(X):
        return interruptibly(_row_products, X, mean_x)
    shift = scores(X, mean_x)
    return np.asarray((X @ X.T).toarray() - shift[:, None] - shift + mean_x @ mean_x)


def _centred_transposed_product(X: Array, mean_x: Array, residual: Array) -> Array:
    return np.asarray((X - mean_x).T @ residual)


def _row_products(X: Array, mean_x: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):  # callers check the range
        centred = X - mean_x
        return np.asarray(centred @ centred.T)


class NotFinite(ArithmeticError):
    """The data hold numbers that are missing or infinite."""


def check_range(squares: Array, X: Matrix, penalty: float = 0.0) -> None:
    """Raise `OutOfRange` if sums of squares of columns (or rows) of `X` overflowed, or vanished though `X` did not.

    Squares that underflow are allowed where a larger penalty is added to them.
    """
    sizes = squares.tolist()
    if not all(size < LARGEST for size in sizes) or (min(sizes) + penalty < SMALLEST and _has_faint_columns(X)):
        raise OutOfRange


def _has_faint_columns(X: Matrix) -> bool:
    """Whether the squares of a column have lost digits, or all of them, though it is not zero."""
    sizes = column_sizes(X)
    return bool(((sizes > 0) & (sizes < np.sqrt(SMALLEST) * 1e3)).any())


def scaled_columns(X: Matrix, scale: Array) -> Matrix:
    """X with every column multiplied by its scale."""
    if not is_sparse(X):
        return X * scale
    if (scale == scale[0]).all():
        return X * float(scale[0])
    from scipy.sparse import diags_array

    return (X @ diags_array(scale)).asformat(X.format)


def full_columns(X: Matrix) -> Array:
    """Which columns of a sparse matrix have an entry in every row."""
    return np.asarray(np.bincount(_columns_of_entries(X), minlength=X.shape[1]) == X.shape[0])


def moved_columns(X: Matrix, shift: Array) -> Matrix:
    """A sparse X less `shift`, which is zero for columns that are not full."""
    data = X.data[: X.indptr[-1]] - shift[_columns_of_entries(X)]
    return type(X)((data, X.indices[: len(data)], X.indptr), shape=X.shape)


def _columns_of_entries(X: Matrix) -> Array:
    by_rows = X.format == "csr"
    return np.asarray(X.indices[: X.indptr[-1]] if by_rows else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr)))


def in_range(X: Matrix, weight: Array, together: bool) -> tuple[Matrix, Array, Array]:
    """X times powers of two, by the same for all columns if `together`, if its columns cannot be squared as they are.

    Returned with these powers and the weighted sums of squares of the columns.
    """
    scale, squares = np.ones(X.shape[1]), squared_norms(X, weight)
    try:
        check_range(squares, X)
    except OutOfRange:
        scale = power_of_two_scales(X, together)
        X = scaled_columns(X, scale)
        squares = squared_norms(X, weight)
    return X, scale, squares


def rows_that_count(X: Matrix, weight: Array | None) -> tuple[Matrix, Array | None]:
    """The rows whose weight is not zero, and their weights."""
    if weight is None or weight.all():
        return X, weight
    kept = np.flatnonzero(weight)
    return X[kept], weight[kept]


def counting_rows(X: Matrix, y: Array, weight: Array | None) -> tuple[Matrix, Array, Array | None]:
    """The rows whose weight is not zero: a copy of them if there are others.

    A row of weight zero is absent, also where nothing is multiplied by the weight: ranges, scales, ranks and the choice
    of a method are read from the rows as they are, and a row of weight zero may hold any value.
    """
    if weight is None or weight.all():
        return X, y, weight
    kept = np.flatnonzero(weight)
    return X[kept], y[kept], weight[kept]


def counted(data: Data) -> Data:
    """The data without the rows whose weight is zero."""
    return Data(*counting_rows(data.X, data.y, data.weight), data.names)


def with_column(X: Matrix, value: float) -> Matrix:
    """`X` with a constant column after its own."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if not is_sparse(X):
        return np.hstack([X, column])
    from scipy import sparse

    return sparse.hstack([X, sparse.csr_array(column)], format=X.format)


def is_sparse(X: Matrix) -> bool:
    """Whether `X` is stored sparsely."""
    return not isinstance(X, np.ndarray)
