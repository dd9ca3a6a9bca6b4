"""Numbers that every layer means alike."""

from __future__ import annotations

from typing import Any

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)  # the relative rounding unit of double precision
TINY, HUGE = 1e-300, 1e300  # what is divided by, or kept, stays between these: no zero, no infinity


def beyond_floats(values: np.ndarray[Any, Any]) -> str:
    """What an array of Python's numbers holds that no float can, and what to do.

    >>> beyond_floats(np.array([1, 10**400], dtype=object))
    'holds a number beyond the range of floats in row 1; measure it in another unit'
    """
    row, *_ = next(place for place, value in np.ndenumerate(values) if not _fits(value))
    return f"holds a number beyond the range of floats in row {row}; measure it in another unit"


def _fits(value: Any) -> bool:
    """Whether it is no number, or one within the range of floats."""
    try:
        float(value)
    except OverflowError:
        return False
    except (TypeError, ValueError):
        pass
    return True
