"""Dask arrays, frames and bags of frames: their partitions are the fragments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ...core import DataError
from ...core.files.fingerprint import fingerprint
from .. import _tables
from .source import Fragment, FragmentRows, Piece, Source


@dataclass(frozen=True, eq=False)
class PartitionRows:
    """Some rows of a partition, which are computed where they are read; `parts` are features, targets and weights."""

    parts: tuple[Any, ...]
    number: int
    rows: int
    first: int = 0
    last: int = -1

    @property
    def origin(self) -> str:
        """Which partition."""
        return f"partition {self.number}"

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""
        return replace(self, first=begin, last=end)

    def filled(self, parts: tuple[Any, ...]) -> PartitionRows:
        """The same with parts that have been computed."""
        return replace(self, parts=parts)

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows; computed by this thread unless the engine has done so."""
        dask = engine()
        parts = dask.compute(*self.parts, scheduler="synchronous")
        X = as_table(parts[0])
        if _tables.row_count(X) != self.rows:
            raise DataError(
                f"scan: {self.origin} has {_tables.row_count(X)} rows now, and had {self.rows} when they were counted; "
                "its source has changed"
            )
        X = X if columns is None else _tables.selected(X, columns)
        beside = [None if part is None else np.asarray(part) for part in parts[1:]]
        yield Piece(X, *beside).cut(self.first, self.rows if self.last < 0 else self.last)


class DaskCollection(Source):
    """A Dask array, frame or bag of frames, with targets and weights partitioned like it or in memory."""

    def __init__(self, X: Any, y: Any = None, weight: Any = None) -> None:
        self.X, self.beside = X, (y, weight)

    @cached_property
    def fragments(self) -> Sequence[Fragment]:
        """The partitions; those of unknown length are counted, which takes a pass."""
        parts = partitions(self.X)
        lengths = known_lengths(self.X)
        if lengths is None:
            dask = engine()
            lengths = list(dask.compute(*[dask.delayed(_length)(part) for part in parts]))
        beside = [_like(values, lengths) for values in self.beside]
        return [PartitionRows((part, *(column[k] for column in beside)), k, lengths[k]) for k, part in enumerate(parts)]

    @cached_property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        if hasattr(self.X, "dtypes"):
            return {name: str(kind) for name, kind in self.X.dtypes.items()}
        if hasattr(self.X, "chunks"):
            return dict.fromkeys(range(self.X.shape[1]), str(self.X.dtype))
        first = as_table(self.X.take(1, npartitions=-1)[0])
        return {name: str(kind) for name, kind in first.dtypes.items()}

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns of frames."""
        return None if hasattr(self.X, "chunks") else list(self.schema)

    @property
    def fingerprint(self) -> str:
        """The token of the graph, which names what it reads."""
        from dask.base import tokenize

        return fingerprint(tokenize(self.X), *(str(tokenize(part)) for part in self.beside))


def engine() -> Any:
    """The package dask, whose functions have no types."""
    import dask

    return dask


def partitions(X: Any) -> list[Any]:
    """The partitions of a collection as delayed values, each with all columns."""
    if not hasattr(X, "chunks"):
        return list(X.to_delayed())
    whole = X.rechunk({1: -1}) if X.ndim == 2 else X
    return list(whole.to_delayed().ravel())


def known_lengths(X: Any) -> list[int] | None:
    """The lengths of the partitions, if they are known without a pass."""
    if not hasattr(X, "chunks") or any(np.isnan(length) for length in X.chunks[0]):
        return None
    return list(X.chunks[0])


def as_table(part: Any) -> Any:
    """A computed partition as one table: a partition of a bag is a list of frames."""
    return _tables.joined(part) if isinstance(part, list) else part


def _length(part: Any) -> int:
    return _tables.row_count(as_table(part))


def _like(values: Any, lengths: list[int]) -> list[Any]:
    """Targets or weights cut into partitions of these lengths."""
    if values is None:
        return [None] * len(lengths)
    if hasattr(values, "to_delayed"):
        known = known_lengths(values)
        if known is not None and known != lengths and sum(known) == sum(lengths):
            values = values.rechunk({0: tuple(lengths)})
        parts = partitions(values)
        if len(parts) != len(lengths):
            raise DataError(
                f"scan: the table has {len(lengths)} partitions, and the target {len(parts)}; partition them alike"
            )
        return parts
    ends = np.cumsum([0, *lengths])
    if len(values) != ends[-1]:
        raise DataError(f"scan: the table has {ends[-1]} rows, but the target or weights have {len(values)}")
    return [values[begin:end] for begin, end in pairwise(ends)]
