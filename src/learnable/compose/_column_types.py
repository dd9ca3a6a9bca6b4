"""What a column holds: numbers, few, many or very many categories, dates, text, or nothing that helps."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import numpy as np

from ..core import Array
from ..core.validate.identifier_columns import why_codes
from ..core.validate.mixed_table import CategoricalColumn, is_missing
from ..preprocessing.date_parts import as_moments

Kind = Literal["number", "few", "many", "very many", "date", "text", "nothing"]
KINDS: tuple[Kind, ...] = ("number", "few", "many", "very many", "date", "text", "nothing")
WORDS_OF_TEXT = 3.0  # texts have more words than names do
NUMBERS = (int, float, np.number, Decimal)
FIRST_ENTRIES = 2000  # entries that are parsed as dates or numbers before all are


def kind_of(part: Array | CategoricalColumn, few: int, very_many: int) -> Kind:
    """What a column holds; categories are few up to `few` different values, and very many from `very_many` on.

    What a frame calls categories are categories, whatever they look like; so are codes such as 00501, which would lose
    their zeros as numbers.

    >>> kind_of(np.array(["red", "blue", "red"], dtype=object), 10, 99), kind_of(np.array([1.5, 2.0]), 10, 99)
    ('few', 'number')
    """
    column = part.written() if isinstance(part, CategoricalColumn) else part
    if column.dtype.kind == "M":
        return "date"
    there = column[~is_missing(column)]
    if len(there) == 0:
        return "nothing"
    if isinstance(part, CategoricalColumn) and part.categories:
        return kind_of_categories(there, few, very_many)
    if column.dtype.kind in "fium":
        return "number"
    if column.dtype.kind == "b" or all(isinstance(entry, (bool, np.bool_)) for entry in there[:FIRST_ENTRIES].tolist()):
        return "few"
    return _kind_of_words(there, few, very_many)


def _kind_of_words(there: Array, few: int, very_many: int) -> Kind:
    first = there[:FIRST_ENTRIES].tolist()
    texts, numbers = (all(isinstance(entry, kind) for entry in first) for kind in (str, NUMBERS))
    if (numbers or (texts and as_numbers(there[:FIRST_ENTRIES]) is not None)) and as_numbers(there) is not None:
        codes = texts and why_codes([str(entry).strip() for entry in there.tolist()])
        return kind_of_categories(there, few, very_many) if codes else "number"
    if not numbers and _are_dates(there[:FIRST_ENTRIES]):
        return "date"
    found = kind_of_categories(there, few, very_many)
    if texts and found != "few" and _distinct(there) > len(there) / 2 and _words(first) > WORDS_OF_TEXT:
        return "text"
    return found


def kind_of_categories(column: Array, few: int, very_many: int) -> Kind:
    """Few, many or very many categories, whatever they look like: numbers may be names.

    >>> kind_of_categories(np.array(["00501", "10001"], dtype=object), 10, 99)
    'few'
    """
    distinct = _distinct(column[~is_missing(column)])
    return "nothing" if distinct == 0 else "few" if distinct <= few else "many" if distinct < very_many else "very many"


def _distinct(there: Array) -> int:
    return len(set(map(str, there.tolist())))


def _words(texts: list[str]) -> float:
    return float(np.mean([len(text.split()) for text in texts]))


def _are_dates(entries: Array) -> bool:
    """Whether every entry can be read as a date; most columns show with their first that they are none."""
    return not np.isnat(as_moments(entries[:1])).any() and not np.isnat(as_moments(entries)).any()


def as_numbers(column: Array) -> Array | None:
    """A column, perhaps of texts, as numbers with NaN for what is missing; None if some entry is not a number."""
    if column.dtype.kind == "m":  # durations, in days
        return np.asarray(column / np.timedelta64(1, "D"))
    if column.dtype.kind in "fiub":
        return column.astype(np.float64, copy=False) if column.dtype != np.float32 else column
    entries = [np.nan if missing else entry for entry, missing in zip(column.tolist(), is_missing(column), strict=True)]
    try:
        return np.array([float(entry) for entry in entries], dtype=np.float64)
    except (TypeError, ValueError):
        return None
