"""Tables from files: any dialect of separated values, JSON, Parquet, Arrow, workbooks; compressed or from a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from ..core import Array
from ..core.declare.checked_functions import checked, limits
from ..core.errors import BudgetError, DataError
from ..core.runtime import context
from ._reading.aligned_text import straightened
from ._reading.amounts import NumberNotation, with_amounts
from ._reading.arrow import columns_of_binary
from ._reading.column_types import infer_kind, named_kinds
from ._reading.comment_lines import note_on_comments, without_comments
from ._reading.dates import with_days
from ._reading.delimited_text import (
    BEFORE_UTF8,
    BUT_BLANKS,
    MISSING,
    columns_of_text,
    cuts_evenly,
    decoded_text,
    first_rows,
    found_dialect,
    named_delimiter,
    refuse_open_quote,
)
from ._reading.header_line import NUMBERED, holds_values, numbered
from ._reading.integer_codes import kept_as_text, note_of_text
from ._reading.json_records import columns_of_json, columns_of_lines
from ._reading.missing_marks import own_marks, without_marks
from ._reading.number_spellings import columns_of_codes, refuse_beyond_floats
from ._reading.python_columns import Columns
from ._reading.sources import check_room, name_of, named_bytes
from ._reading.workbooks import columns_of_workbook
from .dataset import Dataset, alike

Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "arrow", "xlsx"]
SUFFIXES: dict[str, Format] = {
    ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow", ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}  # fmt: skip
MARKS: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}  # file or stream
Header = bool | Sequence[str] | None


@checked(delimiter=limits(accepts=lambda value: value is None or len(value) == 1, says="one character"))
def read_table(
    source: Any,
    *,
    target: str | None = None,
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = MISSING,
    format: Format | None = None,
    header: Header = None,
) -> Dataset:
    """Read a table from a file as a `Dataset`; column types are inferred, and shown when it is printed.

    source is a path, "-" for standard input, or an open file; gzip, bzip2 and xz are undone. Format, encoding,
    delimiter (also aligned columns), decimal sign and whether the first line names the columns are found out unless
    given; header may also be a list of names for columns that have none. types overrides kinds, such as {"year":
    "text"} or {"zip": "number"}; whole numbers some of which begin with 0, as 00501, or are too large for floats, as
    9007199254740993, are kept as text, and a note says so; 31.12.2024, 2024/12/31 and Dec 31, 2024 are days, and so
    are 31/12/2024 and 12/31/2024 if some day of the column is after the 12th. 1.000,50 and 1,000.50 are numbers if
    all cells of their column are; as 1.000 alone may be 1, 1000 or a code, it is kept as text next to decimal commas,
    which a note says, and is 1 elsewhere. Amounts beside one unit, as $1,234.50 or 12 %, are numbers, and so are
    (1,234.50), −5 and 1 234. missing lists the texts that mean no value, and numbers such as "-999" in files that know
    types; - and unknown among numbers do so too, which a note says. What cannot be read is an error that names the
    line and the remedy.

    >>> import io
    >>> read_table(io.StringIO("name;height\\nann;1,68\\nbob;1,81\\ncy;?\\n"), target="height")
    <table: 3 rows, 2 columns>
    column  kind         missing  values
    name    categorical  0        ann, bob, cy
    height  continuous   1        1.68 to 1.81 (target)
    """
    types = named_kinds(types or {})
    with _in_time(source):
        name, columns, written, notes = read_columns(
            source, delimiter=delimiter, decimal=decimal, encoding=encoding, missing=missing, format=format,
            header=header, requested=types,
        )  # fmt: skip
        if not len(next(iter(columns.values()), ())):
            raise DataError(f"{name} has 0 rows and {len(columns)} columns; a table needs rows")
        columns, kinds = alike(columns, name), {}
        for column, values in columns.items():
            context.give_way()
            kinds[column] = infer_kind(values)
        table = (
            Dataset(columns, kinds, None, None, name, written=written, missing=own_marks(missing))
            .with_types(types)
            .with_target(target)
        )
        return replace(table, notes=[*table.notes, *notes])


@contextmanager
def _in_time(source: Any) -> Iterator[None]:
    """Say which table it was that a budget had no time for."""
    try:
        context.give_way()
        yield
    except BudgetError:
        raise BudgetError(
            f"the budget ended before {name_of(source)} was read; give it more time, or a part of the rows"
        ) from None


def read_columns(
    source: Any,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = MISSING,
    format: Format | None = None,
    header: Header = None,
    requested: Mapping[str, str] = MappingProxyType({}),
    meaning: bool = True,
) -> tuple[str, dict[str, Array], dict[str, str], list[str]]:
    """Name of the source, its columns by name, how texts among them wrote numbers and times, and notes on guesses.

    `requested` holds the requested types of columns. Without `meaning`, texts that are numbers or times to people
    stay texts.
    """
    name, content = named_bytes(source)
    kind = format or _format(name, content)
    check_room(name, len(content))
    marks = own_marks(missing)
    if kind in ("parquet", "arrow"):
        return name, *_with_units(columns_of_binary(content, kind, name, requested), requested, marks, meaning)
    if kind == "xlsx":
        return name, *_with_units(columns_of_workbook(content, name, requested), requested, marks, meaning)
    text, coding = decoded_text(content, encoding, name)
    notes = [f"read as {coding}: the bytes are not UTF-8"] if coding in BEFORE_UTF8 and encoding is None else []
    if kind in ("json", "jsonl"):
        read = (columns_of_json if kind == "json" else columns_of_lines)(text, name, requested)
        columns, written, more = _with_units(read, requested, marks, meaning)
        return name, columns, written, [*notes, *more]
    text, delimiter = named_delimiter(text, delimiter or ("\t" if kind == "tsv" else None))
    text, comments = without_comments(text, lambda part: cells_of(part, delimiter), missing)
    notes += [note_on_comments(comments)] if comments else []
    text, promised = with_tabs(text, delimiter)
    names = header_of(first_rows(text, promised or found_dialect(text, None, decimal).delimiter), header, missing)
    dialect = found_dialect(text, promised, decimal, names)
    notes += [NUMBERED] if names and header is None else []
    context.give_way()
    codes = columns_of_codes(text, dialect, missing, name)
    notes += [note_of_text(column, reason) for column, reason in codes.items() if column not in requested]
    refuse_open_quote(text, dialect, name)
    context.give_way()
    as_text = [column for column in codes if kept_as_text(column, requested)]
    as_text += [column for column, kind in requested.items() if kind == "categorical" and column not in as_text]
    columns = columns_of_text(text, dialect, missing, name, as_text)
    columns = {column: without_marks(values, marks) for column, values in columns.items()}  # -999.0 for -999
    refuse_beyond_floats(columns, text, dialect, name)
    reading = NumberNotation(dialect.decimal, decimal is not None, False, {**dict.fromkeys(codes, ""), **requested})
    columns, written, more = _with_meaning(columns, reading, requested) if meaning else (columns, {}, [])
    return name, columns, written, notes + more


def _with_units(
    read: Columns, requested: Mapping[str, str], marks: Sequence[str], meaning: bool
) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """Columns of a file that knows types, without `marks` of missing values, its texts with a unit as numbers."""
    columns, notes = {name: without_marks(values, marks) for name, values in read[0].items()}, read[1]
    if not meaning:
        return columns, {}, notes
    columns, written, more = _with_meaning(columns, NumberNotation(".", typed=True, requested=requested), requested)
    return columns, written, notes + more


def _with_meaning(
    columns: dict[str, Array], reading: NumberNotation, requested: Mapping[str, str]
) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """Columns whose texts are times or numbers as such, how those were written, and notes."""
    days, layouts, notes = with_days({column: values for column, values in columns.items() if column not in requested})
    numbers, signs, more = with_amounts({**columns, **days}, reading)
    return columns | days | numbers, layouts | signs, notes + more


def cells_of(text: str, delimiter: str | None) -> list[list[str]]:
    """The cells of the first rows, by the delimiter given or found out."""
    text, known = with_tabs(text, delimiter)
    return first_rows(text, known or found_dialect(text, None, None).delimiter)


def with_tabs(text: str, delimiter: str | None) -> tuple[str, str | None]:
    """A text and its delimiter if that is known; columns that are aligned by blanks get tabs between them."""
    aligned = delimiter == " " or (delimiter is None and not any(cuts_evenly(text, mark) for mark in BUT_BLANKS))
    straight = straightened(text) if aligned and '"' not in text else None
    return (text, delimiter) if straight is None else (straight, "\t")


def header_of(rows: list[list[str]], header: Header, missing: Sequence[str]) -> tuple[str, ...]:
    """Names for columns that the text does not name itself."""
    if header is None:
        header = not holds_values(rows, missing)
    if isinstance(header, bool):
        return () if header or not rows else numbered(len(rows[0]))
    return tuple(header)


def _format(name: str, content: bytes) -> Format:
    """What the bytes are, or else what the name promises."""
    for mark, kind in MARKS.items():
        if content.startswith(mark):
            return kind
    if content.startswith(b"PK\x03\x04") and b"xl/" in content:
        return "xlsx"
    if content.startswith(b"PK\x03\x04"):
        raise DataError(f"{name} is a zip archive; unpack it and name a file in it")
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(f"{name} is a file of an old spreadsheet program; save the table as xlsx or CSV")
    suffix = Path(name).suffix.lower()
    unnamed = not suffix and content.lstrip().startswith((b"[{", b'{"'))
    return SUFFIXES.get(suffix, "json" if unnamed else "csv")
