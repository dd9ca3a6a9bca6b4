"""Sums of which a part is taken out again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.validate.features import Array

ROUNDING = 1e-12  # share of a sum that additions in another order may change
TOO_MUCH = 1e-9  # share by which a part that is in a sum is never above it


def left(whole: Any, part: Any) -> Array:
    """What is left of sums of numbers that are not negative; a `DataError` where the part cannot be in the whole.

    >>> left(np.array([3.0, 0.3]), np.array([1.0, 0.1 + 0.2]))
    array([2., 0.])
    """
    rest = np.subtract(whole, part)
    refuse_strangers(rest < -TOO_MUCH * np.asarray(whole))
    return np.where(rest > ROUNDING * np.asarray(whole), rest, 0.0)


def refuse_strangers(strange: Any) -> None:
    """Raise a `DataError` if any part is not in its whole."""
    if np.any(strange):
        raise DataError(
            "these rows, with these classes and weights, were never learned together: taking them out would leave less "
            "than nothing; pass rows exactly as they were fitted, each at most as often"
        )


def scatter_left(whole: Any, part: Any, between: Any, weight: Any, mean: Any) -> Array:
    """Squares about the mean that are left: the whole without those of the part and those between both.

    `weight` and `mean` of the whole say how much of them may be rounding of the means.
    """
    rest = whole - part - between
    refuse_strangers(rest < -TOO_MUCH * np.asarray(whole) - weight * (ROUNDING * np.asarray(mean)) ** 2)
    return np.asarray(np.maximum(rest, 0.0))
