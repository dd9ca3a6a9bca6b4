"""Tables of any kind as matrices for trees: numbers as they are, categories as their places among sorted values."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, Table, ambient
from ..core.data import column_name
from ..core.table import Words, is_missing
from ..engines.categories import factorised, places_of


def chosen_columns(table: Table, asked: Any, owner: str) -> Array:
    """Which columns hold categories: by kind if "from_dtype", else by names, numbers or marks."""
    if isinstance(asked, str) and asked == "from_dtype":
        return np.array([not _holds_numbers(part) for part in table.parts])
    wanted = np.asarray(asked)
    columns = table.shape[1]
    if wanted.dtype == bool:
        if wanted.shape != (columns,):
            raise ParameterError(
                f"{owner}: categorical_features marks {wanted.size} columns, and X has {columns}; give a mark for each"
            )
        return wanted
    chosen = np.zeros(columns, dtype=bool)
    for item in wanted.ravel().tolist():
        chosen[_place(item, table.names, columns, owner)] = True
    return chosen


def _place(item: Any, names: list[str] | None, columns: int, owner: str) -> int:
    if names is not None and item in names:
        return names.index(item)
    if isinstance(item, int) and -columns <= item < columns:
        return item % columns
    raise ParameterError(f"{owner}: categorical_features names the column {item!r}, which X does not have")


def _holds_numbers(part: Array | Words) -> bool:
    """Whether a column is one of numbers; truth values are not."""
    if isinstance(part, Words) or part.dtype.kind in "USbmM":
        return False
    if part.dtype.kind != "O":
        return True
    known = part[~is_missing(part)]
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in known.tolist())


def learned_categories(table: Table, chosen: Array, *, gaps_too: bool, owner: str) -> list[Array | None]:
    """The sorted values of each chosen column, with one for what is missing if `gaps_too`; None for the others."""
    return [
        _values(part, gaps_too, f"{owner}: {column_name(table.names, j)}") if chosen[j] else None
        for j, part in enumerate(table.parts)
    ]


def _values(part: Array | Words, gaps_too: bool, where: str) -> Array:
    ambient.give_way()
    values, _ = factorised(part, where)
    return values if gaps_too else values[~is_missing(values)]


def coded(table: Table, categories: list[Array | None], owner: str) -> Array:
    """The table as a matrix; missing entries and categories that `fit` has not seen are NaN."""
    found = np.empty(table.shape)
    for j, (part, values) in enumerate(zip(table.parts, categories, strict=True)):
        ambient.give_way()
        where = f"{owner}: {column_name(table.names, j)}"
        if values is None:
            found[:, j] = _numbers(part, where)
        elif len(values) == 0:
            found[:, j] = np.nan
        else:
            places = places_of(part, values, where)
            found[:, j] = np.where(places < 0, np.nan, places)
    return found


def _numbers(part: Array | Words, where: str) -> Array:
    column = part.written() if isinstance(part, Words) else part
    if column.dtype.kind == "O":
        column = np.where(is_missing(column), np.nan, column)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{where} holds {column[0]!r:.40}, where fit saw numbers; name it in categorical_features"
        ) from None
