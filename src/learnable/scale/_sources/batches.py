"""Rows from functions that return a fresh iterator of tables: read in order, as often as there are passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...core import DataError
from ...core.files.fingerprint import fingerprint
from .. import _tables
from .source import Fragment, Piece, Source


class Batches(Source):
    """Tables that a function gives, or pairs of a table and its targets, or triples with weights too."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.seen: tuple[int, int] | None = None

    @property
    def fragments(self) -> Sequence[Fragment]:
        """None: only the stream knows the rows."""
        return ()

    @property
    def stream(self) -> Iterator[Piece]:
        """All rows in order; another number of rows than in the pass before is refused."""
        count, rows = 0, 0
        for batch in self.function():
            piece = as_piece(batch)
            if piece.X is None or (length := _tables.row_count(piece.X)) == 0:
                continue
            yield piece
            count, rows = count + 1, rows + length
        if rows == 0 or (self.seen is not None and rows != self.seen[0]):
            before = "some" if self.seen is None else self.seen[0]
            raise DataError(
                f"scan: the function gave {rows} rows in this pass and {before} in the first; it must return a fresh "
                "iterator of the same rows each time"
            )
        self.seen = (rows, count)

    @cached_property
    def names(self) -> list[Any] | None:
        """Names of the columns of the first table."""
        return self._first[0]

    @cached_property
    def _first(self) -> tuple[list[Any] | None, dict[Any, str]]:
        for batch in self.function():
            piece = as_piece(batch)
            if _tables.row_count(piece.X):
                from .source import InMemory

                memory = InMemory(*piece)
                return memory.names, memory.schema
        raise DataError("scan: the function gave no rows; it must return a fresh iterator of tables each time")

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column of the first table."""
        return self._first[1]

    @property
    def fingerprint(self) -> str:
        """That of the function and of the columns."""
        return fingerprint(self.function, self._first[1])


def as_piece(batch: Any) -> Piece:
    """A table, or a tuple of a table, its targets and its weights."""
    if isinstance(batch, tuple):
        X, *beside = batch
        return Piece(_array_of(X), *(np.asarray(part) for part in beside))
    return Piece(_array_of(batch))


def _array_of(X: Any) -> Any:
    return np.asarray(X) if isinstance(X, list) else X
