"""64-bit hashes of whole rows or columns: equal for equal ones, otherwise different up to a probability of 1e-19."""

from __future__ import annotations

import numpy as np

from ...core import Array

FIRST, SECOND, THIRD = (
    np.uint64(constant) for constant in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def mix_bits(bits: Array) -> Array:
    """Mix 64-bit integers in place, so that close ones end far apart (SplitMix64). [Steele, Lea and Flood, 2014]"""
    for shift, factor in ((30, SECOND), (27, THIRD)):
        bits ^= bits >> np.uint64(shift)
        bits *= factor
    bits ^= bits >> np.uint64(31)
    return bits


def hash_vectors(stack: Array, axis: int, indices: Array) -> Array:
    """Hashes of the vectors along `axis` of a matrix of numbers or codes: sums that depend on the index of each entry.

    >>> first, swapped, again = hash_vectors(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), 1, np.arange(2))
    >>> bool(first == again), bool(first == swapped)
    (True, False)
    """
    numbers = stack.astype(np.float64) + 0.0  # -0 becomes 0
    numbers[np.isnan(numbers)] = np.nan  # one bit pattern for all
    salt = mix_bits(indices.astype(np.uint64) * FIRST + FIRST)
    bits = numbers.view(np.uint64)
    bits ^= salt if axis else salt[:, None]
    return np.asarray(mix_bits(bits).sum(axis=axis, dtype=np.uint64))
