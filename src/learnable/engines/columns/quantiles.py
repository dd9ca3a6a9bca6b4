"""Quantiles of columns, missing entries aside, in which a weight counts copies."""

from __future__ import annotations

import numpy as np

from ...core.runtime.context import give_way
from ...core.validate.features import Array

ENTRIES = 1 << 16  # per block


def column_quantiles(X: Array, shares: Array, weight: Array | None = None) -> Array:
    """The quantiles of each column at `shares` (rows of the result); NaN for a column without entries.

    Between two entries they are interpolated linearly, and a weight of 3 counts as three copies of the row.

    >>> column_quantiles(np.array([[1.0], [2.0], [4.0]]), np.array([0.5, 0.75])).ravel()
    array([2., 3.])
    """
    step, found = max(ENTRIES // max(len(X), 1), 1), [np.empty((len(shares), 0), dtype=np.float32)]
    for first in range(0, X.shape[1], step):
        give_way()
        found.append(_some_columns(X[:, first : first + step], shares, weight))
    return np.concatenate(found, axis=1)


def _some_columns(X: Array, shares: Array, weight: Array | None) -> Array:
    """The quantiles of a few columns, those without missing values all at once."""
    if weight is None and len(X) and not np.isnan(X).any():
        return np.asarray(np.quantile(X, shares, axis=0))
    return np.stack([quantiles(X[:, j], shares, weight) for j in range(X.shape[1])], axis=1)


def quantiles(values: Array, shares: Array, weight: Array | None = None) -> Array:
    """The quantiles of one column."""
    there = ~np.isnan(values) if weight is None else ~np.isnan(values) & (weight > 0)
    kept = values[there]
    if len(kept) == 0:
        return np.full(len(shares), np.nan)
    if weight is None:
        return np.asarray(np.quantile(kept, shares))
    order = np.argsort(kept, kind="stable")
    return _between(kept[order].astype(np.float64), np.cumsum(weight[there][order]), shares)


def _between(ordered: Array, ends: Array, shares: Array) -> Array:
    """Interpolate in the sample in which entry i stands as often as its weight says; `ends` are summed weights."""
    position = np.maximum(ends[-1] - 1, 0) * shares
    below = np.floor(position)
    last = len(ordered) - 1
    low = ordered[np.minimum(np.searchsorted(ends, below, side="right"), last)]
    high = ordered[np.minimum(np.searchsorted(ends, below + 1, side="right"), last)]
    return np.asarray(low + (position - below) * (high - low))
