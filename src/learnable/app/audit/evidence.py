"""Evidence that a check returns, and how values and p-values are written in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..text import MAX_LISTED


@dataclass(frozen=True, slots=True)
class AlarmEvidence:
    """The evidence of an alarm: its code, a sentence, and the columns concerned."""

    code: str
    text: str
    columns: tuple[str, ...] = ()


Findings = Iterator[AlarmEvidence]


def value_text(value: Any) -> str:
    """A value for display, truncated if it is long."""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def p_value_text(p_value: float) -> str:
    """A p-value for display: `p = 0.0021` or `p < 0.001`."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def drop_flags(columns: Sequence[str]) -> str:
    """The options of the command that leave columns out."""
    more = " ..." if len(columns) > MAX_LISTED else ""
    return " ".join(f"--drop {shlex.quote(name)}" for name in columns[:MAX_LISTED]) + more
