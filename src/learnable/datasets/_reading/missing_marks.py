"""Declared markers of missing values, such as -999 or "refused"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core import Array
from .delimited_text import MISSING


def own_marks(missing: Sequence[str]) -> list[str]:
    """The markers of missing values beyond the standard ones."""
    return [mark for mark in missing if mark not in MISSING]


def without_marks(values: Array, marks: Sequence[str]) -> Array:
    """A column of numbers or texts, NaN or None where it holds a mark.

    >>> without_marks(np.array([3, -999]), ["-999"]), without_marks(np.array(["a", " x "], dtype=object), ["x"])
    (array([ 3., nan]), array(['a', None], dtype=object))
    """
    if not marks or values.dtype.kind not in "iufO":
        return values
    texts = values.dtype.kind == "O"
    if texts:
        gone = np.array([isinstance(value, str) and value.strip() in marks for value in values.tolist()], dtype=bool)
    else:
        gone = np.isin(values, [number for number in map(number_in, marks) if number is not None])
    if not gone.any():
        return values
    found = values.astype(np.float64) if values.dtype.kind in "iu" else values.copy()
    found[gone] = None if texts else np.nan
    return found


def number_in(mark: str) -> float | None:
    """A mark that is a number, such as -999."""
    try:
        return float(mark)
    except ValueError:
        return None
