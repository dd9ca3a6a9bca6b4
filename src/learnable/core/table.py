"""Tables whose columns are of any kind: numbers, text, categories, dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns as they came, one array each, and their names if they have any."""

    columns: tuple[Array, ...]
    names: list[str] | None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.columns[0]), len(self.columns)

    @property
    def dtype(self) -> Any:
        """The precision of numbers made from it: single if every column is, else double."""
        single = all(column.dtype == np.float32 for column in self.columns)
        return np.dtype(np.float32 if single else np.float64)

    def rows(self, chosen: Array) -> Table:
        """The table of some rows, by index or mask."""
        return Table(tuple(column[chosen] for column in self.columns), self.names)


def columns_of_frame(frame: Any, labels: Sequence[Any]) -> tuple[Array, ...]:
    """The columns of a data frame of some library: numbers as numbers, everything else as Python objects."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    return tuple(_column(table[:, j]) for j in range(len(labels)))


def columns_of_array(X: Array) -> tuple[Array, ...]:
    """The columns of a matrix."""
    return tuple(X[:, j] for j in range(X.shape[1]))


def _column(column: Any) -> Array:
    import narwhals as nw

    kind = column.dtype
    if kind.is_numeric() and not kind.is_decimal():
        return np.asarray(column.cast(nw.Float64).to_numpy() if column.null_count() else column.to_numpy())
    if kind == nw.Boolean and not column.null_count():
        return np.asarray(column.to_numpy(), dtype=bool)
    if kind.is_temporal():
        return np.asarray(column.to_numpy())
    return _objects(column)


def _objects(column: Any) -> Array:
    """Anything as Python objects; whatever a library writes for a missing entry becomes NaN, but None stays None."""
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    for row in np.flatnonzero(np.asarray(column.is_null().to_numpy(), dtype=bool)):
        if values[row] is not None:
            values[row] = np.nan
    return values


def is_missing(column: Array) -> Array:
    """Which entries are missing: None or NaN."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "mM":
        return np.isnat(column)
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=bool)
    return np.fromiter((value is None or value != value for value in column.tolist()), bool, len(column))
