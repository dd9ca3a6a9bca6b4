"""Dates and times as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Table, Trace, Traits, Transformer, estimator, learned, param
from ..core.validate.features import column_name
from ..core.validate.mixed_table import is_missing

DAY = 86_400.0
MAX_SECONDS = 1e17  # seconds that still have a calendar
KNOWN = ("year", "month", "day", "weekday", "hour", "days")


def _are_parts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(part in KNOWN for part in value)


def _is_float_type(value: Any) -> bool:
    return isinstance(value, (type, str, np.dtype)) and value in (np.float32, np.float64)


@estimator
class DateParts(Transformer):
    """Date features: year, month, day, weekday, hour, and days since 1970.

    z_part = part(x_j),    weekday = 0 for Monday;    days count on, with fractions for the time of day

    Takes dates of frames, NumPy and Python, and texts in the form 2024-05-17 or 2024-05-17T12:30. A missing or
    unreadable date becomes NaN in every part.

    >>> DateParts(parts=["year", "month", "weekday"]).fit_transform([["2024-05-17"], ["2023-01-01"]])
    array([[2.024e+03, 5.000e+00, 4.000e+00],
           [2.023e+03, 1.000e+00, 6.000e+00]])
    """

    title = "date features"
    traits = Traits(takes="table", missing="native")

    parts: Any = param(
        ("year", "month", "weekday", "hour", "days"),
        "components of the date, in order",
        accepts=_are_parts,
        says=f"a list of {', '.join(KNOWN)}",
    )
    dtype: Any = param(np.float64, "data type of the result", accepts=_is_float_type, says="a float")

    columns_: int = learned("number of datetime columns", counts="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.columns_ = data.p
        for j, column in enumerate(data.X.columns):
            moments = as_moments(column)
            bad = np.isnat(moments) & ~is_missing(column)
            if bad.any():
                row = int(np.argmax(bad))
                raise DataError(
                    f"DateParts: {column_name(data.names, j)} holds {column[row]!r:.40} in row {row}, which "
                    "is not a date"
                    "; write it as 2024-05-17"
                )
        trace.exact("each date is taken apart by itself")

    def _transform(self, X: Table) -> Array:
        blocks = []
        for column in X.columns:
            moments = as_moments(column)
            blocks += [_part(moments, part) for part in self.parts]
        return np.column_stack(blocks).astype(self.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{name}_{part}" for name in names for part in self.parts]


def as_moments(column: Array) -> Array:
    """A column of dates as NumPy datetimes in seconds; what cannot be parsed is NaT.

    >>> as_moments(np.array(["2024-05-17", "soon"], dtype=object))
    array(['2024-05-17T00:00:00', 'NaT'], dtype='datetime64[s]')
    """
    if column.dtype.kind == "M":
        return column.astype("datetime64[s]")
    if column.dtype.kind in "fiub":  # seconds since 1970
        column = column.astype(np.float64) if column.dtype.itemsize < 4 else column  # else the limit is infinite
        sound = np.isfinite(column) & (np.abs(column) < MAX_SECONDS)
        seconds = np.where(sound, column, 0).astype(np.int64).astype("datetime64[s]")
        return np.where(sound, seconds, np.datetime64("NaT"))
    return np.array([_moment(entry) for entry in column.tolist()], dtype="datetime64[s]")


def _moment(entry: Any) -> Any:
    try:
        if isinstance(entry, str):
            return np.datetime64(entry.strip().replace(" ", "T", 1).removesuffix("Z"), "s")
        if entry is None or entry != entry:
            return np.datetime64("NaT")
        if isinstance(entry, (int, float)):
            return np.datetime64(int(entry), "s") if abs(entry) < MAX_SECONDS else np.datetime64("NaT")
        return np.datetime64(entry, "s")
    except (ValueError, TypeError):
        return np.datetime64("NaT")


def _part(moments: Array, part: str) -> Array:
    gone = np.isnat(moments)
    days = moments.astype("datetime64[D]")
    seconds = np.where(gone, 0, moments.astype(np.int64)).astype(np.float64)
    months = days.astype("datetime64[M]")
    found: Any
    if part == "year":
        found = days.astype("datetime64[Y]").astype(np.int64) + 1970
    elif part == "month":
        found = months.astype(np.int64) % 12 + 1
    elif part == "day":
        found = (days - months).astype(np.int64) + 1
    elif part == "weekday":
        found = (days.astype(np.int64) + 3) % 7
    else:
        found = seconds % DAY // 3600 if part == "hour" else seconds / DAY
    return np.where(gone, np.nan, found)
