"""What a scan makes of rows as they were read: features, target and weights, filtered and transformed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, DataError
from . import _tables
from ._sources.source import Source
from ._task import RawBlock


@dataclass(frozen=True)
class Step:
    """A function of row numbers that keeps some rows."""

    function: Callable[[Array], Array]
    filters: bool = True

    def __call__(self, block: RawBlock) -> RawBlock:
        """The rows that are kept."""
        kept = np.asarray(self.function(np.asarray(block.numbers)), dtype=bool)
        if kept.shape != (block.rows,):
            raise DataError(
                f"where: the function gave an array of shape {kept.shape} for {block.rows} rows; give one value each"
            )
        return block.only(kept)


@dataclass(frozen=True)
class Between:
    """Keeps the rows with numbers in [begin, end), or all others."""

    begin: int
    end: int
    inside: bool
    filters: bool = True

    def __call__(self, block: RawBlock) -> RawBlock:
        """The rows that are kept."""
        numbers = np.asarray(block.numbers)
        return block.only(((numbers >= self.begin) & (numbers < self.end)) == self.inside)


@dataclass(frozen=True)
class Applied:
    """A method of a fitted model, applied to the features."""

    model: Any
    method: str
    filters: bool = False

    def __call__(self, block: RawBlock) -> RawBlock:
        """The rows that the method gives; a column for its predictions."""
        return replace(block, X=getattr(self.model, self.method)(block.X)) if block.rows else block


@dataclass(frozen=True)
class Mapped:
    """A function of the features."""

    function: Callable[[Any], Any]
    filters: bool = False

    def __call__(self, block: RawBlock) -> RawBlock:
        """The rows with other features."""
        return replace(block, X=self.function(block.X)) if block.rows else block


@dataclass(frozen=True)
class Unweighted:
    """Rows of weight one."""

    filters: bool = False

    def __call__(self, block: RawBlock) -> RawBlock:
        """The rows without weights."""
        return replace(block, weight=None)


def chosen_columns(columns: Sequence[Any]) -> tuple[Any, ...]:
    """The features that `columns` names, each once."""
    if isinstance(columns, str):
        raise DataError(f"scan: columns must be a list of names; write columns=[{columns!r}]")
    chosen = tuple(columns)
    if not chosen or len(set(chosen)) < len(chosen):
        raise DataError(f"scan: columns must name at least one column, and each once; got {list(chosen)}")
    return chosen


@dataclass(frozen=True)
class View:
    """Which columns are target, weights and features, and what is done with the rows."""

    target: str | int | None = None
    weight: str | int | None = None
    columns: tuple[Any, ...] | None = None
    steps: tuple[Any, ...] = ()

    @property
    def filters(self) -> bool:
        """Whether rows may be left out."""
        return any(step.filters for step in self.steps)

    @property
    def own(self) -> list[Any]:
        """The columns that are not features."""
        return [name for name in (self.target, self.weight) if name is not None]

    def check(self, source: Source) -> None:
        """Refuse columns that the source does not have, and targets among the features."""
        requested = (*self.own, *(self.columns or ()))
        if not requested:
            return
        names = list(source.schema) if source.names is None else source.names
        for name in requested:
            if names and name not in names:
                raise DataError(f"scan: the source has no column {name!r}; it has {', '.join(map(str, names[:20]))}")
        for name in self.own:
            if name in (self.columns or ()):
                raise DataError(
                    f"scan: column {name!r} is the target or the weight, and a feature too; take it out of columns="
                )

    def read_columns(self, names: Sequence[Any] | None) -> tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]:
        """The columns to read (None: all), and those that every piece must have."""
        if self.columns is None or names is None:
            return None, None if names is None else tuple(names)
        needed = tuple(dict.fromkeys((*self.columns, *self.own)))
        return needed, needed

    def __call__(self, raw: RawBlock) -> RawBlock:
        """Features, target and weights of a block."""
        X, y, weight = raw.X, raw.y, raw.weight
        if self.target is not None:
            y = _tables.column(X, self.target)
        if self.weight is not None:
            weight = _tables.column(X, self.weight)
        X = _tables.without(X, self.own) if self.columns is None else _tables.selected(X, self.columns)
        block = replace(raw, X=X, y=y, weight=weight)
        for step in self.steps:
            block = step(block)
        return block
