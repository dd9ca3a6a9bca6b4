"""Columns encoded for the audit: numbers and times as floats, other columns as integer codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.validate.mixed_table import is_missing


@dataclass(frozen=True, slots=True)
class Coded:
    """A label-encoded column: its distinct values in order of appearance and the code of each entry, -1 if missing."""

    codes: Array
    values: list[Any]

    @property
    def counts(self) -> Array:
        """The number of entries with each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


def holds_numbers(values: Array) -> bool:
    """Whether a column has an order and distances: numbers, truth values, times, durations."""
    return values.dtype.kind in "biufmM"


def as_numbers(values: Array) -> Array:
    """Numbers or times as floats, NaN where missing."""
    if values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    return values.astype(np.float64, copy=False)


def coded(values: Array) -> Coded:
    """The distinct values of a column and the codes of its entries; unhashable entries are compared by their text.

    >>> coded(np.array(["b", None, "a", "b"], dtype=object)).codes.tolist()
    [0, -1, 1, 0]
    """
    if holds_numbers(values):
        return _coded_numbers(as_numbers(values))
    entries = values.tolist()
    if set(map(type, entries)) <= {str, type(None)}:
        return _coded_texts(entries)
    indices: dict[Any, tuple[int, Any]] = {}
    missing = is_missing(values).tolist()
    codes = [_index_of_value(indices, entry, lost) for entry, lost in zip(entries, missing, strict=True)]
    return Coded(np.array(codes, dtype=np.int64), [entry for _, entry in indices.values()])


def _coded_texts(entries: list[str | None]) -> Coded:
    """Texts and None, hashed directly."""
    values = dict.fromkeys(entries)
    values.pop(None, None)
    indices: dict[str | None, int] = {value: index for index, value in enumerate(values)}
    indices[None] = -1
    return Coded(np.fromiter(map(indices.__getitem__, entries), np.int64, len(entries)), list(values))


def missing_mask(values: Array) -> Array:
    """Which entries are missing: `is_missing`, faster where all are texts."""
    if values.dtype.kind == "O" and set(map(type, values.tolist())) <= {str}:
        return np.zeros(len(values), dtype=bool)
    return is_missing(values)


def _coded_numbers(numbers: Array) -> Coded:
    values, codes = np.unique(numbers, return_inverse=True)
    return Coded(np.where(np.isnan(numbers), -1, codes), values[~np.isnan(values)].tolist())


def _index_of_value(indices: dict[Any, tuple[int, Any]], entry: Any, lost: bool) -> int:
    """The code of an entry: that of an equal one seen before, or a new one."""
    if lost:
        return -1
    key = entry if isinstance(entry, (str, bool, int, float)) else (type(entry).__name__, str(entry))
    return indices.setdefault(key, (len(indices), entry))[0]
