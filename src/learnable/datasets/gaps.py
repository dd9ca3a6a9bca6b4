"""Marks that somebody says mean no value, such as -999 or "refused"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import Array
from .separated import MISSING


def own_marks(missing: Sequence[str]) -> list[str]:
    """The marks that are not those of all tables."""
    return [mark for mark in missing if mark not in MISSING]


def without_marks(values: Array, marks: Sequence[str]) -> Array:
    """A column of numbers or texts, NaN or None where it holds a mark.

    >>> without_marks(np.array([3, -999]), ["-999"]), without_marks(np.array(["a", " x "], dtype=object), ["x"])
    (array([ 3., nan]), array(['a', None], dtype=object))
    """
    if not marks or values.dtype.kind not in "iufO":
        return values
    if values.dtype.kind == "O":
        gone = np.array([isinstance(value, str) and value.strip() in marks for value in values.tolist()], dtype=bool)
        return np.where(gone, None, values) if gone.any() else values
    gone = np.isin(values, [number for number in map(number_in, marks) if number is not None])
    return np.where(gone, np.nan, values) if gone.any() else values


def number_in(mark: str) -> float | None:
    """A mark that is a number, such as -999."""
    try:
        return float(mark)
    except ValueError:
        return None
