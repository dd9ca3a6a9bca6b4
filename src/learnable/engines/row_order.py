"""An order of rows that depends on what they hold alone."""

from __future__ import annotations

import numpy as np

from ..core.data import Array

STEP = 0x9E3779B97F4A7C15


def order_of_content(X: Array, y: Array) -> Array:
    """The rows, by numbers mixed from all that stands in them: equal rows side by side, others as if shuffled.

    Samples that are drawn by places in this order are the same however the rows come, and whether a row comes twice
    or weighs two.

    >>> X, y = np.array([[3.0], [1.0], [2.0]]), np.zeros(3)
    >>> first, again = X[order_of_content(X, y)], X[::-1][order_of_content(X[::-1], y)]
    >>> bool((first == again).all())
    True
    """
    mixed = np.zeros(len(X), dtype=np.uint64)
    for column in (*X.T, *y.reshape(len(y), -1).T):
        mixed = (mixed ^ _bits(column)) * np.uint64(STEP)
        mixed ^= mixed >> np.uint64(29)
    return np.argsort(mixed, kind="stable").astype(np.uint32)


def _bits(column: Array) -> Array:
    """Bits of numbers in single precision, whatever theirs and whatever their unit; both zeros are one."""
    size = np.max(np.abs(column), initial=0.0, where=np.isfinite(column))
    scaled = np.ldexp(column, -np.frexp(size)[1]).astype(np.float32) + np.float32(0)
    return np.asarray(scaled.view(np.uint32).astype(np.uint64))
