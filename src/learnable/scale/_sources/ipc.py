"""Arrow and Feather files, read by record batches from a memory map."""

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


@dataclass(frozen=True)
class RecordBatch:
    """A record batch of an Arrow file."""

    stamp: Stamp
    number: int
    rows: int
    first: int = 0
    last: int = -1

    @property
    def origin(self) -> str:
        """File and record batch."""
        return f"{self.stamp.path}, record batch {self.number}"

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""
        return RecordBatch(self.stamp, self.number, self.rows, begin, end)

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows."""
        import pyarrow

        self.stamp.check()
        with pyarrow.memory_map(self.stamp.path) as mapped, pyarrow.ipc.open_file(mapped) as file:
            table = pyarrow.Table.from_batches([file.get_batch(self.number)])
            if columns is not None:
                table = table.select(list(columns))
            yield Piece(_tables.cut(table, self.first, self.rows if self.last < 0 else self.last))


class ArrowFiles(Source):
    """Arrow files of one schema, in order."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    @cached_property
    def _opened(self) -> tuple[list[Fragment], Any, str]:
        import pyarrow

        batches: list[Fragment] = []
        first, digest = None, hashlib.blake2b(digest_size=16)
        for path in self.paths:
            stamp = Stamp.of(path)
            digest.update(repr((str(path), stamp.size, stamp.changed)).encode())
            try:
                with pyarrow.memory_map(str(path)) as mapped, pyarrow.ipc.open_file(mapped) as file:
                    first = file.schema if first is None else first
                    _tables.check_columns(file.schema.names, first.names, str(path))
                    rows = [file.get_batch(i).num_rows for i in range(file.num_record_batches)]
                    batches += [RecordBatch(stamp, i, count) for i, count in enumerate(rows)]
            except (OSError, pyarrow.ArrowException) as error:
                raise DataError(f"scan: {path} cannot be read as an Arrow file: {error}") from error
        return batches, first, digest.hexdigest()

    @property
    def fragments(self) -> Sequence[Fragment]:
        """The record batches."""
        return self._opened[0]

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns."""
        return list(self._opened[1].names)

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        return {field.name: str(field.type) for field in self._opened[1]}

    @property
    def fingerprint(self) -> str:
        """Names, sizes and times of the files."""
        return self._opened[2]
