"""The steps of a time series: times as whole numbers, such as days or months since the first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare import registry
from ..core.validate.mixed_table import is_missing
from ..preprocessing.date_parts import as_moments

DAY = 86_400_000_000  # microseconds
MAX_EMPTY = 20  # maximum number of steps for each time that occurs; with more, times are counted instead
STEP_TOLERANCE = 1e-3  # fraction of a step that rounding may take from a number
NEVER = np.iinfo(np.int64).min // 4  # the step of a missing time
UNITS = {DAY * 7: "week", DAY: "day", DAY // 24: "hour", DAY // 1440: "minute", DAY // 86_400: "second"}
SEASON_OF_STEP = {DAY: 7, DAY * 7: 52}
OF_A_YEAR = (4, 12, 24, 52)  # steps of a year that is written as a number, such as 1949.25
_quarter = re.compile(r"(\d{4})[- ]?Q([1-4])")

Kind = Literal["time", "month", "number", "order"]


@registry.value
@dataclass(frozen=True)
class TimeGrid:
    """The regular grid of the times of a table; a time between two steps belongs to the earlier one.

    step(t) = floor((t - origin) / width)

    `width` is in microseconds for the kind "time", in months for "month", in the units of the column for "number".
    Times without a regular step are counted ("order"): `known` are those of the table, and all later ones follow them
    by one step.

    >>> days = np.array(["2024-05-01", "2024-05-02", "2024-05-04"], dtype="datetime64[D]")
    >>> TimeGrid.of(days).steps(days).tolist(), TimeGrid.of(days).unit
    ([0, 1, 3], 'day')
    """

    kind: Kind
    width: float = 1.0
    origin: float = 0.0
    known: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, moments: Array) -> TimeGrid:
        """The grid of some times: of one month or more, or the greatest common divisor of their differences."""
        moments = np.asarray(moments)
        if moments.ndim != 1 or not len(moments) or moments.dtype.kind not in "MOUifub":
            raise DataError(
                "TimeGrid.of: times must be a list of at least one date, number or text; got the shape "
                f"{moments.shape} of {moments.dtype}"
            )
        moments = moments.astype(object) if moments.dtype.kind == "U" else moments
        months = _months(moments)
        if months is not None:
            return cls("month", float(_common(months)), float(months.min()))
        if moments.dtype.kind == "O":
            return cls("order", known=sorted({str(one) for one in moments.tolist()}))
        kind: Kind = "time" if moments.dtype.kind == "M" else "number"
        values = np.unique(_values(moments))
        whole = values.astype(np.int64) if kind == "time" or not (values % 1).any() else None
        width = float(_common(whole)) if whole is not None else _common_fraction(values)
        if not width or (values[-1] - values[0]) / width > MAX_EMPTY * len(values):
            return cls("order", known=values.tolist())
        return cls(kind, width, float(values[0]))

    def flaw(self) -> str:
        """The defect of a grid from a file; empty if it is valid."""
        if not (np.isfinite([self.width, self.origin]).all() and self.width > 0):
            return "the width of a step must be positive"
        alike = {str if isinstance(one, str) else float for one in self.known}
        return "known times must be sorted" if len(alike) > 1 or self.known != sorted(self.known) else ""

    def steps(self, moments: Array) -> Array:
        """The step of each time; `NEVER` where it is missing."""
        if moments.dtype.kind == "O" and self.kind in ("time", "month"):
            moments = _quarters(moments) if self.kind == "month" and _are_quarters(moments) else as_moments(moments)
        missing = is_missing(moments)
        if self.kind == "order":
            texts = bool(self.known) and isinstance(self.known[0], str)
            values = moments.astype(str) if texts else np.where(missing, 0, _values(moments))
            found = np.searchsorted(np.array(self.known), values, side="left")
        elif self.kind == "month":
            found = np.floor_divide(_month_numbers(moments) - int(self.origin), int(self.width))
        else:
            values = np.where(missing, 0.0, _values(moments))
            found = np.floor((values - self.origin) / self.width + STEP_TOLERANCE)
        return np.where(missing, NEVER, np.clip(found, -(2**53), 2**53)).astype(np.int64)

    @property
    def unit(self) -> str:
        """One step in words."""
        if self.kind == "month":
            return {1: "month", 3: "quarter", 12: "year"}.get(int(self.width), f"step of {self.width:.0f} months")
        return UNITS.get(int(self.width), "step") if self.kind == "time" else "step"

    @property
    def season(self) -> int:
        """The number of steps of the season that the calendar suggests; 0 if it suggests none."""
        if self.kind == "month":
            return int(12 // self.width) if self.width < 12 and 12 % self.width == 0 else 0
        if self.kind == "number":
            return next((one for one in OF_A_YEAR if abs(self.width * one - 1) < 1e-3), 0)
        if self.kind == "order":
            return 0
        if self.width < DAY and DAY % self.width == 0:
            return int(DAY // self.width)
        return SEASON_OF_STEP.get(int(self.width), 0)


def _values(moments: Array) -> Array:
    """Times in microseconds since 1970, numbers as they are."""
    if moments.dtype.kind == "M":
        return moments.astype("datetime64[us]").astype(np.int64).astype(np.float64)
    return moments.astype(np.float64)


def _common(values: Array) -> int:
    """The greatest common divisor of the differences of whole numbers; 0 if all are equal."""
    return int(np.gcd.reduce(np.diff(np.unique(values.astype(np.int64))))) if len(values) > 1 else 0


def _common_fraction(values: Array) -> float:
    """The smallest difference of numbers, if all others are multiples of it, otherwise 0."""
    differences = np.diff(values)
    smallest = float(differences.min(initial=np.inf))
    turns = differences / smallest
    if not np.isfinite(smallest) or (np.abs(turns - turns.round()) > STEP_TOLERANCE).any():
        return 0.0
    return float((values[-1] - values[0]) / turns.round().sum())


def _months(moments: Array) -> Array | None:
    """Times as months, if all are on the same day of a month, at its end, or quarters as text; None otherwise."""
    if moments.dtype.kind == "O":
        return _month_numbers(_quarters(moments)) if _are_quarters(moments) else None
    if moments.dtype.kind != "M":
        return None
    days, months = moments.astype("datetime64[D]"), moments.astype("datetime64[M]")
    day_of_month = np.unique((days - months).astype(np.int64))
    clock = np.unique((moments - days).astype("timedelta64[us]").astype(np.int64))
    last = bool(((days + 1).astype("datetime64[M]") > months).all())
    numbers = months.astype(np.int64)
    apart = len(np.unique(numbers)) == len(np.unique(days)) > 1
    return numbers if len(clock) == 1 and apart and (len(day_of_month) == 1 or last) else None


def _month_numbers(moments: Array) -> Array:
    return np.asarray(moments.astype("datetime64[M]").astype(np.int64))


def _are_quarters(moments: Array) -> bool:
    return len(moments) > 0 and all(
        isinstance(one, str) and _quarter.fullmatch(one.strip()) for one in moments.tolist()
    )


def _quarters(moments: Array) -> Array:
    """Texts such as 2024Q3 as the first months of the quarters."""
    found = [_quarter.fullmatch(one.strip()) for one in moments.tolist()]
    return np.array([f"{one[1]}-{3 * int(one[2]) - 2:02d}" for one in found if one], dtype="datetime64[M]")
