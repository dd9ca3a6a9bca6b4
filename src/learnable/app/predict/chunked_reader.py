"""Reading tables in chunks, so that files larger than memory can be processed."""

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
from .number_formats import NumberFormats
from .peekable_stream import HEAD, Decoded, PeekableStream

ROWS = 32_768  # of a chunk
BYTES = 2**20  # of a chunk of text
LINES = 2**23  # bytes of a chunk of JSON
PACKED: dict[bytes, Callable[[Any], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
Chosen = Callable[[list[str]], list[str]]
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, slots=True)
class TableChunks:
    """The chunks of a table as Arrow tables of equal columns, the number formats of its texts, and a note if any.

    Some may have no rows; there is at least one, so that the columns of a table without rows are known.
    """

    name: str
    tables: Iterator[Any]
    formats: NumberFormats = field(default_factory=NumberFormats)
    note: str = ""


@contextmanager
def table_chunks(source: str, rows: int = ROWS, decimal: str | None = None) -> Iterator[TableChunks]:
    """Open the table in a file, or on standard input for "-", for the duration of the block.

    CSV, TSV, JSON Lines, Parquet and Arrow are read in chunks. Other formats are read at once:
    other JSON, workbooks, columns aligned by blanks, and tables below comments. Texts are not converted.
    """
    if source == "-":
        yield _chunks("standard input", PeekableStream(sys.stdin.buffer), rows, decimal)
        return
    path = Path(source)
    if not path.is_file():
        raise DataError(
            f"{source} is a directory; name a file in it" if path.is_dir() else f"file {source} does not exist"
        )
    with path.open("rb") as file:
        yield _chunks(path.name, PeekableStream(file), rows, decimal)


def _chunks(name: str, packed: PeekableStream, rows: int, decimal: str | None) -> TableChunks:
    file = _unpacked(packed)
    kind = _kind(name, file)
    if kind in ("csv", "tsv"):
        return text_chunks(name, file, kind, decimal=decimal)
    formats = _formats(decimal)
    if kind in ("parquet", "arrow"):
        return TableChunks(name, _read_errors_named(name, _of_binary(file, kind, rows)), formats)
    if kind == "jsonl":
        _, coding = _decoded_head(file, name)
        lines = io.BufferedReader(Decoded(file, coding, name), BYTES)
        return TableChunks(
            name, _same_columns(name, _read_errors_named(name, _of_lines(lines, name))), formats, _note(coding)
        )
    return TableChunks(name, _of_whole(file, name, rows), formats)


def _formats(named: str | None, found: str = ".") -> NumberFormats:
    return NumberFormats(found if named is None else named, named is not None)


def _unpacked(file: PeekableStream) -> PeekableStream:
    opened = next((opened for mark, opened in PACKED.items() if file.head.startswith(mark)), None)
    if opened is None:
        return file
    if file.sought:
        file.file.seek(0)
    try:
        return PeekableStream(
            opened(file.file if file.sought else io.BufferedReader(file)), packed=True, again=file.sought
        )
    except BROKEN as error:
        raise DataError(f"the compression of the table is corrupt ({error}); obtain the file again") from None


def _kind(name: str, file: PeekableStream) -> str:
    marked = next((kind for mark, kind in MARKS.items() if file.head.startswith(mark)), None)
    packed = Path(name).suffix in (".gz", ".bz2", ".xz")
    suffix = Path(Path(name).stem if packed else name).suffix.lower()
    return marked or SUFFIXES.get(suffix) or _format_of_head(file.head, suffix)


def _format_of_head(head: bytes, suffix: str) -> str:
    """The format that the first bytes indicate where the name does not."""
    if head.startswith(b"PK\x03\x04"):
        return "xlsx"
    if suffix or not head.lstrip().startswith((b"[{", b'{"')):
        return "csv"
    records = head.lstrip().startswith(b"{") and re.search(rb"\n\s*\{", head)
    return "jsonl" if records else "json"


def _of_binary(file: PeekableStream, kind: str, rows: int) -> Iterator[Any]:
    """Row groups of Parquet or batches of Arrow."""
    import pyarrow as pa

    schema, batches = _batches(file, kind, rows)
    yield schema.empty_table()
    for part in batches:
        yield pa.Table.from_batches([part])


def _batches(file: PeekableStream, kind: str, rows: int) -> tuple[Any, Iterator[Any]]:
    """The schema and the batches; a stream is read incrementally, other formats completely if not seekable."""
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
    return reader.schema, (reader.get_batch(index) for index in range(reader.num_record_batches))


def text_chunks(
    name: str, file: PeekableStream, kind: str, chosen: Chosen = lambda names: names, decimal: str | None = None
) -> TableChunks:
    """Delimited text, every cell as it is written; columns that are not chosen are dropped."""
    file.hold_a_line()
    text, coding = _decoded_head(file, name)
    if not text.strip():
        raise DataError(f"{name} is empty; the first line must name the columns")
    bare, delimiter = named_delimiter(text, "\t" if kind == "tsv" else None)
    uncommented, _ = without_comments(bare, lambda part: cells_of(part, delimiter), MISSING)
    tabbed, known = with_tabs(text, delimiter)
    if tabbed is not text or uncommented != text:
        return TableChunks(name, _of_whole(file, name, ROWS, kind), _formats(decimal))
    names = header_of(first_rows(text, known or found_dialect(text, None, None).delimiter), None, MISSING)
    dialect = found_dialect(text, known, decimal, names)
    letters = Decoded(file, coding, name)
    return TableChunks(
        name,
        _read_errors_named(name, _of_csv(letters, dialect, text, chosen)),
        _formats(decimal, dialect.decimal),
        _note(coding),
    )


def _decoded_head(file: PeekableStream, name: str) -> tuple[str, str]:
    """The first bytes as text, and the encoding of the whole file, for which `decoded_text` reads all bytes too."""
    text, coding = _decoded(file.head, name)
    if coding not in ("utf-8", *BEFORE_UTF8):
        return text, coding
    whole = next(one for one in ("utf-8", *BEFORE_UTF8) if file.is_in(one))
    return text.encode(coding).decode(whole), whole


def _note(coding: str) -> str:
    return f"read as {coding}: the bytes are not UTF-8" if coding in BEFORE_UTF8 else ""


def _decoded(head: bytes, name: str) -> tuple[str, str]:
    """The first bytes as text; if there are more, without the last line, which may end inside a character."""
    return decoded_text(head, None, name) if len(head) < HEAD else _cut(head, name)


def _cut(head: bytes, name: str) -> tuple[str, str]:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))  # two bytes per character
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
    """The names of the columns; duplicates are an error, because they are ambiguous."""
    import csv

    found = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    names = [name.strip().lstrip("\ufeff") for name in found]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise DataError(f"the table has more than one column called {twice!r}; give each its own name")
    return names


def _of_lines(reader: BinaryIO, name: str) -> Iterator[Any]:
    """Records of JSON Lines, a chunk of lines at a time."""
    while part := reader.read(LINES) + reader.readline():
        if part.strip():
            yield _frame(part, name, "jsonl")


def _same_columns(name: str, tables: Iterator[Any]) -> Iterator[Any]:
    """Tables with the columns of the first one: null where a later one lacks them; additional columns are an error."""
    import pyarrow as pa

    names: list[str] = []
    for table in tables:
        names = names or table.column_names
        if more := set(table.column_names) - set(names):
            raise DataError(
                f"{name}: later records have the key {min(more)!r}, which the first ones do not; add it to all records"
            )
        gone = pa.nulls(table.num_rows)
        yield pa.table({one: table.column(one) if one in table.column_names else gone for one in names})


def _of_whole(file: PeekableStream, name: str, rows: int, kind: Any = None) -> Iterator[Any]:
    """A table read at once; known text is not mistaken for a binary format because of its first characters."""
    frame = _frame(io.BufferedReader(file).read(), name, kind)
    for begin in range(0, frame.num_rows or 1, rows):
        yield frame.slice(begin, rows)


def _frame(content: bytes, name: str, kind: Any = None) -> Any:
    """Bytes as an Arrow table."""
    opened = io.BytesIO(content)
    opened.name = name
    _, columns, _, _ = read_columns(opened, format=kind, meaning=False)
    return Dataset.of(columns, name=name).arrow()


def _read_errors_named(name: str, chunks: Iterator[Any]) -> Iterator[Any]:
    """The chunks; errors while reading them name the table."""
    import pyarrow as pa

    try:
        yield from chunks
    except (pa.ArrowException, UnicodeError, *BROKEN) as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise DataError(f"{name} cannot be read as a table: {error}") from None
