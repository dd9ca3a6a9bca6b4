"""Lazy queries: polars LazyFrames and pyarrow datasets, read in slices of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...core.files.fingerprint import fingerprint
from .. import _tables
from .source import Fragment, FragmentRows, Piece, Source

SLICE_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class QueryRows:
    """The rows [begin, end) of a polars LazyFrame."""

    frame: Any
    begin: int
    end: int

    @property
    def rows(self) -> int:
        """How many."""
        return self.end - self.begin

    @property
    def origin(self) -> str:
        """Which rows."""
        return f"rows {self.begin} to {self.end - 1} of the query"

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""
        return QueryRows(self.frame, self.begin + begin, self.begin + end)

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows."""
        frame = self.frame if columns is None else self.frame.select(list(columns))
        yield Piece(frame.slice(self.begin, self.rows).collect(engine="streaming").to_arrow())


class LazyQuery(Source):
    """A polars LazyFrame."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    @cached_property
    def _rows(self) -> int:
        import polars

        return int(self.frame.select(polars.len()).collect(engine="streaming").item())

    @property
    def fragments(self) -> Sequence[Fragment]:
        """Slices of about a million rows."""
        return [
            QueryRows(self.frame, begin, min(begin + SLICE_ROWS, self._rows))
            for begin in range(0, self._rows, SLICE_ROWS)
        ]

    @cached_property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        return {name: str(kind) for name, kind in self.frame.collect_schema().items()}

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns."""
        return list(self.schema)

    @property
    def fingerprint(self) -> str:
        """That of the query and its number of rows."""
        return fingerprint(self.frame.explain(optimized=False), self._rows, str(self.schema))


@dataclass(frozen=True, eq=False)
class DatasetRows:
    """Some rows of a fragment of a pyarrow dataset."""

    fragment: Any
    schema: Any
    rows: int
    first: int = 0
    last: int = -1

    def __repr__(self) -> str:
        return f"{self.origin}, rows {self.first} to {self.last}"

    @property
    def origin(self) -> str:
        """File, and row groups if there are any."""
        groups = [group.id for group in getattr(self.fragment, "row_groups", None) or []]
        return f"{self.fragment.path}{f', row group {groups[0]}' if groups else ''}"

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""
        return DatasetRows(self.fragment, self.schema, self.rows, begin, end)

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows in batches, one at a time."""
        position, end = 0, self.rows if self.last < 0 else self.last
        scanner = self.fragment.scanner(
            schema=self.schema, columns=None if columns is None else list(columns),
            batch_readahead=1, fragment_readahead=1, use_threads=False,
        )  # fmt: skip
        import pyarrow

        for batch in scanner.to_batches():
            begin, stop = max(self.first - position, 0), min(end - position, batch.num_rows)
            if begin < stop:
                yield Piece(pyarrow.Table.from_batches([_tables.cut(batch, begin, stop)]))
            position += batch.num_rows
            if position >= end:
                return


def filtered_batches(dataset: Any) -> Iterator[Any]:
    """The record batches of a dataset with a filter, whose fragments Arrow does not give."""
    yield from dataset.scanner(batch_readahead=1, fragment_readahead=1, use_threads=False).to_batches()


class ArrowDataset(Source):
    """A pyarrow dataset."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    @cached_property
    def fragments(self) -> Sequence[Fragment]:
        """Row groups of Parquet files, and other files whole."""
        parts: list[Any] = []
        for fragment in self.dataset.get_fragments():
            split = getattr(fragment, "split_by_row_group", None)
            parts += split() if split is not None else [fragment]
        schema = self.dataset.schema
        return [DatasetRows(part, schema, _rows_of(part)) for part in parts]

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns."""
        return list(self.dataset.schema.names)

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        return {field.name: str(field.type) for field in self.dataset.schema}

    @property
    def fingerprint(self) -> str:
        """Files and their numbers of rows."""
        return fingerprint([(repr(part), part.rows) for part in self.fragments], str(self.dataset.schema))


def _rows_of(part: Any) -> int:
    """The rows of a fragment; `count_rows` of one row group counts those of the whole file."""
    groups = getattr(part, "row_groups", None)
    return int(part.count_rows() if groups is None else sum(group.num_rows for group in groups))
