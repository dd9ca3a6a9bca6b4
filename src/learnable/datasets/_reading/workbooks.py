"""Tables in workbooks of a spreadsheet program."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

from ...core.errors import DataError
from .python_columns import Columns, plain_columns
from .sources import check_room

MALFORMED = (AttributeError, IndexError, KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError)
"""What the reader of workbooks raises for cells and parts that are not what they should be."""


def columns_of_workbook(content: bytes, name: str, requested: Mapping[str, str]) -> Columns:
    """The columns of the first sheet of an xlsx file, whose first row names them, and notes."""
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        raise DataError(
            f"{name}: reading xlsx files needs openpyxl; pip install openpyxl, or save the table as CSV"
        ) from None
    broken = (InvalidFileException, zipfile.BadZipFile, zlib.error, EOFError, SyntaxError, *MALFORMED)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            check_room(name, sum(part.file_size for part in packed.infolist()))
        sheets = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets
        rows = [row for row in sheets[0].iter_rows(values_only=True) if any(cell is not None for cell in row)]
    except DataError:
        raise
    except broken as error:  # XML that is not well formed is a SyntaxError
        raise DataError(f"{name} cannot be read as a workbook: {error!s:.200}") from None
    header = [str(cell).strip() for cell in rows[0]] if rows else []
    twice = next((column for column in header if header.count(column) > 1), None)
    if twice is not None:
        raise DataError(f"{name} has more than one column called {twice!r}; give each its own name")
    cells = {column: [row[place] for row in rows[1:]] for place, column in enumerate(header)}
    columns, notes = plain_columns(cells, requested, name)
    more = [f"the first of {len(sheets)} sheets, {sheets[0].title!r}, was read"] if len(sheets) > 1 else []
    return columns, [*notes, *more]
