"""Whole numbers that floats cannot tell apart, such as account numbers: they are kept as text unless asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LARGEST = 2**53  # beyond it neighbours are the same float


def beyond_floats(values: Iterable[object]) -> bool:
    """Whether some whole number cannot be told from its neighbour once it is a float.

    >>> beyond_floats([2**53, 1e300, None]), beyond_floats([1, -(2**53) - 1])
    (False, True)
    """
    return any(isinstance(value, int) and abs(value) > LARGEST for value in values)


def kept_as_text(column: str, asked: Mapping[str, str]) -> bool:
    """Whether a column of codes stays text: unless it is asked for as numbers."""
    return asked.get(column) not in ("integer", "continuous")


def note_of_text(column: str, reason: str) -> str:
    """What a reader should know of a column of numbers that was kept as text, and how to change it."""
    return f"{column!r} is kept as text: {reason}; give it the type number to make numbers of them"


BEYOND = "floats cannot tell whole numbers beyond 2^53 apart"
