"""What a check hands over when it finds something, and how lists and counts are put in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MOST_LISTED = 5  # names or values that a sentence spells out


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers behind an alarm: its code, a sentence, and the columns that are meant."""

    code: str
    text: str
    columns: tuple[str, ...] = ()


Findings = Iterator[Evidence]


def listed(entries: Sequence[Any]) -> str:
    """The first few entries in a row, and how many more there are.

    >>> listed(["a", "b"]), listed(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    more = len(entries) - MOST_LISTED
    return ", ".join(map(str, entries[:MOST_LISTED])) + (f" and {more} more" if more > 0 else "")


def counted(count: int, thing: str) -> str:
    """A count and what is counted: `1 row`, `2 rows`."""
    plural = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}es" if thing.endswith("ss") else f"{thing}s"
    return f"{count} {thing if count == 1 else plural}"


def percent(share: float) -> str:
    """A share in percent, never rounded to all or nothing.

    >>> percent(0.25), percent(0.99996), percent(0.00001)
    ('25 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if 0.999 < share < 1:
        return "more than 99.9 %"
    return "less than 0.1 %" if 0 < share < 0.001 else f"{100 * share:.3g} %"


def shown(value: Any) -> str:
    """A value as a person would write it, cut if it is long."""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def chance(p_value: float) -> str:
    """A p value in words: `p = 0.0021` or `p < 0.001`."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def drop_flags(columns: Sequence[str]) -> str:
    """What to add to the command to leave columns out."""
    more = " ..." if len(columns) > MOST_LISTED else ""
    return " ".join(f"--drop {shlex.quote(name)}" for name in columns[:MOST_LISTED]) + more
