"""Columns of codes that look like numbers: they are kept as text unless numbers are requested."""

from __future__ import annotations

from collections.abc import Mapping


def kept_as_text(column: str, requested: Mapping[str, str]) -> bool:
    """Whether a column of codes stays text: unless it is requested as numbers."""
    return requested.get(column) not in ("integer", "continuous")


def may_be_numbers(column: str, requested: Mapping[str, str]) -> bool:
    """Whether texts of a column may be read as numbers: unless another type is requested."""
    return requested.get(column, "integer") in ("integer", "continuous")


def note_of_text(column: str, reason: str) -> str:
    """What a reader should know of a column of numbers that was kept as text, and how to change it."""
    return f"{column!r} is kept as text: {reason}; give it the type number to make numbers of them"
