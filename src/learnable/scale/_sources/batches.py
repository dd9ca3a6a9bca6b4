"""Rows from functions that return a fresh iterator of tables: read in order, as often as there are passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...core import DataError
from ...core.files.fingerprint import fingerprint
from .. import _tables
from .source import Fragment, InMemory, Piece, Source


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
        count, rows, first = 0, 0, None
        for batch in self._batches():
            piece = as_piece(batch)
            if (length := _tables.row_count(piece.X)) == 0:
                continue
            shape = tuple(_width(part) for part in piece)
            if shape != (first := first or shape):
                raise DataError(
                    f"scan: batch {count} has table, target and weights with columns {shape}, and the first batch "
                    f"{first}; all batches must be alike"
                )
            yield piece
            count, rows = count + 1, rows + length
        if rows == 0 or (self.seen is not None and rows != self.seen[0]):
            before = "some" if self.seen is None else self.seen[0]
            raise DataError(
                f"scan: the function gave {rows} rows in this pass and {before} in the first; it must return a fresh "
                "iterator of the same rows each time"
            )
        self.seen = (rows, count)

    def _batches(self) -> Iterator[Any]:
        batches = self.function()
        if not hasattr(batches, "__iter__"):
            raise DataError(
                f"scan: the function returned {type(batches).__name__}; it must return an iterator of tables"
            )
        return iter(batches)

    @cached_property
    def names(self) -> list[Any] | None:
        """Names of the columns of the first table."""
        return self._first[0]

    @cached_property
    def _first(self) -> tuple[list[Any] | None, dict[Any, str]]:
        for batch in self._batches():
            piece = as_piece(batch)
            if _tables.row_count(piece.X):
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
    parts = batch if isinstance(batch, tuple) else (batch,)
    if not 1 <= len(parts) <= 3:
        raise DataError(f"scan: a batch of {len(parts)} parts; give a table, (X, y) or (X, y, weight)")
    X, *beside = parts
    X = _array_of(X)
    if not (_tables.is_arrow(X) or len(getattr(X, "shape", ())) == 2):
        raise DataError(f"scan: a batch holds {type(X).__name__}; give frames, or arrays with two dimensions")
    piece = Piece(X, *(None if part is None else np.asarray(part) for part in beside))
    InMemory(*piece)  # an error if the parts differ in length
    return piece


def _width(part: Any) -> Any:
    """The columns of arrays; those of frames are compared by name, where they are read."""
    return None if part is None else "named" if _tables.column_names(part) is not None else np.shape(part)[1:]


def _array_of(X: Any) -> Any:
    return np.asarray(X) if isinstance(X, list) else X
