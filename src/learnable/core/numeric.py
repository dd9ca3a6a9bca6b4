"""Numeric constants and checks of numbers."""

from __future__ import annotations

from math import lgamma, log
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)  # the relative rounding unit of double precision
MAX_INT64 = 2**63 - 1  # up to which machines count
EXACT = 2**53  # up to which floats distinguish all whole numbers
TINY, HUGE = 1e-300, 1e300  # what is divided by, or kept, stays between these: no zero, no infinity
ASYMPTOTIC_FROM = 32  # from here on the series of `half_step` is exact but for rounding


def is_fraction(requested: Any) -> TypeGuard[float]:
    """Whether a size is given as a fraction (a number of any floating type) rather than a count.

    >>> is_fraction(1.0), is_fraction(np.float32(0.5)), is_fraction(np.int64(1))
    (True, True, False)
    """
    return isinstance(requested, Real) and not isinstance(requested, Integral)


def describe_beyond_floats(values: np.ndarray[Any, Any]) -> str:
    """What an array of Python's numbers holds that no float can, and what to do.

    >>> describe_beyond_floats(np.array([1, 10**400], dtype=object))
    'holds a number beyond the range of floats in row 1; measure it in another unit'
    """
    row, *_ = next(place for place, value in np.ndenumerate(values) if not _fits(value))
    return f"holds a number beyond the range of floats in row {row}; measure it in another unit"


def _fits(value: Any) -> bool:
    """Whether it is not a number, or a number within the range of floats."""
    try:
        float(value)
    except OverflowError:
        return False
    except (TypeError, ValueError):
        pass
    return True


def half_step(a: float) -> float:
    """log gamma(a + 1/2) - log gamma(a); for large `a` by its series, as both are large then and their digits cancel.

    >>> abs(half_step(40.0) - (lgamma(40.5) - lgamma(40.0))) < 1e-13
    True
    """
    if a < ASYMPTOTIC_FROM:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - (1 / 8 - (1 / 192 - (1 / 640 - 17 / 14336 / a**2) / a**2) / a**2) / a
