"""Tables in pieces, so that a file larger than memory can be read from one end to the other."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ...core import DataError
from ...datasets import Dataset
from ...datasets._reading.comment_lines import without_comments
from ...datasets._reading.delimited_text import (
    BEFORE_UTF8,
    MISSING,
    Dialect,
    decoded_text,
    first_rows,
    found_dialect,
    named_delimiter,
)
from ...datasets.reading import MARKS, SUFFIXES, cells_of, header_of, read_columns, with_tabs
from .number_formats import Ways
from .peekable_stream import HEAD, Ahead, Decoded

ROWS = 32_768  # of a piece
BYTES = 2**20  # of a piece of a text
LINES = 2**23  # bytes of a piece of JSON
PACKED: dict[bytes, Callable[[Any], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
Chosen = Callable[[list[str]], list[str]]
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a table as Arrow tables of equal columns, how its texts write numbers, and a note if any.

    Some may have no rows; there is at least one, so that a table without rows has its columns all the same.
    """

    name: str
    tables: Iterator[Any]
    ways: Ways = field(default_factory=Ways)
    note: str = ""


@contextmanager
def pieces(source: str, rows: int = ROWS, decimal: str | None = None) -> Iterator[Pieces]:
    """The table in a file, or on standard input for "-", as long as the block lasts.

    CSV, TSV, JSON of one record to a line, Parquet and Arrow are read piece by piece; what cannot be is read at once:
    other JSON, workbooks, columns that are aligned by blanks, and tables below comments. Texts stay as they are.
    """
    if source == "-":
        yield _pieces("standard input", Ahead(sys.stdin.buffer), rows, decimal)
        return
    path = Path(source)
    if not path.is_file():
        raise DataError(f"{source} is a folder; name a file in it" if path.is_dir() else f"there is no file {source}")
    with path.open("rb") as file:
        yield _pieces(path.name, Ahead(file), rows, decimal)


def _pieces(name: str, packed: Ahead, rows: int, decimal: str | None) -> Pieces:
    file = _unpacked(packed)
    kind = _kind(name, file)
    if kind in ("csv", "tsv"):
        return text_pieces(name, file, kind, decimal=decimal)
    ways = _ways(decimal)
    if kind in ("parquet", "arrow"):
        return Pieces(name, _told(name, _of_binary(file, kind, rows)), ways)
    if kind == "jsonl":
        _, coding = _decoded_head(file, name)
        lines = io.BufferedReader(Decoded(file, coding, name), BYTES)
        return Pieces(name, _alike(name, _told(name, _of_lines(lines, name))), ways, _note(coding))
    return Pieces(name, _of_whole(file, name, rows), ways)


def _ways(named: str | None, found: str = ".") -> Ways:
    return Ways(found if named is None else named, named is not None)


def _unpacked(file: Ahead) -> Ahead:
    opened = next((opened for mark, opened in PACKED.items() if file.head.startswith(mark)), None)
    if opened is None:
        return file
    if file.sought:
        file.file.seek(0)
    try:
        return Ahead(opened(file.file if file.sought else io.BufferedReader(file)), packed=True, again=file.sought)
    except BROKEN as error:
        raise DataError(f"the compression of the table is broken ({error}); get the file anew") from None


def _kind(name: str, file: Ahead) -> str:
    marked = next((kind for mark, kind in MARKS.items() if file.head.startswith(mark)), None)
    packed = Path(name).suffix in (".gz", ".bz2", ".xz")
    suffix = Path(Path(name).stem if packed else name).suffix.lower()
    return marked or SUFFIXES.get(suffix) or _told_by(file.head, suffix)


def _told_by(head: bytes, suffix: str) -> str:
    """What the first bytes say where the name says nothing."""
    if head.startswith(b"PK\x03\x04"):
        return "xlsx"
    if suffix or not head.lstrip().startswith((b"[{", b'{"')):
        return "csv"
    records = head.lstrip().startswith(b"{") and re.search(rb"\n\s*\{", head)
    return "jsonl" if records else "json"


def _of_binary(file: Ahead, kind: str, rows: int) -> Iterator[Any]:
    """Row groups of Parquet or batches of Arrow."""
    import pyarrow as pa

    schema, batches = _batches(file, kind, rows)
    yield schema.empty_table()
    for part in batches:
        yield pa.Table.from_batches([part])


def _batches(file: Ahead, kind: str, rows: int) -> tuple[Any, Iterator[Any]]:
    """A stream is read as it comes; of the other forms, what cannot be sought in is read whole first."""
    import pyarrow as pa
    from pyarrow import ipc, parquet

    if kind == "arrow" and not file.head.startswith(b"ARROW1"):
        stream = ipc.open_stream(pa.PythonFile(io.BufferedReader(file), "r"))
        return stream.schema, iter(stream)
    opened = pa.PythonFile(file.file, "r") if file.sought else pa.BufferReader(io.BufferedReader(file).read())
    if kind == "parquet":
        whole = parquet.ParquetFile(opened)
        return whole.schema_arrow, whole.iter_batches(batch_size=rows)
    reader = ipc.open_file(opened)
    return reader.schema, (reader.get_batch(place) for place in range(reader.num_record_batches))


def text_pieces(
    name: str, file: Ahead, kind: str, chosen: Chosen = lambda names: names, decimal: str | None = None
) -> Pieces:
    """Texts of separated values, every cell as it is written; of columns that are not chosen nothing is kept."""
    file.hold_a_line()
    text, coding = _decoded_head(file, name)
    if not text.strip():
        raise DataError(f"{name} is empty; the first line must name the columns")
    bare, delimiter = named_delimiter(text, "\t" if kind == "tsv" else None)
    uncommented, _ = without_comments(bare, lambda part: cells_of(part, delimiter), MISSING)
    tabbed, known = with_tabs(text, delimiter)
    if tabbed is not text or uncommented != text:
        return Pieces(name, _of_whole(file, name, ROWS, kind), _ways(decimal))
    names = header_of(first_rows(text, known or found_dialect(text, None, None).delimiter), None, MISSING)
    dialect = found_dialect(text, known, decimal, names)
    letters = Decoded(file, coding, name)
    return Pieces(
        name, _told(name, _of_csv(letters, dialect, text, chosen)), _ways(decimal, dialect.decimal), _note(coding)
    )


def _decoded_head(file: Ahead, name: str) -> tuple[str, str]:
    """The first bytes as text, and the encoding of the whole; see `decoded_text`, which looks at all bytes too."""
    text, coding = _decoded(file.head, name)
    if coding not in ("utf-8", *BEFORE_UTF8):
        return text, coding
    whole = next(one for one in ("utf-8", *BEFORE_UTF8) if file.is_in(one))
    return text.encode(coding).decode(whole), whole


def _note(coding: str) -> str:
    return f"read as {coding}: the bytes are not UTF-8" if coding in BEFORE_UTF8 else ""


def _decoded(head: bytes, name: str) -> tuple[str, str]:
    """The first bytes as text; if there are more, without the last line, which may be cut inside a letter."""
    return decoded_text(head, None, name) if len(head) < HEAD else _cut(head, name)


def _cut(head: bytes, name: str) -> tuple[str, str]:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))  # two bytes to a letter
    return decoded_text(head[: len(head) // 2 * 2] if wide else head[: head.rfind(b"\n") + 1] or head, None, name)


def _of_csv(file: Decoded, dialect: Dialect, head: str, chosen: Chosen) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import csv

    names = list(dialect.names) or _header(head, dialect.delimiter)
    read = csv.ReadOptions(use_threads=False, block_size=BYTES, column_names=names, skip_rows=0 if dialect.names else 1)
    parse = csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True)
    kept = chosen(names)
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(kept, pa.string()), include_columns=kept, strings_can_be_null=False
    )
    reader = csv.open_csv(pa.PythonFile(io.BufferedReader(file, BYTES), mode="r"), read, parse, convert)
    yield reader.schema.empty_table()
    for part in reader:
        yield pa.Table.from_batches([part])


def _header(text: str, delimiter: str) -> list[str]:
    """The names of the columns; two alike would make it unclear which is meant."""
    import csv

    found = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    names = [name.strip().lstrip("\ufeff") for name in found]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise DataError(f"the table has more than one column called {twice!r}; give each its own name")
    return names


def _of_lines(reader: BinaryIO, name: str) -> Iterator[Any]:
    """Records that stand one to a line, some at a time."""
    while part := reader.read(LINES) + reader.readline():
        if part.strip():
            yield _frame(part, name, "jsonl")


def _alike(name: str, tables: Iterator[Any]) -> Iterator[Any]:
    """Tables of the columns that the first one has: null where a later one lacks them, and nothing more."""
    import pyarrow as pa

    names: list[str] = []
    for table in tables:
        names = names or table.column_names
        if more := set(table.column_names) - set(names):
            raise DataError(f"{name}: the first records do not have {min(more)!r}, which later ones do; give it to all")
        gone = pa.nulls(table.num_rows)
        yield pa.table({one: table.column(one) if one in table.column_names else gone for one in names})


def _of_whole(file: Ahead, name: str, rows: int, kind: Any = None) -> Iterator[Any]:
    """A table read at once; a text that is known to be one is not taken for a binary form by its first letters."""
    frame = _frame(io.BufferedReader(file).read(), name, kind)
    for begin in range(0, frame.num_rows or 1, rows):
        yield frame.slice(begin, rows)


def _frame(content: bytes, name: str, kind: Any = None) -> Any:
    """Bytes as an Arrow table."""
    opened = io.BytesIO(content)
    opened.name = name
    _, columns, _, _ = read_columns(opened, format=kind, meaning=False)
    return Dataset.of(columns, name=name).arrow()


def _told(name: str, parts: Iterator[Any]) -> Iterator[Any]:
    """The parts; what goes wrong while they are read is an error that names the table."""
    import pyarrow as pa

    try:
        yield from parts
    except (pa.ArrowException, UnicodeError, *BROKEN) as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise DataError(f"{name} cannot be read as a table: {error}") from None
