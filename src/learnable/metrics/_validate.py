"""What metrics accept: numbers, weights and positive classes, checked once, with messages that say what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.runtime.native import kernels
from ..core.validate.targets import TargetValidator, as_column_array


def column(owner: str, values: Any, name: str) -> Array:
    """`values` (a list, Series, frame or array) as an array."""
    try:
        return as_column_array(values)
    except ValueError as error:
        raise DataError(f"{owner}: {name} cannot be read as an array: {error}") from None


def same_length(owner: str, **arrays: Array | None) -> None:
    """Refuse arrays of different numbers of rows, or none."""
    lengths = {name: len(values) for name, values in arrays.items() if values is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise DataError(f"{owner}: the arguments must have the same number of rows: {listed}")
    if 0 in lengths.values():
        raise DataError(f"{owner}: there are no rows: 0 sample(s) while a minimum of 1 is required.")


def numbers(owner: str, values: Any, name: str) -> Array:
    """`values` as finite numbers in double precision."""
    array = column(owner, values, name)
    if array.dtype.kind not in "fiubO":
        kind = "Complex data not supported" if array.dtype.kind == "c" else f"{name} holds {array.dtype}, not numbers"
        raise DataError(f"{owner}: {kind}; convert it to real numbers")
    try:
        array = np.require(array, np.float64, ["C", "A"])
    except (TypeError, ValueError):
        raise DataError(f"{owner}: {name} holds entries that are not numbers; convert them first") from None
    bad = kernels.first_non_finite(array)
    if bad >= 0:
        word = "NaN" if np.isnan(array.ravel()[bad]) else "infinity"
        row = bad // max(1, array.size // max(1, len(array)))
        raise DataError(f"{owner}: Input contains {word}: {name} in row {row}; drop or fill such rows first")
    return array


def weights(owner: str, sample_weight: Any, rows: int) -> Array | None:
    """Sample weights in double precision, not negative and not all zero; None where all rows count alike."""
    return TargetValidator(owner).weights(sample_weight, rows)


def scores_column(owner: str, y_score: Any, name: str = "y_score") -> Array:
    """One finite score a row."""
    scores = numbers(owner, y_score, name)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        several = "; take the column of one class, and say which rows are of it" if scores.ndim == 2 else ""
        raise DataError(f"{owner}: {name} must be one column of numbers; its shape is {scores.shape}{several}")
    return scores
