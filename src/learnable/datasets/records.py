"""Tables written as JSON: records one to a line, a list of records, or columns by name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError


def columns_of_lines(text: str, name: str) -> dict[str, Array]:
    """The columns of records that stand one to a line, in the order in which they first appear."""
    records = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{name} cannot be read as a table: line {number}: {error}") from None
        if not isinstance(record, dict):
            raise DataError(f"{name} cannot be read as a table: line {number} is no record {{...}}: {line!r:.40}")
        records.append(record)
    return _columns_of_records(records)


def columns_of_json(text: str, name: str) -> dict[str, Array]:
    """The columns of a list of records, of lists by column, or as pandas writes them, of entries by row by column."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        if getattr(error, "msg", "") == "Extra data":  # a second record: these are lines
            return columns_of_lines(text, name)
        raise DataError(f"{name} cannot be read as a table: {error}") from None
    if isinstance(content, list) and content and all(isinstance(record, dict) for record in content):
        return _columns_of_records(content)
    if isinstance(content, dict) and content:
        columns = [list(own) if isinstance(own, list) else own for own in content.values()]
        if all(isinstance(own, dict) for own in columns):
            rows = list(dict.fromkeys(row for own in columns for row in own))
            return {column: plain_column(own.get(row) for row in rows) for column, own in content.items()}
        if all(isinstance(own, list) for own in columns) and len({len(own) for own in columns}) == 1:
            return {column: plain_column(own) for column, own in content.items()}
    raise DataError(
        f"{name} cannot be read as a table: JSON must be a list of records [{{...}}, ...] or hold a list for each "
        f'column {{"a": [...], ...}}, all equally long; it begins {text.strip()!r:.40}'
    )


def _columns_of_records(records: list[dict[str, Any]]) -> dict[str, Array]:
    names = dict.fromkeys(column for record in records for column in record)
    return {column: plain_column(record.get(column) for record in records) for column in names}


def plain_column(entries: Iterable[Any]) -> Array:
    """Numbers with NaN for what is missing, times, or texts; what is neither is written as JSON."""
    values = list(entries)
    if all(value is None or isinstance(value, (int, float)) for value in values):
        return np.array([np.nan if value is None else float(value) for value in values])
    if all(value is None or isinstance(value, date) for value in values):
        return np.array(values, dtype="datetime64[us]")
    column = np.empty(len(values), dtype=object)
    column[:] = [
        value if value is None or isinstance(value, str) else json.dumps(value, default=str) for value in values
    ]
    return column
