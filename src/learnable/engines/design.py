"""Products with a data matrix, dense or sparse, whose bits do not depend on the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.data import Array, Matrix


def scores(X: Matrix, coef: Array, intercept: Any = 0.0) -> Array:
    """X w + b for coefficients of shape (features,) or (targets, features)."""
    product: Array = X @ np.asarray(coef).T
    return product + intercept


def pullback(X: Matrix, residual: Array) -> Array:
    """X' r for a residual of shape (samples,) or (samples, targets)."""
    product: Array = X.T @ residual
    return product


def column_means(X: Matrix, weight: Array | None) -> Array:
    """Weighted mean of each column."""
    total = X.shape[0] if weight is None else weight.sum()
    ones = np.ones(X.shape[0]) if weight is None else weight
    return pullback(X, ones) / total


def is_sparse(X: Matrix) -> bool:
    """Whether `X` is stored sparsely."""
    return not isinstance(X, np.ndarray)
