"""Texts that are times: in which way a column writes them, told from all of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core import Array, ambient
from ..core.errors import DataError

CLOCKS = ("", " %H:%M", " %H:%M:%S")
DOTTED, DAY_FIRST, MONTH_FIRST = "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"
FORMATS = (
    *(layout + clock for layout in (DOTTED, DAY_FIRST, MONTH_FIRST) for clock in CLOCKS),
    "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d",
)  # fmt: skip
WORDS = {DOTTED: "day.month.year", DAY_FIRST: "day/month/year", MONTH_FIRST: "month/day/year"}
_day = re.compile(r"\d{1,2}([./])\d{1,2}\1\d{4}(?: \d{1,2}:\d{2}(?::\d{2})?)?")


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
    """The layout with the month first for one with the day first between slashes, and the other way round.

    >>> swapped("%d/%m/%Y %H:%M"), swapped("%Y/%m/%d")
    ('%m/%d/%Y %H:%M', '')
    """
    pairs = ((DAY_FIRST, MONTH_FIRST), (MONTH_FIRST, DAY_FIRST))
    return next((other + layout[len(one) :] for one, other in pairs if layout.startswith(one)), "")


def may_be_swapped(values: Array, layout: str) -> bool:
    """Whether texts of a layout are other times, too, if day and month change places."""
    if not swapped(layout):
        return False
    times, others = times_in(values, layout), times_in(values, swapped(layout))
    return times is not None and others is not None and not np.array_equal(times, others, equal_nan=True)


def with_days(columns: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """The columns of texts that are all days such as 31.12.2024 or 12/31/2024, as times; their layouts; and notes.

    Between dots the month is never first. Between slashes it may be, which a day after the 12th tells; without one the
    column stays text.

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
    if not texts or not _day.fullmatch(texts[0]) or not all(map(_day.fullmatch, set(texts))):
        return "", None
    for layout in FORMATS:
        times = times_in(values, layout) if layout.startswith(tuple(WORDS)) else None
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
