"""Tables in pieces, so that a file larger than memory can be read from one end to the other."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ...core import DataError
from ...datasets.reading import MARKS, SUFFIXES, read_table
from ...datasets.separated import decoded_text, found_dialect

ROWS = 32_768  # of a piece
BYTES = 2**20  # of a piece of a text
HEAD = 100_000  # bytes by which a format is told
PACKED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a table as Arrow tables of equal columns, and the sign that numbers in texts have."""

    name: str
    tables: Iterator[Any]
    decimal: str = "."


@contextmanager
def pieces(source: str, rows: int = ROWS) -> Iterator[Pieces]:
    """The table in a file, or on standard input for "-", as long as the block lasts.

    CSV, TSV, Parquet and Arrow are read piece by piece; JSON and workbooks, which cannot be, at once.
    """
    if source == "-":
        yield _pieces("standard input", Ahead(sys.stdin.buffer), rows)
        return
    path = Path(source)
    if not path.is_file():
        raise DataError(f"{source} is a folder; name a file in it" if path.is_dir() else f"there is no file {source}")
    with path.open("rb") as file:
        yield _pieces(path.name, Ahead(file), rows)


def _pieces(name: str, packed: Ahead, rows: int) -> Pieces:
    file = _unpacked(packed)
    kind = _kind(name, file)
    if kind in ("parquet", "arrow"):
        return Pieces(name, _told(name, _of_binary(file, kind, rows)))
    if kind in ("csv", "tsv"):
        return text_pieces(name, file, kind)
    return Pieces(name, _of_whole(file, name, rows))


class Ahead(io.RawIOBase):
    """A file whose first bytes can be looked at before they are read, as on a pipe they could not."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.head = file, file.read(HEAD)
        self.place = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """The first bytes, then the others."""
        if self.place < len(self.head):
            part = self.head[self.place : self.place + len(target)]
            self.place += len(part)
        else:
            part = self.file.read(len(target))
        target[: len(part)] = part
        return len(part)


def _unpacked(file: Ahead) -> Ahead:
    opened = next((opened for mark, opened in PACKED.items() if file.head.startswith(mark)), None)
    try:
        return file if opened is None else Ahead(opened(io.BufferedReader(file)))  # type: ignore[operator]  # they agree
    except BROKEN as error:
        raise DataError(f"the compression of the table is broken ({error}); get the file anew") from None


def _kind(name: str, file: Ahead) -> str:
    marked = next((kind for mark, kind in MARKS.items() if file.head.startswith(mark)), None)
    packed = Path(name).suffix in (".gz", ".bz2", ".xz")
    suffix = Path(Path(name).stem if packed else name).suffix.lower()
    return marked or SUFFIXES.get(suffix, "xlsx" if file.head.startswith(b"PK\x03\x04") else "csv")


def _of_binary(file: Ahead, kind: str, rows: int) -> Iterator[Any]:
    """Row groups of Parquet or batches of Arrow; what cannot be sought in is read whole first."""
    import pyarrow as pa
    from pyarrow import ipc, parquet

    seekable = file.file.seekable()
    opened = pa.PythonFile(file.file, "r") if seekable else pa.BufferReader(io.BufferedReader(file).read())
    if kind == "parquet":
        parts: Iterator[Any] = parquet.ParquetFile(opened).iter_batches(batch_size=rows)
    else:
        reader = ipc.open_file(opened)
        parts = (reader.get_batch(place) for place in range(reader.num_record_batches))
    for part in parts:
        yield pa.Table.from_batches([part])


def text_pieces(name: str, file: Ahead, kind: str) -> Pieces:
    """Texts of separated values, every cell as it is written."""
    text, coding = decoded_text(file.head, None, name) if len(file.head) < HEAD else _decoded_head(file.head, name)
    if not text.strip():
        raise DataError(f"{name} is empty; the first line must name the columns")
    dialect = found_dialect(text, "\t" if kind == "tsv" else None, None)
    return Pieces(name, _told(name, _of_csv(file, dialect.delimiter, coding, text)), dialect.decimal)


def _decoded_head(head: bytes, name: str) -> tuple[str, str]:
    """The whole lines among the first bytes: the last one may be cut inside a letter."""
    return decoded_text(head[: head.rfind(b"\n") + 1] or head, None, name)


def _of_csv(file: Ahead, delimiter: str, coding: str, head: str) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import csv

    names = next(iter(_header(head, delimiter)))
    read = csv.ReadOptions(use_threads=False, encoding=coding, block_size=BYTES, column_names=names, skip_rows=1)
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    convert = csv.ConvertOptions(column_types={name: pa.string() for name in names}, strings_can_be_null=False)
    reader = csv.open_csv(pa.PythonFile(io.BufferedReader(file, BYTES), mode="r"), read, parse, convert)
    for part in reader:
        yield pa.Table.from_batches([part])


def _header(text: str, delimiter: str) -> Iterator[list[str]]:
    """The names of the columns; two alike would make it unclear which is meant."""
    import csv

    names = [name.strip().lstrip("\ufeff") for name in next(csv.reader(io.StringIO(text), delimiter=delimiter), [])]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DataError(f"the table has more than one column called {twice!r}; give each its own name")
    yield names


def _of_whole(file: Ahead, name: str, rows: int) -> Iterator[Any]:
    from ..question import frame_of

    content = io.BytesIO(io.BufferedReader(file).read())
    content.name = name
    table = read_table(content)
    frame = frame_of(table, list(table.columns))
    for begin in range(0, frame.num_rows, rows):
        yield frame.slice(begin, rows)


def _told(name: str, parts: Iterator[Any]) -> Iterator[Any]:
    """The parts; what goes wrong while they are read is an error that names the table."""
    import pyarrow as pa

    try:
        yield from parts
    except (pa.ArrowException, UnicodeError, *BROKEN) as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise DataError(f"{name} cannot be read as a table: {error}") from None
