"""CSV files, cut at line ends into fragments that are read by Arrow."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...core import DataError
from .. import _tables
from .files import Stamp
from .source import Fragment, FragmentRows, Piece, Source

FRAGMENT_BYTES = 16 * 2**20


@dataclass(frozen=True)
class CsvRows:
    """The rows of a CSV file in the bytes [begin, end), with the types that the first fragment was found to have."""

    stamp: Stamp
    begin: int
    end: int
    rows: int
    types: tuple[tuple[str, Any], ...]
    delimiter: str
    first: int = 0
    last: int = -1

    @property
    def origin(self) -> str:
        """File and bytes."""
        return f"{self.stamp.path}, bytes {self.begin} to {self.end - 1}"

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""
        return CsvRows(self.stamp, self.begin, self.end, self.rows, self.types, self.delimiter, begin, end)

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows."""
        self.stamp.check()
        with open(self.stamp.path, "rb") as file:
            file.seek(self.begin)
            text = file.read(self.end - self.begin)
        table = parsed(text, dict(self.types), self.delimiter, columns)
        yield Piece(_tables.cut(table, self.first, self.rows if self.last < 0 else self.last))


def parsed(text: bytes, types: dict[str, Any] | None, delimiter: str, columns: Sequence[Any] | None = None) -> Any:
    """A table of lines; with `types` they have no header, and columns have those names and types."""
    from io import BytesIO

    import pyarrow.csv

    return pyarrow.csv.read_csv(
        BytesIO(text),
        read_options=pyarrow.csv.ReadOptions(column_names=None if types is None else list(types), use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=None if columns is None else list(columns), strings_can_be_null=True
        ),
    )


class CsvFiles(Source):
    """CSV files with a header, in order. A quoted entry must not hold a line end."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    @cached_property
    def _opened(self) -> tuple[list[Fragment], dict[str, Any], str]:
        """All fragments, the types of the columns, and a digest of all files; counting rows takes a pass."""
        import pyarrow

        found: list[Fragment] = []
        types: dict[str, Any] = {}
        digest = hashlib.blake2b(digest_size=16)
        for path in self.paths:
            stamp = Stamp.of(path)
            delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
            digest.update(repr((str(path), stamp.size, stamp.changed)).encode())
            with open(path, "rb") as file:
                header = file.readline()
                text, begin = _next_lines(file), len(header)
                own = _types_of(header + text, delimiter, path)
                types = types or own
                _tables.check_columns(list(own), list(types), str(path))
                by_name = tuple((name, types[name]) for name in own)
                while text:
                    end = begin + len(text)
                    try:
                        rows = parsed(text, dict(by_name), delimiter).num_rows
                    except (pyarrow.ArrowException, ValueError) as error:
                        raise DataError(
                            f"scan: {path}, bytes {begin} to {end - 1}, cannot be read as {_words(types)}, the types "
                            f"of the first rows: {error}"
                        ) from error
                    found.append(CsvRows(stamp, begin, end, rows, by_name, delimiter))
                    text, begin = _next_lines(file), end
        return found, types, digest.hexdigest()

    @property
    def fragments(self) -> Sequence[Fragment]:
        """Parts of the files of about sixteen megabytes."""
        return self._opened[0]

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns."""
        return list(self._opened[1])

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        return {name: str(kind) for name, kind in self._opened[1].items()}

    @property
    def fingerprint(self) -> str:
        """Names, sizes and times of the files."""
        return self._opened[2]


def _next_lines(file: Any) -> bytes:
    """About FRAGMENT_BYTES, up to the end of a line."""
    text: bytes = file.read(FRAGMENT_BYTES)
    rest: bytes = file.readline()
    return text + rest


def _types_of(text: bytes, delimiter: str, path: Path) -> dict[str, Any]:
    """The types of the columns, found from the first rows: whole numbers count as numbers, which later rows may be."""
    import pyarrow

    try:
        table = parsed(text, None, delimiter)
    except (pyarrow.ArrowException, ValueError) as error:
        raise DataError(f"scan: {path} cannot be read as CSV: {error}") from error
    if len(set(table.schema.names)) < len(table.schema.names):
        twice = sorted({name for name in table.schema.names if table.schema.names.count(name) > 1})
        raise DataError(f"scan: {path} has several columns called {twice[0]!r}; rename them")
    wide = {field.name: field.type for field in table.schema}
    for name, kind in wide.items():
        if pyarrow.types.is_integer(kind) or pyarrow.types.is_null(kind):
            wide[name] = pyarrow.float64()
    return wide


def _words(types: dict[str, Any]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in list(types.items())[:8])
