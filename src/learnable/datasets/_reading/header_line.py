"""Whether the first line of a text names its columns, or holds values already."""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBERED = "the first line holds values, so the columns are numbered; header=True takes it for their names"
_value = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?|\d{4}-\d{2}-\d{2}([T ][\d:.]+)?")


def holds_values(rows: Sequence[Sequence[str]], missing: Sequence[str]) -> bool:
    """Whether the first row is one like the others: of numbers and dates, and of words that come again below.

    >>> holds_values([["5.1", "setosa"], ["4.9", "setosa"]], []), holds_values([["in", "2019"], ["rome", "7"]], [])
    (True, False)
    """
    if len(rows) < 2:
        return False
    cells = {place: cell.strip() for place, cell in enumerate(rows[0]) if cell.strip() not in missing}
    values = [cell for cell in cells.values() if _value.fullmatch(cell)]
    if not values or values == [str(place) for place in range(len(values))]:  # 0, 1, ... are pandas' own names
        return False
    words = [place for place, cell in cells.items() if not _value.fullmatch(cell)]
    again = [{row[place].strip() for row in rows[1:] if place < len(row)} for place in words]
    return not words or any(cells[place] in below for place, below in zip(words, again, strict=True))


def names_numbers(rows: Sequence[Sequence[str]], missing: Sequence[str]) -> bool:
    """Whether the first row has a word above a column of numbers or dates, so that it can only be a name.

    >>> names_numbers([["x", "y"], ["1", "a"]], []), names_numbers([["1", "a"], ["2", "b"]], [])
    (True, False)
    """
    columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=False)]
    below = [[cell for cell in column[1:] if cell not in missing] for column in columns]
    return any(
        cells and not _value.fullmatch(column[0]) and all(map(_value.fullmatch, cells))
        for column, cells in zip(columns, below, strict=True)
    )


def numbered(width: int) -> tuple[str, ...]:
    """Names of columns that have none.

    >>> numbered(2)
    ('column_1', 'column_2')
    """
    return tuple(f"column_{place}" for place in range(1, width + 1))
