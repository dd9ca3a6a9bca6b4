"""Rows of whatever holds them: arrays, sparse matrices, data frames, series, lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Array
from .errors import DataError


def row_count(table: Any, name: str = "X") -> int:
    """How many rows there are; `name` is what messages call the table.

    >>> row_count([[1, 2], [3, 4], [5, 6]])
    3
    """
    shape = getattr(table, "shape", None)
    if shape is not None and len(shape) > 0:
        return int(shape[0])
    if shape is None and hasattr(table, "__array__"):
        return row_count(np.asarray(table), name)
    if shape is not None or not hasattr(table, "__len__") or isinstance(table, (str, bytes)):
        raise DataError(f"{name} must be a table, an array or a list with one entry per row; got {table!r:.40}")
    return len(table)


def take_rows(table: Any, rows: Array) -> Any:
    """The rows with these numbers, in the container they came in.

    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if isinstance(table, np.ndarray):
        return table[rows]
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if hasattr(table, "take") and hasattr(table, "column_names"):
        return table.take(rows)
    if hasattr(table, "tocsr"):
        return (table if table.format in ("csr", "csc") else table.tocsr())[rows]
    if isinstance(table, (list, tuple)):
        return [table[row] for row in rows]
    return table[rows] if hasattr(table, "__getitem__") else np.asarray(table)[rows]


def check_equal_lengths(owner: str, **tables: Any) -> int:
    """The number of rows that the tables given, by their names, agree on; None stands for a table that is not there."""
    counts = {name: row_count(table, f"{owner}: {name}") for name, table in tables.items() if table is not None}
    first = next(iter(counts))
    for name, count in counts.items():
        if count != counts[first]:
            raise DataError(
                f"{owner}: {first} has {counts[first]} rows but {name} has {count}: "
                "Found input variables with inconsistent numbers of samples"
            )
    return counts[first]
