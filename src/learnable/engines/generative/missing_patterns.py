"""Rows with missing values, grouped by their pattern."""

from __future__ import annotations

import numpy as np

from ...core.errors import DataError
from ...core.validate.features import Array, column_name

Patterns = list[tuple[Array, Array]]
"""Observed columns of a pattern, and the rows that have it."""


def find_missing_patterns(missing: Array) -> Patterns:
    """Each pattern of observed columns, and the rows that have it.

    >>> found = find_missing_patterns(np.array([[False, True], [False, False]]))
    >>> [(present.tolist(), rows.tolist()) for present, rows in found]
    [([True, True], [1]), ([True, False], [0])]
    """
    packed = np.ascontiguousarray(np.packbits(missing, axis=1))
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel()))
    return list(zip(~missing[first], np.split(order, ends[:-1]), strict=True))


def refuse_unseen_columns(X: Array, names: list[str] | None) -> None:
    """Raise a `DataError` that names a column without observed values."""
    unseen = np.isnan(X).all(axis=0)
    if unseen.any():
        where = column_name(names, int(np.argmax(unseen)))
        raise DataError(f"{where} of X has no value in any row with weight; drop it")


def impute_means(X: Array, weight: Array | None) -> Array:
    """The rows with missing values imputed by the column mean, or by zero in empty columns."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    weights = ~missing * (1.0 if weight is None else weight[:, None])
    total = weights.sum(axis=0)
    means = (weights * np.where(missing, 0.0, X)).sum(axis=0) / np.where(total > 0, total, 1.0)
    return np.where(missing, means, X)
