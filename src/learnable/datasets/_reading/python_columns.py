"""Columns of Python values: numbers, times or texts, exact wherever a float would not be."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from math import isinf
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.validate.identifier_columns import BEYOND, has_inexact_integers
from .amounts import means_missing, missing_note
from .integer_codes import kept_as_text, may_be_numbers, note_of_text

Columns = tuple[dict[str, Array], list[str]]  # columns by name, and notes on what was guessed


class Written(float):
    """A float that remembers how it was written.

    >>> Written("1.50"), Written("1.50").text
    (1.5, '1.50')
    """

    text: str

    def __new__(cls, text: str) -> Written:
        number = super().__new__(cls, text)
        if isinf(number):
            raise ValueError(f"{text:.40} is a number beyond the range of floats; measure it in another unit")
        number.text = text
        return number


def plain_columns(entries: Mapping[str, Iterable[Any]], requested: Mapping[str, str], name: str) -> Columns:
    """The columns, as numbers, times or texts; `requested` holds the requested types of columns."""
    listed = {column: list(values) for column, values in entries.items()}
    words = {column: _missing_words(values) for column, values in listed.items() if may_be_numbers(column, requested)}
    for column in filter(words.get, words):
        listed[column] = [None if isinstance(value, str) else value for value in listed[column]]
    beyond = [column for column, values in listed.items() if kept_as_text(column, requested) and _beyond_floats(values)]
    columns = {
        column: _column(
            values, column in beyond or requested.get(column) == "categorical", f"{name}: column {column!r}"
        )
        for column, values in listed.items()
    }
    notes = [note_of_text(column, BEYOND) for column in beyond if column not in requested]
    read = {column: found for column, found in words.items() if found and column not in requested}
    return columns, notes + [f"{column!r} is read as numbers{missing_note(found)}" for column, found in read.items()]


def _missing_words(values: list[Any]) -> list[str]:
    """The words in a column whose other entries are numbers, if all of them stand for missing values."""
    words = {value for value in values if isinstance(value, str)}
    if not words or not all(map(means_missing, words)):
        return []
    others = [value for value in values if value is not None and not isinstance(value, str)]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in others)
    return sorted(words) if others and numbers else []


def texts(cells: Iterable[str | None]) -> Array:
    """Texts, None where there is none, as a column."""
    listed = list(cells)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column


def _beyond_floats(values: list[Any]) -> bool:
    known = [value for value in values if value is not None]
    return all(type(value) is int for value in known) and has_inexact_integers(known)


def _column(values: list[Any], as_text: bool, where: str) -> Array:
    if not as_text and all(value is None or isinstance(value, (int, float)) for value in values):
        return _numbers(values, where)
    if not as_text and all(value is None or isinstance(value, date) for value in values):
        return np.array(values, dtype="datetime64[us]")
    return texts(None if value is None else _text(value) for value in values)


def _numbers(values: list[Any], where: str) -> Array:
    try:
        return np.array([np.nan if value is None else float(value) for value in values])
    except OverflowError:
        largest = max((value for value in values if isinstance(value, int)), key=abs)
        raise DataError(
            f"{where} holds {str(largest)!r:.40}, a number beyond the range of floats; measure it in another unit, or "
            "ask for the column as text"
        ) from None


def _text(value: Any) -> str:
    """A value as it was written; lists and records as JSON."""
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, (bool, dict, list, tuple)):
        return json.dumps(value, default=str)
    return value.text if isinstance(value, Written) else str(value)
