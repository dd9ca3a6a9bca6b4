"""Dates and times as text: the format of a column, inferred from all of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.runtime import context

CLOCKS = ("", " %H:%M", " %H:%M:%S")
WORDS = {
    "%d.%m.%Y": "day.month.year",
    "%d/%m/%Y": "day/month/year",
    "%m/%d/%Y": "month/day/year",
    "%d-%m-%Y": "day-month-year",
    "%m-%d-%Y": "month-day-year",
    "%Y/%m/%d": "year/month/day",
    "%d-%b-%Y": "day-month-year",
    "%d %b %Y": "day month year",
    "%d %B %Y": "day month year",
    "%b %d, %Y": "month day, year",
    "%B %d, %Y": "month day, year",
    "%d.%m.%y": "day.month.year",
    "%d/%m/%y": "day/month/year",
    "%m/%d/%y": "month/day/year",
    "%y/%m/%d": "year/month/day",
    "%d-%m-%y": "day-month-year",
    "%m-%d-%y": "month-day-year",
    "%y-%m-%d": "year-month-day",
    "%d-%b-%y": "day-month-year",
    "%d %b %y": "day month year",
    "%b %d, %y": "month day, year",
}
DAYS = tuple(layout + clock for layout in WORDS for clock in CLOCKS)
FORMATS = (*DAYS, "%Y%m%d")
CENTURIES = (2030, 2068)  # years that some programs write as 30 to 68, while others mean 1930 to 1968 by these
_order = re.compile(r"%([dmy])([/-])%([dm])\2%([dyY])")  # in digits, whose components may be swapped
_padded = re.compile(r"\d\d\.\d\d\.\d\d(?!\d)")
_day = re.compile(
    r"(?:[A-Za-z]+ )?\d{1,4}(?:[-./ ](?:\d{1,2}|[A-Za-z]+)[-./ ]|, )\d{1,4}(?: \d{1,2}:\d{2}(?::\d{2})?)?"
)


def times_of(name: str, values: Array) -> Array:
    """Texts as times: ISO 8601, or the first of the usual ways to write a date that fits them all."""
    return read_times(name, values)[0]


def read_times(name: str, values: Array) -> tuple[Array, str]:
    """Texts as times, and the layout that fits them all: empty for ISO 8601."""
    for layout in ("", *FORMATS):
        times = times_in(values, layout)
        if times is not None:
            return times, layout
    raise DataError(
        f"column {name!r} cannot be read as time, for example {_unreadable(values)!r}; write dates as 2024-12-31"
    )


def _unreadable(values: Array) -> Any:
    """The text at which the layout stops that fits the most texts from the first on."""
    texts = values.tolist()
    return texts[max(_fitting(texts, layout) for layout in ("", *FORMATS))]


def _fitting(texts: list[Any], layout: str) -> int:
    """The number of texts before the first that does not fit."""
    for count, text in enumerate(texts):
        try:
            _time(text, layout)
        except (TypeError, ValueError):
            return count
    return len(texts) - 1


def times_in(values: Array, layout: str) -> Array | None:
    """The texts as times if the layout fits them all, each of them read once."""
    found: dict[Any, Any] = {}
    try:
        for text in values.tolist():
            if text not in found:
                found[text] = _time(text, layout)
    except (TypeError, ValueError):
        return None
    return np.array([found[text] for text in values.tolist()], dtype="datetime64[us]")


def _time(text: Any, layout: str) -> Any:
    from datetime import UTC, datetime

    if text is None or text != text:
        return None
    found = datetime.strptime(str(text), layout) if layout else datetime.fromisoformat(str(text))
    return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)


def kindred(layout: str) -> list[str]:
    """The layout, and those with the same order of day and month, for years of 4 or 2 digits and any time of day.

    >>> kindred("%m/%d/%Y")[:4]
    ['%m/%d/%Y', '%m/%d/%Y %H:%M', '%m/%d/%Y %H:%M:%S', '%m/%d/%y']
    """
    days = next((days for days in WORDS if layout.startswith(days)), None)
    if days is None:
        return [layout]
    other = days.replace("%Y", "%y") if "%Y" in days else days.replace("%y", "%Y")
    return [way + clock for way in (days, other) if way in WORDS for clock in CLOCKS]


def rivals(layout: str) -> list[str]:
    """The layouts whose parts, written in digits, stand in another order.

    >>> rivals("%d/%m/%Y %H:%M"), rivals("%d-%m-%y"), rivals("%d.%m.%Y")
    (['%m/%d/%Y %H:%M'], ['%m-%d-%y', '%y-%m-%d'], [])
    """
    found = _order.match(layout)
    if found is None:
        return []
    orders = ("dmY", "mdY") if "Y" in found[4] else ("dmy", "mdy", "ymd")
    ways = [found[2].join(f"%{part}" for part in order) + layout[found.end() :] for order in orders]
    return [way for way in ways if way != layout]


def is_unclear(values: Array, layout: str) -> bool:
    """Whether dates of a layout are ambiguous: day and month may be swapped, or the century is missing."""
    times = times_in(values, layout)
    if times is None:
        return False
    found = ((way, times_in(values, way)) for way in rivals(layout))
    others = [other for way, other in found if other is not None and of_one_century(other, way)]
    differ = any(not np.array_equal(times, other, equal_nan=True) for other in others)
    return differ or not of_one_century(times, layout)


def of_one_century(times: Array, layout: str) -> bool:
    """Whether all programs take the two digits of years for the same year."""
    if "%y" not in layout:
        return True
    years = times[~np.isnat(times)].astype("datetime64[Y]").astype(int) + 1970
    return not ((years >= CENTURIES[0]) & (years <= CENTURIES[1])).any()


def with_days(columns: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """The columns of texts that are all days such as 31.12.2024 or Dec 31, 2024, as times; their layouts; and notes.

    Between dots the month is never first. Between slashes or dashes it may be, which a day after the 12th decides;
    without one the column stays text. Two digits are a year if only one order of day, month and year fits all dates:
    00 to 29 are of this century and 69 to 99 of the last, and from 30 to 68 they are not clear.

    >>> with_days({"day": np.array(["12/31/2024"], dtype=object), "version": np.array(["1.0.2"], dtype=object)})[1:]
    ({'day': '%m/%d/%Y'}, ["'day' is read as month/day/year"])
    """
    found: dict[str, Array] = {}
    layouts: dict[str, str] = {}
    notes: list[str] = []
    for name, values in columns.items():
        context.give_way()
        layout, times = _day_layout(values)
        if times is None:
            continue
        if is_unclear(values, layout):
            notes.append(_ambiguity_note(name, times, layout))
            continue
        found[name], layouts[name] = times, layout
        notes.append(f"{name!r} is read as {in_words(layout)}{_example(values, times, layout)}")
    return found, layouts, notes


def _ambiguity_note(name: str, times: Array, layout: str) -> str:
    """Say why dates are kept as text."""
    if not of_one_century(times, layout):
        return f"{name!r} is kept as text: its years of two digits may be 19.. or 20..; write dates as 2024-12-31"
    parts = "the day or the month" if "%Y" in layout else "the day, the month or the year"
    return (
        f"{name!r} is kept as text: its dates may begin with {parts}; write them as 2024-12-31, or give it the type "
        "time if the day comes first"
    )


def _example(values: Array, times: Array, layout: str) -> str:
    """A date whose year has two digits, and the day that it was read as."""
    if "%y" not in layout:
        return ""
    row = int(np.argmax(~np.isnat(times)))
    return f", {values[row]!r} as {times[row].astype('datetime64[D]')}"


def _day_layout(values: Array) -> tuple[str, Array | None]:
    """The layout of texts that are all days, and their times; None if they are none."""
    texts = [text for text in values.tolist() if isinstance(text, str)] if values.dtype.kind == "O" else []
    if not texts or not _day.fullmatch(texts[0]):
        return "", None
    fitting = [(layout, times) for layout in DAYS if (times := _days_in(values, layout)) is not None]
    clear = (found for found in fitting if of_one_century(found[1], found[0]))
    return next(clear, fitting[0] if fitting else ("", None))


def _days_in(values: Array, layout: str) -> Array | None:
    """The texts as times if the layout fits them all; 1.2.24 is a version as well as a day, and 31.12.24 is a day."""
    times = times_in(values, layout)
    if times is None or not layout.startswith("%d.%m.%y"):
        return times
    padded = all(_padded.match(text) for text in values.tolist() if isinstance(text, str))
    return times if padded and (_days_of_months(times) > 12).any() else None


def _days_of_months(times: Array) -> Array:
    days = times[~np.isnat(times)].astype("datetime64[D]")
    return np.asarray((days - days.astype("datetime64[M]")).astype(int) + 1)


def in_words(layout: str) -> str:
    """A layout as people say it.

    >>> in_words("%m/%d/%Y %H:%M")
    'month/day/year'
    """
    return next((said for known, said in WORDS.items() if layout.startswith(known)), "year-month-day")


def notes_on_days(name: str, values: Array, layout: str) -> list[str]:
    """Note how ambiguous dates such as 01/02/2024 were read."""
    if not is_unclear(values, layout):
        return []
    years = ", years from 69 on as 19.. and others as 20.." if "%y" in layout else ""
    return [f"{name!r} is read as {in_words(layout)}{years}; write dates as 2024-12-31 if that is not so"]
