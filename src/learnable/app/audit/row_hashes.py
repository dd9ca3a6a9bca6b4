"""Numbers that stand for whole rows or columns: equal for equal ones, and else different but for a chance in 1e19."""

from __future__ import annotations

import numpy as np

from ...core import Array

FIRST, SECOND, THIRD = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def scattered(bits: Array) -> Array:
    """Numbers of 64 bits thrown about so that near ones end far apart, in place. [Steele, Lea and Flood, 2014]"""
    for shift, factor in ((30, SECOND), (27, THIRD)):
        bits ^= bits >> np.uint64(shift)
        bits *= factor
    bits ^= bits >> np.uint64(31)
    return bits


def marks(stack: Array, axis: int, places: Array) -> Array:
    """Matrix of numbers or codes -> a mark for what runs along `axis`: a sum that knows the place of each entry.

    >>> first, swapped, again = marks(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), 1, np.arange(2))
    >>> bool(first == again), bool(first == swapped)
    (True, False)
    """
    numbers = stack.astype(np.float64) + 0.0  # -0 becomes 0
    numbers[np.isnan(numbers)] = np.nan  # one pattern of bits for all
    salt = scattered(places.astype(np.uint64) * FIRST + FIRST)
    bits = numbers.view(np.uint64)
    bits ^= salt if axis else salt[:, None]
    return np.asarray(scattered(bits).sum(axis=axis, dtype=np.uint64))
