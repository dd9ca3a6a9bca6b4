"""Kernels of all rows of two tables, dense or CSR: the loops behind the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime.native import kernels
from ...core.scaling import SAFE_DISTANCES, unit_of


def of_products(X: Any, Y: Any, shape: str, gamma: float = 1.0, coef0: float = 0.0, degree: float = 1.0) -> Array:
    """A function of the inner products: linear, polynomial, tanh or logistic."""
    return _filled(*_pair(X, Y), shape, _precision(X, Y), gamma, coef0, degree)


def of_distances(X: Any, Y: Any, shape: str, gamma: float = 1.0) -> Array:
    """A function of the distances: gaussian, laplacian, chi_squared or additive_chi_squared."""
    left, right = _pair(X, Y)
    if shape == "gaussian":
        unit = unit_of(left, right, safe=SAFE_DISTANCES)
        if unit != 1:
            right = right * unit if right is not left else None
            left = left * unit
            right = left if right is None else right
            with np.errstate(over="ignore"):  # an infinite rate keeps only rows that are equal
                gamma = float(np.float64(gamma) / unit / unit)
    return _filled(left, right, shape, _precision(X, Y), gamma, 0.0, 1.0)


def squared_lengths(X: Any) -> Array:
    """x'x of every row."""
    if isinstance(X, np.ndarray):
        rows = np.ascontiguousarray(X)  # the order of a sum should not depend on that of the memory
        return np.asarray(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def unit_rows(X: Any) -> Any:
    """Every row divided by its length; rows of zeros stay."""
    unit = unit_of(X, safe=SAFE_DISTANCES)
    if unit != 1:
        X = X * unit
    lengths = np.sqrt(squared_lengths(X))
    lengths[lengths == 0] = 1
    if isinstance(X, np.ndarray):
        return X / lengths[:, None]
    from scipy.sparse import diags_array

    return (diags_array(1 / lengths) @ X).tocsr()


def least_entry(X: Any) -> float:
    """The smallest stored entry, or 0."""
    return float((X if isinstance(X, np.ndarray) else X.data).min(initial=0.0))


def _filled(
    X: Any, Y: Any, shape: str, dtype: type[np.floating[Any]], gamma: float, coef0: float, degree: float
) -> Array:
    """The matrix of a kernel, by the compiled loop for the storage of the tables."""
    found = np.empty((X.shape[0], Y.shape[0]), dtype=dtype)
    fill = kernels.kernel_matrix if isinstance(X, np.ndarray) else kernels.sparse_kernel_matrix
    fill(X, Y, shape, found, float(gamma), float(coef0), float(degree))
    return found


def _pair(X: Any, Y: Any) -> tuple[Any, Any]:
    """Both tables as contiguous rows of double precision, or both as CSR; one object where they are one."""
    if isinstance(X, np.ndarray) and (Y is None or isinstance(Y, np.ndarray)):
        left = np.ascontiguousarray(X, dtype=np.float64)
        return left, left if Y is None or Y is X else np.ascontiguousarray(Y, dtype=np.float64)
    left = _sparse_rows(X)
    return left, left if Y is None or Y is X else _sparse_rows(Y)


def _sparse_rows(table: Any) -> Any:
    """CSR in double precision."""
    from scipy.sparse import csr_array

    return csr_array(table, dtype=np.float64)


def _precision(X: Any, Y: Any) -> type[np.floating[Any]]:
    single = X.dtype == np.float32 and (Y is None or Y.dtype == np.float32)
    return np.float32 if single else np.float64
