"""What the scalers share: scales that are safe to divide by."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import DataError, Invertible
from ..core.validate.features import Array, Matrix
from ..core.validate.targets import is_sparse
from ..engines.columns.column_statistics import shifted_and_scaled

MIN_SCALE = 10 * np.finfo(np.float64).eps


class Scaler(Invertible):
    """A scaler, which keeps the precision of arrays: float16 comes back as float16."""

    def transform(self, X: Any) -> Any:
        """The scaled rows of `X`, in the container requested by `set_output`."""
        return _in_precision_of(X, super().transform(X))

    def inverse_transform(self, X: Any) -> Any:
        """Inverse transform: scaled rows in their original units."""
        return _in_precision_of(X, super().inverse_transform(X))


def _in_precision_of(X: Any, result: Any) -> Any:
    half = isinstance(X, np.ndarray) and X.dtype == np.float16 and isinstance(result, np.ndarray)
    return result.astype(np.float16) if half else result


def usable(scale: Array, constant: Array | None = None) -> Array:
    """`scale` with one in the place of zero, of what is constant up to rounding, and of what is unknown."""
    flat = scale < MIN_SCALE * np.finfo(np.float64).tiny if constant is None else constant
    return np.where(flat | (scale == 0) | np.isnan(scale), 1.0, scale)


def affine(X: Matrix, shift: Array | None, scale: Array | None) -> Matrix:
    """(X - shift) / scale by columns; for sparse X without a shift."""
    if is_sparse(X):
        return _sparse_columns(X, None if scale is None else 1.0 / scale)
    p = X.shape[1]
    inverse = np.ones(p) if scale is None else 1.0 / np.asarray(scale, dtype=np.float64)
    return shifted_and_scaled(X, np.zeros(p) if shift is None else shift, inverse)


def affine_back(X: Matrix, shift: Array | None, scale: Array | None) -> Matrix:
    """X * scale + shift by columns."""
    if is_sparse(X):
        return _sparse_columns(X, scale)
    result = X if scale is None else X * scale
    return np.asarray(result if shift is None else result + shift).astype(X.dtype, copy=False)


def _sparse_columns(X: Any, factor: Array | None) -> Any:
    """A sparse matrix with every column multiplied by its factor."""
    result = X.copy()
    if factor is not None:
        by_column = np.asarray(factor, dtype=np.float64)
        columns = result.indices if result.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(result.indptr))
        result.data = (result.data * by_column[columns]).astype(X.dtype, copy=False)
    return result


def refuse_sparse_centring(owner: str, X: Matrix, switch: str) -> None:
    """Centring would fill a sparse matrix."""
    if is_sparse(X):
        raise DataError(
            f"{owner}: moving the zeros of a sparse matrix would fill it; set {switch}=False, or use X.toarray()"
        )


def seen(weight: Array) -> Any:
    """How much was seen: one number where all columns have it in common."""
    first = weight[0]
    if (weight != first).any():
        return weight
    return int(first) if float(first).is_integer() else float(first)
