"""What the spelling of numbers in a text says that their values do not: codes, and numbers beyond all floats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ..core import Array
from ..core.errors import DataError
from .separated import Dialect, checked_rows


def columns_of_codes(text: str, dialect: Dialect, missing: Sequence[str], name: str) -> list[str]:
    """The columns of whole numbers some of which begin with a zero, as 007 and post codes do.

    >>> columns_of_codes("zip,n\\n00501,1\\n10001,0\\n", Dialect(",", "."), (), "table")
    ['zip']
    """
    ends = re.escape(dialect.delimiter)
    if not re.search(rf'(?:^|[{ends}"])0\d+(?=[{ends}"\r\n]|$)', text, re.MULTILINE):
        return []
    header, rows = checked_rows(text, dialect, name)
    gaps = set(missing)
    columns = ([cell.strip() for cell in cells] for cells in zip(*rows, strict=True))
    return [
        column for column, cells in zip(header, columns, strict=True) if _are_codes([c for c in cells if c not in gaps])
    ]


def refuse_beyond_floats(columns: dict[str, Array], text: str, dialect: Dialect, name: str) -> None:
    """Refuse numbers such as 1e400, which would be read as infinity; infinity by its name is one."""
    odd = [column for column, values in columns.items() if values.dtype.kind == "f" and np.isinf(values).any()]
    if not odd:
        return
    header, rows = checked_rows(text, dialect, name)
    for column in odd:
        place = header.index(column)
        for row in np.flatnonzero(np.isinf(columns[column])).tolist():
            if any(sign.isdigit() for sign in rows[row][place]):
                raise DataError(
                    f"{name}: column {column!r} holds {rows[row][place]!r:.40} in row {row}, a number beyond the range "
                    "of floats; measure it in another unit"
                )


def _are_codes(cells: Iterable[str]) -> bool:
    known = list(cells)
    return all(cell.isdigit() for cell in known) and any(len(cell) > 1 and cell[0] == "0" for cell in known)
