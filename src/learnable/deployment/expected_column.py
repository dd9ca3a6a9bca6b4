"""Expected columns of a deployed model: name, type, and range or categories of the training rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..core import Array
from ..core.declare import registry
from ..core.validate.mixed_table import is_missing
from .column_histogram import ColumnHistogram

Holds = Literal["number", "category", "time", "text"]
MAX_LEVELS = 200  # a column with more distinct values is text
_layout = re.compile(r"(?:[.,].{0,3}|(?:%[dmbByYHMS][-./:, ]{0,2}){3,6})?")


@registry.value
@dataclass(frozen=True)
class ExpectedColumn:
    """An expected column with the range or the categories of the training rows.

    `low` and `high` are the minimum and the maximum (days since 1970 for times), `levels` the categories, `gaps` is
    whether values were missing. `written` is the text format (decimal sign and unit of numbers, layout of dates), empty
    if unknown. `histogram` counts the training rows of numbers and categories, to detect drift.

    >>> ExpectedColumn.of("age", np.array([20.0, 31.5, np.nan]))
    ExpectedColumn(name='age', holds='number', low=20.0, high=31.5, levels=[], gaps=True, written='')
    """

    name: str
    holds: Holds
    low: float | None
    high: float | None
    levels: list[str]
    gaps: bool
    written: str = ""
    histogram: ColumnHistogram | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, name: str, values: Array, written: str = "", *, text: bool = False) -> ExpectedColumn:
        """The expected column that describes the values of training rows; free `text` has no categories."""
        missing = is_missing(values)
        known, gaps = values[~missing], bool(missing.any())
        if values.dtype.kind in "Mfiu":
            numbers = _numbers(known)
            low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (None, None)
            if values.dtype.kind == "M":  # new rows are later
                return cls(name, "time", low, high, [], gaps, written)
            histogram = ColumnHistogram.of_numbers(values.astype(np.float64))
            return cls(name, "number", low, high, [], gaps, written, histogram)
        levels = sorted({str(value) for value in known.tolist()})
        many = text or len(levels) > MAX_LEVELS
        if many:
            return cls(name, "text", None, None, [], gaps)
        return cls(name, "category", None, None, levels, gaps, "", ColumnHistogram.of_categories(values, levels))

    def flaw(self) -> str:
        """The defect of a column from a file; empty if it is valid."""
        return "" if _layout.fullmatch(self.written) else f"{self.written!r:.40} is not a format of numbers or times"

    def strange(self, values: Array) -> Array:
        """Mask of entries outside the training data: beyond the range, or a category never seen."""
        missing = is_missing(values)
        if self.holds == "text":
            return np.zeros(len(values), dtype=bool)
        if self.holds == "category":
            seen = np.isin(np.array([str(value) for value in values.tolist()], dtype=object), self.levels)
            return np.asarray(~missing & ~seen)
        if self.low is None or self.high is None:
            return np.asarray(~missing)
        found = np.zeros(len(values), dtype=bool)
        numbers = _numbers(values[~missing])
        found[~missing] = (numbers < self.low) | (numbers > self.high)
        return found


def _numbers(values: Array) -> Array:
    """Numbers unchanged, times as days since 1970."""
    if values.dtype.kind == "M":
        return np.asarray((values - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
    return values.astype(np.float64)
