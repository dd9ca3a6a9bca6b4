"""What a scan reads from: fragments of known length that can be read in any order, or a stream of batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...core import DataError
from ...core.files.fingerprint import fingerprint
from .. import _tables


class Piece(NamedTuple):
    """Consecutive rows: a table, and targets and weights where these are not columns of it."""

    X: Any
    y: Any = None
    weight: Any = None

    def cut(self, begin: int, end: int) -> Piece:
        """The rows [begin, end)."""
        return Piece(*(_tables.cut(part, begin, end) for part in self))


class FragmentRows(Protocol):
    """Consecutive rows of a fragment, which are read where they are needed."""

    @property
    def origin(self) -> str:
        """What errors call it."""

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows in pieces, of these columns alone where the format allows it."""


class Fragment(Protocol):
    """Rows that are stored together, such as a row group of a file."""

    @property
    def rows(self) -> int:
        """How many."""

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""


class Source(ABC):
    """Rows in fragments of known length."""

    @property
    @abstractmethod
    def fragments(self) -> Sequence[Fragment]:
        """All fragments in order."""

    @property
    @abstractmethod
    def names(self) -> list[Any] | None:
        """Names of the columns, if they have any."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A text that changes when the rows do."""

    def __repr__(self) -> str:
        return type(self).__name__

    @property
    def stream(self) -> Iterator[Piece] | None:
        """For rows that can only be read in order, a fresh iterator of them."""
        return None

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column, by name or index."""
        return {}


@dataclass(frozen=True)
class ArraySegment:
    """Rows in memory."""

    piece: Piece
    origin: str

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows."""
        yield self.piece


@dataclass(frozen=True)
class ArrayFragment:
    """An array or frame in memory."""

    piece: Piece
    rows: int
    origin: str = "the table"

    def segment(self, begin: int, end: int) -> ArraySegment:
        """Its rows [begin, end)."""
        return ArraySegment(self.piece.cut(begin, end), f"rows {begin} to {end - 1} of {self.origin}")


class InMemory(Source):
    """Arrays and frames."""

    def __init__(self, X: Any, y: Any = None, weight: Any = None) -> None:
        rows = _tables.row_count(X)
        for name, values in (("target", y), ("weight", weight)):
            if values is not None and _tables.row_count(values) != rows:
                raise DataError(f"scan: the table has {rows} rows, but {name} has {_tables.row_count(values)}")
        self.piece = Piece(X, y, weight)
        self.parts = (ArrayFragment(self.piece, rows),)

    @property
    def fragments(self) -> Sequence[Fragment]:
        """The table."""
        return self.parts

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns of a frame."""
        return _tables.column_names(self.piece.X)

    @property
    def fingerprint(self) -> str:
        """That of the values."""
        return fingerprint(*self.piece)

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        X = self.piece.X
        if _tables.is_arrow(X):
            return {field.name: str(field.type) for field in X.schema}
        if hasattr(X, "columns"):
            return {name: str(kind) for name, kind in zip(X.columns, X.dtypes, strict=True)}
        return dict.fromkeys(range(np.shape(X)[1]), str(X.dtype)) if np.ndim(X) == 2 else {}
