"""Downdates of sums: the removal of samples from sufficient statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.validate.features import Array

ROUNDING = 1e-12  # relative change of a sum by the order of additions
TOO_MUCH = 1e-9  # relative excess that only a sample outside the sum can cause


def left(whole: Any, part: Any) -> Array:
    """The remainder of non-negative sums after a part is subtracted; a `DataError` if it would be negative.

    >>> left(np.array([3.0, 0.3]), np.array([1.0, 0.1 + 0.2]))
    array([2., 0.])
    """
    rest = np.subtract(whole, part)
    refuse_strangers(rest < -TOO_MUCH * np.asarray(whole))
    return np.where(rest > ROUNDING * np.asarray(whole), rest, 0.0)


def refuse_strangers(strange: Any) -> None:
    """Raise a `DataError` if any removed sample was not in the sum."""
    if np.any(strange):
        raise DataError(
            "these rows, with these classes and weights, were never learned together: removing them would leave "
            "negative weights; pass rows exactly as they were fitted, each at most as often"
        )


def scatter_left(whole: Any, part: Any, between: Any, weight: Any, mean: Any) -> Array:
    """The remaining squares about the mean: the whole without those of the part and those between both.

    `weight` and `mean` of the whole give the tolerance for rounding of the means.
    """
    rest = whole - part - between
    refuse_strangers(rest < -TOO_MUCH * np.asarray(whole) - weight * (ROUNDING * np.asarray(mean)) ** 2)
    return np.asarray(np.maximum(rest, 0.0))
