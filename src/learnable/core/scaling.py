"""Units of data: powers of two that bring numbers into the range where squares and their sums are exact enough.

Squares of numbers beyond 1e154 overflow, and those of numbers below 1e-154 vanish. Algorithms that square, sum or
divide therefore work in another unit where the data need one: every entry times a power of two. That changes no digit,
so that results, brought back, are those of the same steps in a wider range; for ordinary data the unit is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .runtime.native import kernels
from .validate.features import Array, Matrix

SAFE = (1e-60, 1e60)  # the largest entries within this range can be squared, multiplied and summed as they are
SAFE_DISTANCES = (1e-100, 1e100)  # the same for one square of each entry
MAX_SUMMED = 1e150  # the largest entry whose sums over all rows stay finite
MAX_EXPONENT = 256  # power of two beyond which sums of squares may leave the range
MAX_DOUBLINGS = 1000  # of the smallest numbers: one more factor of two, and the power itself would overflow


def is_safe(sizes: Any, safe: tuple[float, float] = SAFE) -> Any:
    """Whether largest entries need no other unit; zeros never do.

    >>> is_safe(np.array([0.0, 1.0, 1e100])).tolist()
    [True, True, False]
    """
    return (sizes == 0) | ((safe[0] < sizes) & (sizes < safe[1]))


def power_of_two(size: Any) -> Any:
    """The power of two that brings a size, or each of several, to between one half and one; one for zero.

    >>> float(power_of_two(6.0)), float(power_of_two(0.0))
    (0.125, 1.0)
    """
    return np.ldexp(1.0, np.minimum(-np.frexp(size)[1], MAX_DOUBLINGS))


def power_of_two_scales(values: Matrix, together: bool = False, floor: float = 0.0) -> Array:
    """A power of two per column (or one for all) that brings its largest entry near one; exact to multiply by.

    Nothing is enlarged more than would bring `floor` near one.
    """
    largest = np.full(values.shape[1], largest_entry(values)) if together else column_sizes(values)
    return np.asarray(power_of_two(np.where(largest > 0, np.maximum(largest, floor), 1.0)))


def power_of_two_scale(values: Matrix) -> float:
    """The power of two that brings the largest entry near one."""
    largest = largest_entry(values)
    return float(power_of_two(largest)) if largest > 0 else 1.0


def unit_of(*tables: Matrix, safe: tuple[float, float] = SAFE) -> float:
    """A power of two that brings tables into a range in which their squares are safe; one if they are."""
    largest = max(largest_entry(table) for table in tables)
    return 1.0 if is_safe(largest, safe) else float(power_of_two(largest))


def power_of_two_near(table: Matrix, safe: tuple[float, float] = SAFE) -> float:
    """A power of two near the largest entry, to divide by, if its squares are not safe; otherwise one.

    >>> power_of_two_near(np.array([[3.0, -5.0]])), power_of_two_near(np.array([[2.0**900]])) == 2.0**901
    (1.0, True)
    """
    largest = largest_entry(table)
    if is_safe(largest, safe):
        return 1.0
    return float(np.ldexp(1.0, np.clip(np.frexp(largest)[1], -MAX_DOUBLINGS, MAX_DOUBLINGS)))


def finite_column_means(X: Array) -> Array:
    """The mean of each column, also where the sum of the entries would overflow."""
    unit = unit_of(X, safe=(0.0, MAX_SUMMED))
    return np.asarray((X * unit).mean(axis=0) / unit)


def unit_of_columns(X: Matrix) -> float:
    """As `unit_of`, so that no column is lost beside the others: between the largest and the smallest of them."""
    sizes = column_sizes(X)
    sizes = sizes[sizes > 0]
    if is_safe(sizes).all():
        return 1.0
    middle = (np.frexp(sizes.min())[1] + np.frexp(sizes.max())[1]) // 2
    return float(np.ldexp(1.0, min(-int(middle), MAX_DOUBLINGS)))


def in_common_unit(truth: Array, prediction: Array) -> tuple[Array, Array, Array]:
    """Both in a unit for each target, a power of two, in which squares stay in the range of numbers; its exponents.

    >>> [float(numbers[0]) for numbers in in_common_unit(np.array([2.0**900]), np.array([2.0**899]))[:2]]
    [0.5, 0.25]
    """
    exponent = np.frexp(np.maximum(np.abs(truth).max(axis=0, initial=0), np.abs(prediction).max(axis=0, initial=0)))[1]
    far = np.abs(exponent) > MAX_EXPONENT
    if not far.any():
        return truth, prediction, np.zeros_like(exponent)
    exponent = np.where(far, exponent, 0)
    return np.ldexp(truth, -exponent), np.ldexp(prediction, -exponent), exponent


def column_sizes(X: Matrix) -> Array:
    """The size of the largest entry of each column."""
    if not isinstance(X, np.ndarray):
        return np.asarray(abs(X).max(axis=0).toarray(), dtype=np.float64).ravel()
    return np.asarray(np.maximum(X.max(axis=0, initial=0.0), -X.min(axis=0, initial=0.0)), dtype=np.float64)


def largest_entry(X: Matrix) -> float:
    """The size of the largest entry, found without a copy."""
    values = X if isinstance(X, np.ndarray) else X.data
    if values.flags.forc and values.dtype.kind == "f":
        return kernels.largest_entry(values)
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))
