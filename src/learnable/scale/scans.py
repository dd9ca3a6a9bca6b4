"""Scans: rows that are read in blocks, from files, collections of other libraries, or batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.files.fingerprint import fingerprint
from ..core.validate.row_source import RowSource, is_collection
from ..engines import passes
from ._fit import fit_on_scan
from ._score import score_on_scan
from ._sources.open_source import open_source
from ._sources.source import Source
from ._task import RawBlock, ScanTask, streamed_tasks, tasks_of
from ._view import Applied, Between, Mapped, Step, Unweighted, View, chosen_columns
from .plan import Plan, plan_of


@dataclass(frozen=True, eq=False)
class Scan(RowSource):
    """Rows that are read in blocks whenever they are needed; made by `scan`.

    Estimators take it in place of a table: `fit(rows)` learns in passes over it, `predict(rows)` and `transform(rows)`
    give another scan, which computes its blocks when it is read or written.
    """

    source: Source
    view: View
    block_rows: int = passes.LEAF_ROWS

    def count(self) -> int:
        """The number of rows; of streams and of filtered rows it takes a pass."""
        return self._count

    @cached_property
    def _count(self) -> int:
        if self.source.stream is None and not self.view.filters:
            return sum(fragment.rows for fragment in self.source.fragments)
        return int(self.total_of(_rows_of) or 0)

    @property
    def schema(self) -> dict[Any, str]:
        """The type of each column, by name or index."""
        chosen = self.view.columns
        return {name: kind for name, kind in self.source.schema.items() if chosen is None or name in chosen}

    @property
    def fingerprint(self) -> str:
        """A text that changes when the rows, or what is done with them, do."""
        return fingerprint(self.source.fingerprint, self.view, self.block_rows)

    def estimate(self, model: Any) -> Plan:
        """The passes, bytes, memory and time that a fit of `model` takes, before anything runs."""
        return plan_of(model, self)

    def blocks(self) -> Iterator[Any]:
        """The rows block by block, in order; read one after the other by this process."""
        for task in self.tasks(1):
            for _, raw in task.leaves():
                block = self.view(raw)
                if block.rows:
                    yield block.X

    def collect(self) -> Any:
        """All rows as one table in memory, in order: for results that are small, such as predictions."""
        from . import _tables

        blocks = list(self.blocks())
        if not blocks:
            raise no_rows()
        return _tables.joined(blocks)

    def write(self, folder: str | Path) -> Path:
        """Write the rows as Parquet files into a new folder, by the runner in force; nothing is left after an error."""
        from ._write import write_parquet

        return write_parquet(self, Path(folder))

    def where(self, chosen: Callable[[Array], Array]) -> Scan:
        """The rows for whose numbers, counted from 0 over the whole source, `chosen` gives True."""
        return self._with(Step(chosen, filters=True))

    def rows(self, begin: int, end: int, inside: bool = True) -> Scan:
        """The rows from number `begin` to before `end`, or all others."""
        return self._with(Between(begin, end, inside))

    def _with(self, step: Any) -> Scan:
        return replace(self, view=replace(self.view, steps=(*self.view.steps, step)))

    def target_only(self) -> Scan:
        """The targets alone, where reading the other columns can be spared."""
        view = self.view
        named = view.target is not None and self.source.names is not None and not view.steps
        return replace(self, view=replace(view, columns=(), weight=None)) if named else self

    def with_target(self, target: Any, weight: Any = None) -> Scan:
        """The same rows with other columns as target and weights."""
        for name in (target, weight):
            if name is not None and not isinstance(name, (str, int)):
                raise DataError(
                    "fit: the target and the weights of a scan are names of its columns, as in fit(rows, 'price'); or "
                    "give them to scan(X, target=y)"
                )
        if target is None and weight is None:
            return self
        view = replace(self.view, target=self.view.target if target is None else target)
        view = replace(view, weight=view.weight if weight is None else weight)
        view.check(self.source)
        return replace(self, view=view)

    # what estimators call

    def without_weight(self) -> Scan:
        """The same rows, each of weight one."""
        return self._with(Unweighted())

    def mapped(self, function: Callable[[Any], Any]) -> Scan:
        """The same rows with other features, which `function` makes of those of a block."""
        return self._with(Mapped(function))

    def first_table(self) -> Any:
        """The features of the first block."""
        return self.view(self.first_block()).X

    def fit_estimator(self, estimator: Any, y: Any, sample_weight: Any) -> None:
        """Fit `estimator` to these rows."""
        fit_on_scan(self.with_target(y, sample_weight), estimator)

    def apply(self, model: Any, method: str) -> Scan:
        """The rows that `method` of a fitted model gives for these, computed when they are read."""
        return self._with(Applied(model, method))

    def score_model(self, model: Any, y: Any, sample_weight: Any) -> float:
        """The `score` of a fitted model."""
        return score_on_scan(self.with_target(y, sample_weight), model)

    def total_of(self, summarise: Callable[..., Any], *state: Any) -> Any:
        """One pass: the sum of `summarise(block, *state)` over the blocks as they are read, without validation."""
        return passes.total(Viewed(self.view, summarise), state, self.tasks())

    def tasks(self, leaves: int | None = None) -> Iterator[ScanTask]:
        """The tasks of one pass."""
        columns, expected = self.view.read_columns(self.source.names)
        if (pieces := self.source.stream) is not None:
            return streamed_tasks(pieces, self.block_rows, leaves or 4, columns, expected)
        fragments = self.source.fragments
        if leaves is None:
            rows = sum(fragment.rows for fragment in fragments)
            leaves = passes.leaves_per_task(-(-rows // self.block_rows), passes.current_runner().workers)
        return tasks_of(fragments, self.block_rows, leaves, columns, expected)

    def first_block(self) -> RawBlock:
        """The first block, as it was read, of which the view has rows."""
        for task in self.tasks(1):
            for _, raw in task.leaves():
                if self.view(raw).rows:
                    return raw
        raise no_rows()

    def __repr__(self) -> str:
        target = f", target={self.view.target!r}" if self.view.target is not None else ""
        return f"<Scan of {self.source!r}{target}>"


@dataclass(frozen=True)
class Viewed:
    """`summarise` of the rows of a view; of none, nothing."""

    view: View
    summarise: Callable[..., Any]

    def __call__(self, raw: RawBlock, *state: Any) -> Any:
        """The summary of a block."""
        block = self.view(raw)
        return self.summarise(block, *state) if block.rows else None


def no_rows() -> DataError:
    """The error for a source without rows."""
    return DataError("scan: the source has no rows (0 samples)")


def _rows_of(block: RawBlock) -> int:
    return block.rows


def scan(
    source: Any,
    *,
    target: Any = None,
    weight: Any = None,
    columns: Sequence[Any] | None = None,
    block_rows: int | None = None,
) -> Scan:
    """Scan rows that exceed memory or are spread over a cluster, so that estimators learn from them in passes.

    `source` is a file, a folder or a pattern of Parquet, CSV or Arrow files, a pyarrow dataset, a polars LazyFrame, a
    Dask array, frame or bag of frames, a Ray dataset, a Spark frame, a function that returns a fresh iterator of
    tables, or a table in memory. `target` and `weight` name columns (or are arrays, for arrays); `columns` are the
    features, all others by default. Sums are taken along a fixed binary tree over blocks of `block_rows` rows (65 536
    by default): results depend on this number in their last digits, and on nothing else. Given another scan, what is
    named here replaces what that has.

    >>> import numpy as np
    >>> from learnable import Ridge
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> Ridge(alpha=0.0).fit(scan(X, target=[1.0, 3.0, 5.0])).predict([[6.0, 7.0]]).round(6)
    array([7.])
    """
    if block_rows is not None and (not isinstance(block_rows, (int, np.integer)) or block_rows < 1):
        raise DataError(f"scan: block_rows must be a whole number of at least 1; got {block_rows!r}")
    chosen = None if columns is None else chosen_columns(columns)
    if isinstance(source, Scan):
        return _scan_of_scan(source, target, weight, chosen, block_rows)
    target, weight = (int(name) if isinstance(name, np.integer) else name for name in (target, weight))
    named = [None if value is None or isinstance(value, (str, int)) else value for value in (target, weight)]
    opened = open_source(source, *named)
    view = View(
        target if isinstance(target, (str, int)) else None,
        weight if isinstance(weight, (str, int)) else None,
        chosen,
    )
    view.check(opened)
    return Scan(opened, view, passes.LEAF_ROWS if block_rows is None else int(block_rows))


def _scan_of_scan(
    source: Scan, target: Any, weight: Any, columns: tuple[Any, ...] | None, block_rows: int | None
) -> Scan:
    """A scan with other columns or blocks."""
    if columns is not None:
        if source.view.steps:
            raise DataError("scan: columns= chooses from a source; give it to the first scan, before rows are changed")
        source = replace(source, view=replace(source.view, columns=columns))
        source.view.check(source.source)
    found = source.with_target(target, weight)
    return found if block_rows is None else replace(found, block_rows=int(block_rows))


def scan_collection(X: Any, y: Any, sample_weight: Any) -> tuple[Scan, Any, Any]:
    """A Dask array or frame given to a method as a scan, with target and weights where these are names of columns."""
    parts = [part if is_collection(part) or isinstance(part, np.ndarray) else None for part in (y, sample_weight)]
    names = [None if part is not None else given for part, given in zip(parts, (y, sample_weight), strict=True)]
    return scan(X, target=parts[0], weight=parts[1]), *names  # type: ignore[return-value]  # a tuple of three
