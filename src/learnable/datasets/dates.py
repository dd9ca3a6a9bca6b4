"""Texts that are times: in which way a column writes them, told from all of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core import Array, ambient
from ..core.errors import DataError

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
}
DAYS = tuple(layout + clock for layout in WORDS for clock in CLOCKS)
FORMATS = (*DAYS, "%Y%m%d")
_order = re.compile(r"%([dm])([/-])%([dm])\2")  # in which day and month may change places
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
    known = next((text for text in values.tolist() if isinstance(text, str)), None)
    raise DataError(f"column {name!r} cannot be read as time, for example {known!r}; write dates as 2024-12-31")


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
    """The layout, and those with the same order of day and month, whether they tell the time of day or not.

    >>> kindred("%m/%d/%Y")
    ['%m/%d/%Y', '%m/%d/%Y %H:%M', '%m/%d/%Y %H:%M:%S']
    """
    days = next((days for days in WORDS if layout.startswith(days)), None)
    return [layout] if days is None else [days + clock for clock in CLOCKS]


def swapped(layout: str) -> str:
    """The layout with the month first for one with the day first in digits, and the other way round.

    >>> swapped("%d/%m/%Y %H:%M"), swapped("%Y/%m/%d"), swapped("%d.%m.%Y")
    ('%m/%d/%Y %H:%M', '', '')
    """
    found = _order.match(layout)
    return "" if found is None else found.expand(r"%\3\2%\1\2") + layout[found.end() :]


def may_be_swapped(values: Array, layout: str) -> bool:
    """Whether texts of a layout are other times, too, if day and month change places."""
    if not swapped(layout):
        return False
    times, others = times_in(values, layout), times_in(values, swapped(layout))
    return times is not None and others is not None and not np.array_equal(times, others, equal_nan=True)


def with_days(columns: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """The columns of texts that are all days such as 31.12.2024 or Dec 31, 2024, as times; their layouts; and notes.

    Between dots the month is never first. Between slashes or dashes it may be, which a day after the 12th tells;
    without one the column stays text.

    >>> with_days({"day": np.array(["12/31/2024"], dtype=object), "version": np.array(["1.0.2"], dtype=object)})[1:]
    ({'day': '%m/%d/%Y'}, ["'day' is read as month/day/year"])
    """
    found: dict[str, Array] = {}
    layouts: dict[str, str] = {}
    notes: list[str] = []
    for name, values in columns.items():
        ambient.give_way()
        layout, times = _day_layout(values)
        if times is None:
            continue
        if may_be_swapped(values, layout):
            notes.append(
                f"{name!r} is kept as text: its dates may begin with the day or the month; write them as 2024-12-31, "
                "or give it the type time if the day comes first"
            )
            continue
        found[name], layouts[name] = times, layout
        notes.append(f"{name!r} is read as {in_words(layout)}")
    return found, layouts, notes


def _day_layout(values: Array) -> tuple[str, Array | None]:
    """The layout of texts that are all days, and their times; None if they are none."""
    texts = [text for text in values.tolist() if isinstance(text, str)] if values.dtype.kind == "O" else []
    if not texts or not _day.fullmatch(texts[0]):
        return "", None
    for layout in DAYS:
        times = times_in(values, layout)
        if times is not None:
            return layout, times
    return "", None


def in_words(layout: str) -> str:
    """A layout as people say it.

    >>> in_words("%m/%d/%Y %H:%M")
    'month/day/year'
    """
    return next((said for known, said in WORDS.items() if layout.startswith(known)), "year-month-day")


def notes_on_days(name: str, values: Array, layout: str) -> list[str]:
    """Say which way dates such as 01/02/2024 were read if all of them could be read the other way too."""
    if not may_be_swapped(values, layout):
        return []
    return [f"{name!r} is read as {in_words(layout)}; write dates as 2024-12-31 if the month comes first"]
