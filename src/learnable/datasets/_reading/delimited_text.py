"""Separated values in any dialect: encoding, delimiter and decimal sign are found out, rows checked, columns typed."""

from __future__ import annotations

import csv
import io
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import BudgetError, DataError
from ...core.runtime import context
from .amounts import bare
from .python_columns import texts
from .text_scan import well_quoted
from .thousands_separators import shows_decimal_comma

BUT_BLANKS = (",", ";", "\t", "|", "^", "~", ":")
DELIMITERS = (*BUT_BLANKS, " ")
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "#N/A", "n/a")
BEFORE_UTF8 = ("cp1252", "latin-1")  # the first has € and dashes where the second, which any bytes are, has no letters
OFTEN = 64  # rows between checks of the budget
LETTING_GO = 1.0  # seconds that threads are waited for at most
_comma_number = re.compile(r"-?\d+,\d+")
_date = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")
_first_line = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)
_blanks = ("", " ", "  ")  # that may stand around a mark for a gap
_flags = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text writes its table; `names` are those of columns that it does not name itself."""

    delimiter: str
    decimal: str
    names: tuple[str, ...] = ()


def decoded_text(content: bytes, encoding: str | None, name: str) -> tuple[str, str]:
    """The text, and its encoding: as given, as a byte order mark says, UTF-8, or else the first of `BEFORE_UTF8`."""
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    marked = next((coding for mark, coding in marks if content.startswith(mark)), None)
    if encoding is None and marked is None and b"\0" in content:
        raise DataError(f"{name} cannot be read as a table: it holds no text; give its format, or its encoding")
    try:
        return content.decode(encoding or marked or "utf-8"), encoding or marked or "utf-8"
    except (UnicodeError, LookupError) as error:
        if encoding is not None or marked is not None:
            raise DataError(
                f"{name} cannot be read as a table: {error}; give its encoding, for example latin-1"
            ) from None
        try:
            return content.decode(BEFORE_UTF8[0]), BEFORE_UTF8[0]
        except UnicodeError:
            return content.decode(BEFORE_UTF8[1]), BEFORE_UTF8[1]


def named_delimiter(text: str, delimiter: str | None) -> tuple[str, str | None]:
    """The text without a first line such as `sep=;`, which spreadsheets read, and the delimiter that it names.

    >>> named_delimiter("sep=;\\na;b\\n", None)
    ('\\na;b\\n', ';')
    """
    found = _first_line.match(text)
    return (text, delimiter) if found is None else ("\n" + text[found.end() :], delimiter or found[1])


def found_dialect(text: str, delimiter: str | None, decimal: str | None, names: tuple[str, ...] = ()) -> Dialect:
    """The dialect of a text; what is given is kept."""
    chosen = delimiter or _delimiter(text)
    if decimal is None:
        cells = [cell.strip() for row in first_rows(text, chosen) for cell in row]
        commas = chosen != "," and any(map(_comma_number.fullmatch, cells))
        decimal = "," if commas or any(shows_decimal_comma(bare(cell)[0]) for cell in cells) else "."
    return Dialect(chosen, decimal, names)


def first_rows(text: str, delimiter: str, most: int = 50) -> list[list[str]]:
    """The cells of the first lines that are not empty."""
    lines = text[:100_000].splitlines(keepends=True)
    kept = lines[:-1] if len(text) > 100_000 and len(lines) > 1 else lines
    return list(islice((row for row in csv.reader(kept, delimiter=delimiter) if row), most))


def _delimiter(text: str) -> str:
    """The first delimiter that cuts all of the first rows into equally many cells, or else the most frequent one."""
    fitting = next((delimiter for delimiter in DELIMITERS if cuts_evenly(text, delimiter)), None)
    return fitting or max(DELIMITERS[:4], key=text.partition("\n")[0].count)


def cuts_evenly(text: str, delimiter: str) -> bool:
    """Whether it cuts all of the first rows into equally many cells, and more than one."""
    lengths = {len(row) for row in first_rows(text, delimiter)}
    return len(lengths) == 1 and lengths != {1}


def columns_of_text(
    text: str, dialect: Dialect, missing: Sequence[str], name: str, as_text: Sequence[str] = ()
) -> dict[str, Array]:
    """Column name -> numbers, times or texts; by pyarrow if it is there, which is faster, else by Python's reader.

    The columns of `as_text` stay as they are written: 01234 and 1234 are two codes.
    """
    try:
        import pyarrow as pa
    except ImportError:
        return columns_in_python(text, dialect, missing, name, as_text)
    from pyarrow import csv as arrow

    from .arrow import columns_of_arrow

    names = list(dialect.names) or next(iter(first_rows(text, dialect.delimiter, 1)), [])
    around = _blanks if has_padded_cells(text, dialect.delimiter) else ("",)  # each costs Arrow time per column
    convert = arrow.ConvertOptions(
        null_values=[before + mark + after for mark in missing for before in around for after in around],
        strings_can_be_null=True, decimal_point=dialect.decimal,
        true_values=["true", "True", "TRUE"], false_values=["false", "False", "FALSE"],
        column_types={column: pa.string() for column in names if column.strip() in as_text},
    )  # fmt: skip
    parse = arrow.ParseOptions(delimiter=dialect.delimiter, newlines_in_values='"' in text)
    read = arrow.ReadOptions(column_names=list(dialect.names) or None)
    content = Timely(text.encode())
    try:
        with content.within_deadline():
            table = arrow.read_csv(content, read, parse, convert)
        table = table.rename_columns([column.strip() for column in table.column_names])
        times = [field.name for field in table.schema if pa.types.is_time(field.type)]
        if times:  # they stay as they are written
            return columns_of_text(text, dialect, missing, name, [*as_text, *times])
        return columns_of_arrow(table, name, {})[0]
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, UnicodeError) as error:
        header, rows = checked_rows(text, dialect, name)
        if not rows:
            return {column: np.empty(0) for column in header}
        raise DataError(f"{name} cannot be read as a table: {error}") from None


def has_padded_cells(text: str, delimiter: str) -> bool:
    """Whether a blank stands at the start or end of some cell."""
    ends = (delimiter, '"', "\n", "\r")
    return text[:1] == " " or text[-1:] == " " or any(f"{end} " in text or f" {end}" in text for end in ends)


class Timely(io.BytesIO):
    """Bytes that end with the budget; Arrow reads them in threads that know of none.

    An error inside of these would leave work behind that Arrow waits for when the program ends, forever.
    """

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.deadline, self.late = context.current().deadline, False

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes; none when it is too late."""
        self.late = time.monotonic() > self.deadline
        return b"" if self.late else super().read(size)

    @contextmanager
    def within_deadline(self) -> Iterator[None]:
        """Raise BudgetError after the block if it did not see all bytes, whatever it made of the others.

        The threads of Arrow let go of the bytes some moments after the block: a program that ended by then would be
        aborted, as they cannot do so without Python.
        """
        own = sys.getrefcount(self)
        try:
            yield
        finally:
            patience = time.monotonic() + LETTING_GO
            while sys.getrefcount(self) > own and time.monotonic() < patience:
                time.sleep(1e-4)
            if self.late:
                raise BudgetError("the budget ended before a table was read")


def refuse_open_quote(text: str, dialect: Dialect, name: str) -> None:
    """Refuse a quote that is not closed in its cell: lines that follow would become the text of that cell.

    It is closed by none, or by one that opens another cell, after which more than a delimiter follows.
    """
    if '"' not in text or (dialect.delimiter.isascii() and well_quoted(text, dialect.delimiter)):
        return
    reader, line = csv.reader(io.StringIO(text), delimiter=dialect.delimiter, strict=True), 1
    while True:
        try:
            next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error) or reader.line_num > line:
                raise DataError(
                    f"{name} cannot be read as a table: the quote that opens in line {line} is never closed; close it,"
                    " or write it twice and quote the whole cell if it belongs to the text"
                ) from None
        line = reader.line_num + 1


def checked_rows(text: str, dialect: Dialect, name: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows; a row with more or fewer cells than the header is an error that names its line."""
    reader = csv.reader(io.StringIO(text), delimiter=dialect.delimiter)
    try:
        header = [column.strip() for column in list(dialect.names) or next(filter(None, reader), [])]
        rows: list[list[str]] = []
        for row in reader:
            if not len(rows) % OFTEN:
                context.give_way()
            if row and len(row) != len(header):
                raise DataError(
                    f"{name} cannot be read as a table: line {reader.line_num} has {len(row)} cells, the header has "
                    f"{len(header)}: {dialect.delimiter.join(row)!r:.60}; quote cells that hold the delimiter "
                    f"{dialect.delimiter!r}, correct the line, or name another delimiter"
                )
            rows += [row] if row else []
    except csv.Error as error:
        raise DataError(f"{name} cannot be read as a table: line {reader.line_num}: {error}") from None
    if not header:
        raise DataError(f"{name} cannot be read as a table: it is empty; the first line must name the columns")
    return header, rows


def columns_in_python(
    text: str, dialect: Dialect, missing: Sequence[str], name: str, as_text: Sequence[str] = ()
) -> dict[str, Array]:
    """Column name -> values, without any other library."""
    header, rows = checked_rows(text, dialect, name)
    twice = next((column for column in header if header.count(column) > 1), None)
    if twice is not None:
        raise DataError(f"{name} has more than one column called {twice!r}; give each its own name")
    cells: list[Any] = list(zip(*rows, strict=True)) or [()] * len(header)
    missing_marks = set(missing)
    known = {
        column: [None if cell.strip() in missing_marks else cell for cell in own]
        for column, own in zip(header, cells, strict=True)
    }
    return {column: texts(own) if column in as_text else typed(own, dialect.decimal) for column, own in known.items()}


def typed(cells: list[str | None], decimal: str) -> Array:
    """Texts as numbers, flags or times if all of them are; missing ones as NaN, NaT or None."""
    known = [cell.strip() for cell in cells if cell is not None]
    if all(cell.lower() in _flags for cell in known):
        return np.array([np.nan if cell is None else _flags[cell.strip().lower()] for cell in cells])
    try:
        return np.array([np.nan if cell is None else _float(cell, decimal) for cell in cells])
    except ValueError:
        pass
    if all(_date.fullmatch(cell) for cell in known):
        return np.array(["NaT" if cell is None else cell.strip() for cell in cells], dtype="datetime64[us]")
    return texts(cells)


def _float(cell: str, decimal: str) -> float:
    if decimal != "." and "." in cell:
        raise ValueError(cell)
    return float(cell.replace(decimal, "."))
