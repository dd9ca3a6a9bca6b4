"""Small pieces of linear algebra, under the path where people look for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Array
from ..core.validate.targets import is_sparse


def softmax(X: Any, copy: bool = True) -> Array:
    """exp(x) / sum exp(x) of each row, without overflow.

    >>> softmax([[0.0, 0.0]])
    array([[0.5, 0.5]])
    """
    scores = np.asarray(X, dtype=np.float64)
    lifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    found = lifted / lifted.sum(axis=1, keepdims=True)
    if not copy and isinstance(X, np.ndarray) and X.dtype.kind == "f":
        X[:] = found
        return X
    return np.asarray(found)


def row_norms(X: Any, squared: bool = False) -> Array:
    """The length of each row, or its square.

    >>> row_norms([[3.0, 4.0]])
    array([5.])
    """
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if is_sparse(X) else (np.asarray(X) ** 2).sum(axis=1)
    return squares if squared else np.sqrt(squares)


def squared_norm(x: Any) -> float:
    """The sum of the squares of all entries.

    >>> squared_norm([3.0, 4.0])
    25.0
    """
    return float((np.asarray(x, dtype=np.float64) ** 2).sum())


def safe_sqr(X: Any, *, copy: bool = True) -> Any:
    """Every entry squared, dense or sparse.

    >>> safe_sqr([1, -2])
    array([1, 4])
    """
    if is_sparse(X):
        return X.multiply(X).asformat(X.format)
    if copy or not isinstance(X, np.ndarray):
        return np.asarray(X) ** 2
    X **= 2
    return X


def safe_sparse_dot(a: Any, b: Any, *, dense_output: bool = False) -> Any:
    """The product of two matrices, either of which may be sparse; dense if requested.

    >>> safe_sparse_dot([[1, 2]], [[3], [4]])
    array([[11]])
    """
    found = a @ b if is_sparse(a) or is_sparse(b) else np.asarray(a) @ np.asarray(b)
    return found.toarray() if dense_output and is_sparse(found) else found


def density(w: Any) -> float:
    """The share of entries that are not zero.

    >>> density([[0, 1], [0, 0]])
    0.25
    """
    if is_sparse(w):
        return float(w.nnz / (w.shape[0] * w.shape[1]))
    return float(np.count_nonzero(w) / np.size(w))


def cartesian(arrays: Sequence[Any], out: Array | None = None) -> Array:
    """Every combination of an entry of each array, a row each, the last changing fastest.

    >>> cartesian([[1, 2], [5, 6]]).tolist()
    [[1, 5], [1, 6], [2, 5], [2, 6]]
    """
    grids = np.meshgrid(*map(np.asarray, arrays), indexing="ij")
    found = np.stack([grid.ravel() for grid in grids], axis=1)
    if out is None:
        return found
    out[:] = found
    return out
