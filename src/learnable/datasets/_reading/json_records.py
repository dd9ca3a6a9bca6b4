"""Tables written as JSON: records one to a line, a list of records, or columns by name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...core.errors import DataError
from .python_columns import Columns, Written, plain_columns

_large = re.compile(r"\d[eE]\+?\d{3}|\d{300}")


def columns_of_lines(text: str, name: str, requested: Mapping[str, str]) -> Columns:
    """The columns of records that stand one to a line, in the order in which they first appear."""
    records, decoder = [], _decoder(text, requested)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = decoder.decode(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{name} cannot be read as a table: line {number}: {error}") from None
        if not isinstance(record, dict):
            raise DataError(f"{name} cannot be read as a table: line {number} is not a record {{...}}: {line!r:.40}")
        records.append(record)
    return plain_columns(_by_column(records), requested, name)


def columns_of_json(text: str, name: str, requested: Mapping[str, str]) -> Columns:
    """The columns of a list of records, of lists by column, or as pandas writes them, of entries by row by column."""
    try:
        content = _decoder(text, requested).decode(text)
    except (ValueError, RecursionError) as error:
        if getattr(error, "msg", "") == "Extra data":  # a second record: these are lines
            return columns_of_lines(text, name, requested)
        raise DataError(f"{name} cannot be read as a table: {error}") from None
    if isinstance(content, list) and content and all(isinstance(record, dict) for record in content):
        return plain_columns(_by_column(content), requested, name)
    if isinstance(content, dict) and content:
        columns = [list(own) if isinstance(own, list) else own for own in content.values()]
        if all(isinstance(own, dict) for own in columns):
            rows = list(dict.fromkeys(row for own in columns for row in own))
            return plain_columns({column: map(own.get, rows) for column, own in content.items()}, requested, name)
        if all(isinstance(own, list) for own in columns) and len({len(own) for own in columns}) == 1:
            return plain_columns(content, requested, name)
    raise DataError(
        f"{name} cannot be read as a table: JSON must be a list of records [{{...}}, ...] or hold a list for each "
        f'column {{"a": [...], ...}}, all equally long; it begins {text.strip()!r:.40}'
    )


def _decoder(text: str, requested: Mapping[str, str]) -> json.JSONDecoder:
    """Floats remember how they were written if some column is requested as text, or if one may be too large."""
    spelled = "categorical" in requested.values() or _large.search(text)
    return json.JSONDecoder(parse_float=Written if spelled else float)


def _by_column(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(column for record in records for column in record)
    return {column: [record.get(column) for record in records] for column in names}
