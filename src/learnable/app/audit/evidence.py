"""What a check hands over when it finds something, and how values and chances are put in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..text import MOST_LISTED


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers behind an alarm: its code, a sentence, and the columns that are meant."""

    code: str
    text: str
    columns: tuple[str, ...] = ()


Findings = Iterator[Evidence]


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
