"""What the spelling of numbers in a text says that their values do not: codes, and numbers beyond all floats."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.validate.identifier_columns import why_codes
from .delimited_text import Dialect, checked_rows
from .text_scan import may_hold_codes, parts_of_lines

_CODES = r"0\d+|[+-]?\d{16,}|[+-]?0[xX][0-9a-fA-F]+"


def columns_of_codes(text: str, dialect: Dialect, missing: Sequence[str], name: str) -> dict[str, str]:
    """The columns of whole numbers that are codes, and why: some begin with 0, as post codes do, or are beyond floats.

    Others begin with 0x, as addresses in a memory do.

    >>> list(columns_of_codes("zip,n\\n00501,1\\n10001,0\\n", Dialect(",", "."), (), "table"))
    ['zip']
    """
    if dialect.delimiter.isascii() and not may_hold_codes(text, dialect.delimiter):
        return {}
    ends = re.escape(dialect.delimiter)
    code = re.compile(rf'[{ends}"\s](?:{_CODES})(?=[{ends}"\s])')
    if not any(code.search(f"\n{lines}\n") for lines in parts_of_lines(text)):
        return {}
    header, rows = checked_rows(text, dialect, name)
    missing_marks = set(missing)
    columns = ([cell.strip() for cell in cells] for cells in zip(*rows, strict=True))
    reasons = {
        column: why_codes([cell for cell in cells if cell not in missing_marks])
        for column, cells in zip(header, columns, strict=True)
    }
    return {column: reason for column, reason in reasons.items() if reason}


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
