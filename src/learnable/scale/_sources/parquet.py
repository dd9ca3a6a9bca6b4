"""Parquet files, read by row groups: the dataset scanner of Arrow would hold whole files."""

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
from .source import Fragment, Piece, Source

BATCH_ROWS = 65_536


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file, and the file as it was when it was opened."""

    stamp: Stamp
    group: int
    rows: int

    def segment(self, begin: int, end: int) -> GroupRows:
        """Its rows [begin, end)."""
        return GroupRows(self.stamp, self.group, begin, end)


@dataclass(frozen=True)
class GroupRows:
    """Some rows of a row group."""

    stamp: Stamp
    group: int
    begin: int
    end: int

    @property
    def origin(self) -> str:
        """File and row group."""
        return f"{self.stamp.path}, row group {self.group}"

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows in batches, so that a large row group is never held whole."""
        import pyarrow.parquet

        self.stamp.check()
        position = 0
        with pyarrow.parquet.ParquetFile(self.stamp.path, pre_buffer=False) as file:
            for batch in file.iter_batches(
                BATCH_ROWS, row_groups=[self.group], columns=None if columns is None else list(columns),
                use_threads=False,
            ):  # fmt: skip
                begin, end = max(self.begin - position, 0), min(self.end - position, batch.num_rows)
                if begin < end:
                    yield Piece(pyarrow.Table.from_batches([_tables.cut(batch, begin, end)]))
                position += batch.num_rows
                if position >= self.end:
                    return


class ParquetFiles(Source):
    """Parquet files of one schema, in order."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    @cached_property
    def _opened(self) -> tuple[list[Fragment], Any, str]:
        """All row groups, the schema of the first file, and a digest of all footers."""
        import pyarrow

        groups: list[Fragment] = []
        first, digest = None, hashlib.blake2b(digest_size=16)
        for path in self.paths:
            stamp = Stamp.of(path)
            try:
                with pyarrow.parquet.ParquetFile(path) as file:
                    schema, footer = file.schema_arrow, file.metadata
            except (OSError, pyarrow.ArrowException) as error:
                raise DataError(f"scan: {path} cannot be read as Parquet: {error}") from error
            first = schema if first is None else first
            _tables.check_columns(schema.names, first.names, str(path))
            _check_types(schema, first, path)
            groups += [RowGroup(stamp, i, footer.row_group(i).num_rows) for i in range(footer.num_row_groups)]
            digest.update(repr((str(path), stamp.size, stamp.changed, footer.num_rows, str(schema))).encode())
        return groups, first, digest.hexdigest()

    @property
    def fragments(self) -> Sequence[Fragment]:
        """The row groups."""
        import pyarrow.parquet  # noqa: F401  # before the footers are read

        return self._opened[0]

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns."""
        return list(self.schema)

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        import pyarrow.parquet  # noqa: F401  # before the footers are read

        return {field.name: str(field.type) for field in self._opened[1]}

    @property
    def fingerprint(self) -> str:
        """Sizes, times, rows and schemas of the files."""
        _ = self.fragments
        return self._opened[2]


def _check_types(schema: Any, first: Any, path: Path) -> None:
    """Refuse a file in which a column is of another kind than in the first: text where that has numbers, say."""
    for field in first:
        kinds = [_kind(field.type), _kind(schema.field(field.name).type)]
        if kinds[0] != kinds[1]:
            raise DataError(
                f"scan: column {field.name!r} holds {schema.field(field.name).type} in {path}, and {field.type} in the "
                "first file; convert one of them"
            )


def _kind(kind: Any) -> str:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _kind(kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind)
    return "number" if numeric or types.is_decimal(kind) else str(kind)
