"""Columns and rows of sparse matrices: moments, extremes, scaling and swaps, under the path where people look."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError


def _compressed(X: Any, name: str, formats: tuple[str, ...] = ("csr", "csc")) -> None:
    """Refuse what is not a sparse matrix in one of these formats."""
    if getattr(X, "format", None) not in formats:
        kinds = " or ".join(kind.upper() for kind in formats)
        raise TypeError(f"{name}: Expected a {kinds} sparse matrix; got {type(X).__name__}")


def inplace_csr_column_scale(X: Any, scale: Array) -> None:
    """Multiply each column of a CSR matrix by a number, in place.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0, 2.0]])
    >>> inplace_csr_column_scale(X, np.array([2.0, 3.0])); X.toarray()
    array([[2., 6.]])
    """
    if len(scale) != X.shape[1]:
        raise DataError(f"inplace_csr_column_scale: scale must have {X.shape[1]} entries; got {len(scale)}")
    X.data *= np.asarray(scale).take(X.indices, mode="clip")


def inplace_csr_row_scale(X: Any, scale: Array) -> None:
    """Multiply each row of a CSR matrix by a number, in place.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0, 2.0]])
    >>> inplace_csr_row_scale(X, np.array([2.0])); X.toarray()
    array([[2., 4.]])
    """
    if len(scale) != X.shape[0]:
        raise DataError(f"inplace_csr_row_scale: scale must have {X.shape[0]} entries; got {len(scale)}")
    X.data *= np.repeat(np.asarray(scale), np.diff(X.indptr))


def inplace_column_scale(X: Any, scale: Array) -> None:
    """Multiply each column of a CSR or CSC matrix by a number, in place.

    >>> from scipy.sparse import csc_array
    >>> X = csc_array([[1.0, 2.0]])
    >>> inplace_column_scale(X, np.array([2.0, 3.0])); X.toarray()
    array([[2., 6.]])
    """
    _compressed(X, "inplace_column_scale")
    (inplace_csr_column_scale(X, scale) if X.format == "csr" else inplace_csr_row_scale(X.T, scale))


def inplace_row_scale(X: Any, scale: Array) -> None:
    """Multiply each row of a CSR or CSC matrix by a number, in place.

    >>> from scipy.sparse import csc_array
    >>> X = csc_array([[1.0], [2.0]])
    >>> inplace_row_scale(X, np.array([2.0, 3.0])); X.toarray().ravel()
    array([2., 6.])
    """
    _compressed(X, "inplace_row_scale")
    (inplace_csr_row_scale(X, scale) if X.format == "csr" else inplace_csr_column_scale(X.T, scale))


def mean_variance_axis(
    X: Any, axis: int, weights: Any = None, return_sum_weights: bool = False
) -> tuple[Array, Array] | tuple[Array, Array, Array]:
    """Mean and variance of each column (axis 0) or row (axis 1) of a CSR or CSC matrix; NaN is left out.

    >>> from scipy.sparse import csr_array
    >>> mean_variance_axis(csr_array([[1.0, 0.0], [3.0, 0.0]]), axis=0)
    (array([2., 0.]), array([1., 0.]))
    """
    _compressed(X, "mean_variance_axis")
    _check_axis(axis)
    length = X.shape[axis]
    weight = np.ones(length) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(weight) != length:
        raise DataError(f"mean_variance_axis: weights must have {length} entries; got {len(weight)}")
    found = _moments(X, axis, weight)
    mean, variance, total = (part.astype(X.dtype if X.dtype.kind == "f" else np.float64) for part in found)
    return (mean, variance, total) if return_sum_weights else (mean, variance)


def _moments(X: Any, axis: int, weight: Array) -> tuple[Array, Array, Array]:
    """Weighted mean, variance and total weight along an axis, in two passes over the entries."""
    table = X.tocoo()
    across, along = (table.col, table.row) if axis == 0 else (table.row, table.col)
    count = X.shape[1 - axis]
    values, own = table.data.astype(np.float64), weight[along]
    missing = np.isnan(values)
    total = weight.sum() - np.bincount(across[missing], own[missing], count)
    here, values, own = across[~missing], values[~missing], own[~missing]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(here, own * values, count) / total
        stored = np.bincount(here, own, count)
        spread = np.bincount(here, own * (values - mean[here]) ** 2, count) + (total - stored) * mean**2
        return mean, spread / total, np.asarray(total, dtype=np.float64)


def incr_mean_variance_axis(
    X: Any, *, axis: int, last_mean: Array, last_var: Array, last_n: Any, weights: Any = None
) -> tuple[Array, Array, Array]:
    """Mean, variance and number of rows of earlier batches and of the batch X together.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0], [3.0]])
    >>> mean, variance, n = incr_mean_variance_axis(X, axis=0, last_mean=[5.0], last_var=[0.0], last_n=[2])
    >>> mean, variance, n
    (array([3.5]), array([2.75]), array([4.]))
    """
    found = mean_variance_axis(X, axis, weights, return_sum_weights=True)
    mean, variance, n = (np.asarray(part, dtype=np.float64) for part in found)
    before = np.broadcast_to(np.asarray(last_n, dtype=np.float64), mean.shape)
    old_mean, old_variance = np.asarray(last_mean, dtype=np.float64), np.asarray(last_var, dtype=np.float64)
    if old_mean.shape != mean.shape or old_variance.shape != mean.shape:
        raise DataError(f"incr_mean_variance_axis: last_mean and last_var must have {len(mean)} entries")
    mean, variance = np.where(n > 0, mean, 0.0), np.where(n > 0, variance, 0.0)
    both = before + n
    with np.errstate(invalid="ignore", divide="ignore"):
        joint = (before * old_mean + n * mean) / both
        spread = before * (old_variance + (old_mean - joint) ** 2) + n * (variance + (mean - joint) ** 2)
        return joint, spread / both, both


def min_max_axis(X: Any, axis: int | None, ignore_nan: bool = False) -> tuple[Any, Any]:
    """Smallest and largest entry of each column (axis 0) or row (axis 1) of a CSR or CSC matrix, zeros included.

    >>> from scipy.sparse import csr_array
    >>> min_max_axis(csr_array([[1.0, 0.0], [3.0, 2.0]]), axis=0)
    (array([1., 0.]), array([3., 2.]))
    """
    _compressed(X, "min_max_axis")
    if axis is not None:
        _check_axis(axis)
    smallest, largest = ("nanmin", "nanmax") if ignore_nan else ("min", "max")
    found = [getattr(X, name)(axis=axis) for name in (smallest, largest)]
    if axis is None:
        return found[0], found[1]
    low, high = (np.asarray(part.toarray()).ravel() for part in found)
    return low, high


def count_nonzero(X: Any, axis: int | None = None, sample_weight: Any = None) -> Any:
    """How many entries of a CSR matrix, or of each column or row, are stored; rows count by their weights.

    >>> from scipy.sparse import csr_array
    >>> count_nonzero(csr_array([[1, 0], [2, 3]]), axis=0)
    array([2, 1])
    """
    _compressed(X, "count_nonzero", ("csr",))
    counts = np.diff(X.indptr)
    axis = axis + 2 if axis is not None and axis < 0 else axis
    weight = None if sample_weight is None else np.asarray(sample_weight)
    if axis is None:
        return int(X.nnz) if weight is None else np.dot(counts, weight)
    _check_axis(axis)
    if axis == 1:
        return counts.astype("intp") if weight is None else counts * weight
    own = None if weight is None else np.repeat(weight, counts)
    return np.bincount(X.indices, weights=own, minlength=X.shape[1])


def csc_median_axis_0(X: Any) -> Array:
    """Median of each column of a CSC matrix, zeros included.

    >>> from scipy.sparse import csc_array
    >>> csc_median_axis_0(csc_array([[1.0, 0.0], [3.0, 0.0], [2.0, 5.0]]))
    array([2., 0.])
    """
    _compressed(X, "csc_median_axis_0", ("csc",))
    rows = X.shape[0]
    columns = np.split(X.data, X.indptr[1:-1])
    return np.array([np.median(np.pad(column, (0, rows - len(column)))) for column in columns])


def inplace_swap_row(X: Any, m: int, n: int) -> None:
    """Swap two rows of a CSR or CSC matrix, in place.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0, 0.0], [3.0, 2.0]])
    >>> inplace_swap_row(X, 0, 1); X.toarray().tolist()
    [[3.0, 2.0], [1.0, 0.0]]
    """
    _compressed(X, "inplace_swap_row")
    (inplace_swap_row_csr if X.format == "csr" else inplace_swap_row_csc)(X, m, n)


def inplace_swap_column(X: Any, m: int, n: int) -> None:
    """Swap two columns of a CSR or CSC matrix, in place.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0, 0.0], [3.0, 2.0]])
    >>> inplace_swap_column(X, 0, 1); X.toarray().tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    _compressed(X, "inplace_swap_column")
    m, n = (_index(k, X.shape[1]) for k in (m, n))
    (inplace_swap_row_csc if X.format == "csr" else inplace_swap_row_csr)(X, m, n)


def inplace_swap_row_csc(X: Any, m: int, n: int) -> None:
    """Swap two rows of a CSC matrix in place, by their indices.

    >>> from scipy.sparse import csc_array
    >>> X = csc_array([[1.0], [3.0]])
    >>> inplace_swap_row_csc(X, 0, 1); X.toarray().ravel()
    array([3., 1.])
    """
    length = X.shape[0] if X.format == "csc" else X.shape[1]
    m, n = (_index(k, length) for k in (m, n))
    first, second = X.indices == m, X.indices == n
    X.indices[first], X.indices[second] = n, m
    X.has_sorted_indices = False


def inplace_swap_row_csr(X: Any, m: int, n: int) -> None:
    """Swap two rows of a CSR matrix in place, by their blocks of entries.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1.0], [3.0]])
    >>> inplace_swap_row_csr(X, 0, 1); X.toarray().ravel()
    array([3., 1.])
    """
    length = X.shape[0] if X.format == "csr" else X.shape[1]
    order = np.arange(length)
    m, n = (_index(k, length) for k in (m, n))
    order[[m, n]] = order[[n, m]]
    counts = np.diff(X.indptr)
    taken = np.concatenate([np.arange(X.indptr[k], X.indptr[k + 1]) for k in order]) if X.nnz else order[:0]
    X.data[:], X.indices[:] = X.data[taken], X.indices[taken]
    X.indptr[1:] = np.cumsum(counts[order])


def sparse_matmul_to_dense(A: Any, B: Any, out: Array | None = None) -> Array:
    """The product of two CSR matrices as an array.

    >>> from scipy.sparse import csr_array
    >>> sparse_matmul_to_dense(csr_array([[1.0, 2.0]]), csr_array([[3.0], [4.0]]))
    array([[11.]])
    """
    found = np.asarray((A @ B).toarray())
    if out is None:
        return found
    out[:] = found
    return out


def _check_axis(axis: int) -> None:
    if axis not in (0, 1):
        raise ValueError(f"Unknown axis value: {axis}. Use 0 for rows, or 1 for columns")


def _index(k: int, length: int) -> int:
    """A position, counted from the end if it is negative."""
    return k + length if k < 0 else k
