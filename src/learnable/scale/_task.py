"""Tasks of a scan: consecutive leaves and the segments that they are read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import DataError
from ..core.errors import LearnableError
from . import _tables
from ._sources.source import Fragment, FragmentRows, Piece


@dataclass(frozen=True)
class RawBlock:
    """Rows as they were read, before validation: their numbers among all rows, and where they come from."""

    X: Any
    y: Any
    weight: Any
    numbers: Any
    origin: str

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.numbers)

    def only(self, mask: Any) -> RawBlock:
        """The rows where `mask` is true."""
        if mask.all():
            return self
        X, y, weight = (_tables.chosen(part, mask) for part in (self.X, self.y, self.weight))
        return RawBlock(X, y, weight, np.asarray(self.numbers)[mask], self.origin)


@dataclass(frozen=True)
class ScanTask:
    """Leaves from number `first` on, of `leaf_rows` rows each: the rows of `segments`."""

    first: int
    leaf_rows: int
    segments: tuple[FragmentRows, ...]
    columns: tuple[Any, ...] | None
    expected: tuple[Any, ...] | None

    @property
    def origin(self) -> str:
        """The first segment, and the last if there are several."""
        origins = list(dict.fromkeys(segment.origin for segment in self.segments))
        return origins[0] if len(origins) == 1 else f"{origins[0]} to {origins[-1]}"

    def leaves(self) -> Iterator[tuple[int, RawBlock]]:
        """The number of each leaf, and its rows."""
        number, held, count = self.first, [], 0
        for origin, piece in self._pieces():
            begin, rows = 0, _tables.row_count(piece.X)
            while begin < rows:
                end = min(rows, begin + self.leaf_rows - count)
                held.append((origin, piece.cut(begin, end)))
                count, begin = count + end - begin, end
                if count == self.leaf_rows:
                    yield number, self._block(number, held, count)
                    number, held, count = number + 1, [], 0
        if count:
            yield number, self._block(number, held, count)

    def _pieces(self) -> Iterator[tuple[str, Piece]]:
        for segment in self.segments:
            try:
                for piece in segment.read(self.columns):
                    yield segment.origin, self._in_order(piece, segment.origin)
            except (OSError, ArithmeticError, ValueError, TypeError) as error:
                if isinstance(error, LearnableError):
                    raise
                raise DataError(f"scan: {segment.origin} cannot be read: {error}") from error

    def _in_order(self, piece: Piece, origin: str) -> Piece:
        """A piece with the expected columns in their order; another schema is refused."""
        names, expected = _tables.column_names(piece.X), self.expected
        if names is None or expected is None or names == list(expected):
            return piece
        chosen = names if self.columns is None else [name for name in names if name in expected]
        _tables.check_columns(chosen, expected, origin)
        return piece._replace(X=_tables.selected(piece.X, expected))

    def _block(self, number: int, held: list[tuple[str, Piece]], count: int) -> RawBlock:
        X, y, weight = (_tables.joined([piece[k] for _, piece in held]) for k in range(3))
        begin = number * self.leaf_rows
        return RawBlock(X, y, weight, range(begin, begin + count), held[0][0])


def tasks_of(
    fragments: Sequence[Fragment], leaf_rows: int, leaves: int, columns: Any, expected: Any
) -> Iterator[ScanTask]:
    """Tasks of `leaves` leaves over all rows of `fragments`."""
    needed, first = leaf_rows * leaves, 0
    segments: list[FragmentRows] = []
    count = 0
    for fragment in fragments:
        begin = 0
        while begin < fragment.rows:
            end = min(fragment.rows, begin + needed - count)
            segments.append(fragment.segment(begin, end))
            count, begin = count + end - begin, end
            if count == needed:
                yield ScanTask(first, leaf_rows, tuple(segments), columns, expected)
                first, segments, count = first + leaves, [], 0
    if count:
        yield ScanTask(first, leaf_rows, tuple(segments), columns, expected)


def streamed_tasks(
    pieces: Iterator[Piece], leaf_rows: int, leaves: int, columns: Any, expected: Any
) -> Iterator[ScanTask]:
    """The same for rows that can only be read in order: each task holds its rows."""
    from ._sources.source import ArraySegment

    needed, first, count, row = leaf_rows * leaves, 0, 0, 0
    segments: list[FragmentRows] = []
    for number, piece in enumerate(pieces):
        begin, rows = 0, _tables.row_count(piece.X)
        while begin < rows:
            end = min(rows, begin + needed - count)
            segments.append(ArraySegment(piece.cut(begin, end), f"batch {number}"))
            count, begin, row = count + end - begin, end, row + end - begin
            if count == needed:
                yield ScanTask(first, leaf_rows, tuple(segments), columns, expected)
                first, segments, count = first + leaves, [], 0
    if count:
        yield ScanTask(first, leaf_rows, tuple(segments), columns, expected)


def with_segments(task: ScanTask, segments: tuple[FragmentRows, ...]) -> ScanTask:
    """The task with other segments of the same rows."""
    return replace(task, segments=segments)
