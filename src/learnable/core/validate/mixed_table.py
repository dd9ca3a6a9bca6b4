"""Tables with columns of mixed types: numbers, text, categories, dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from .dataframes import opened

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """A column of texts or categories as its different values and the code of each entry, its index among them.

    A missing entry has code -1, and `missing` stands for it. They are `categories` if the
    frame itself says so: then even numbers are names.
    """

    values: Array
    codes: Array
    missing: Any
    categories: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, chosen: Array) -> CategoricalColumn:
        return replace(self, codes=self.codes[chosen])

    @property
    def dtype(self) -> Any:
        """What the column is written out as."""
        return np.dtype(object)

    def written(self) -> Array:
        """The entries one by one."""
        values = np.empty(len(self.values) + 1, dtype=object)
        values[:-1], values[-1] = self.values, self.missing
        return values[self.codes]


@dataclass(frozen=True, eq=False)
class Table:
    """Columns as they came, and their names if they have any; `parts` holds texts by their different values."""

    parts: tuple[Array | CategoricalColumn, ...]
    names: list[str] | None

    @cached_property
    def columns(self) -> tuple[Array, ...]:
        """One array for each column."""
        return tuple(part.written() if isinstance(part, CategoricalColumn) else part for part in self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.parts[0]), len(self.parts)

    @property
    def dtype(self) -> Any:
        """The precision of numbers made from it: single if every column is, else double."""
        single = all(part.dtype == np.float32 for part in self.parts)
        return np.dtype(np.float32 if single else np.float64)

    def __getitem__(self, chosen: Array) -> Table:
        """The table of some rows, by index or mask."""
        return Table(tuple(part[chosen] for part in self.parts), self.names)


def parts_of_frame(frame: Any, labels: Sequence[Any]) -> tuple[Array | CategoricalColumn, ...]:
    """The columns of a data frame of some library: numbers as numbers, texts by value, all else as Python objects."""
    table = opened(frame)
    if table.implementation.is_pyarrow():
        return tuple(_of_arrow(column) for column in table.to_native().columns)
    columns = table.iter_columns()  # one by one by place would list all names for each
    return tuple(_words(column) or _column(column) for column in columns)


def _of_arrow(column: Any) -> Array | CategoricalColumn:
    """A column of an Arrow table; numbers without missing values, of which there may be thousands, directly."""
    import narwhals as nw
    import pyarrow as pa

    if column.null_count == 0 and (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        return np.asarray(column.to_numpy())
    series = nw.from_native(column, series_only=True)
    return _words(series) or _column(series)


def columns_of_frame(frame: Any, labels: Sequence[Any]) -> tuple[Array, ...]:
    """The columns of a data frame of some library, one array each."""
    return Table(parts_of_frame(frame, labels), None).columns


def _words(column: Any) -> CategoricalColumn | None:
    """A column of categories by its different values, and one of texts where pyarrow is there to find them."""
    import narwhals as nw

    missing, categories = (
        np.nan if column.implementation.is_pandas() else None,
        column.dtype in (nw.Categorical, nw.Enum),
    )
    if categories and find_spec("pyarrow") is None:
        return _categories(_objects(column), missing)
    if not (categories or column.dtype == nw.String) or find_spec("pyarrow") is None:
        return None
    coded = column.to_arrow()
    coded = coded.combine_chunks() if hasattr(coded, "combine_chunks") else coded
    coded = coded if hasattr(coded, "dictionary") else coded.dictionary_encode()
    values = np.empty(len(coded.dictionary), dtype=object)
    values[:] = coded.dictionary.to_pylist()
    codes = coded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)  # those of polars have no sign
    return CategoricalColumn(values, codes, missing, categories)


def _categories(entries: Array, missing: Any) -> CategoricalColumn:
    """Categories by their different values, without any other library."""
    gone = is_missing(entries)
    seen = {value: place for place, value in enumerate(dict.fromkeys(entries[~gone].tolist()))}
    values = np.empty(len(seen), dtype=object)
    values[:] = list(seen)
    codes = [-1 if lost else seen[entry] for entry, lost in zip(entries.tolist(), gone, strict=True)]
    return CategoricalColumn(values, np.array(codes, dtype=np.int64), missing, categories=True)


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


def is_missing(column: Array | CategoricalColumn) -> Array:
    """Which entries are missing: None or NaN."""
    if isinstance(column, CategoricalColumn):
        return np.asarray(column.codes < 0)
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "mM":
        return np.isnat(column)
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=bool)
    return np.fromiter((value is None or value != value for value in column.tolist()), bool, len(column))
