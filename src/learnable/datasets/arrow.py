"""Columns of Arrow tables, and the files that hold them."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError


def columns_of_arrow(table: Any, name: str) -> dict[str, Array]:
    """Column name -> values: numbers with NaN where missing, times, or Python objects."""
    twice = [column for column, count in Counter(table.column_names).items() if count > 1]
    if twice:
        raise DataError(f"{name} has more than one column called {twice[0]!r}; give each its own name")
    return {column: _values(own) for column, own in zip(table.column_names, table.columns, strict=True)}


def columns_of_binary(content: bytes, kind: str, name: str) -> dict[str, Array]:
    """The columns of a Parquet or Arrow file; both need pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow import ipc, parquet
    except ImportError:
        raise DataError(
            f"{name}: reading {kind} files needs pyarrow; install learnable[app], or save the table as CSV"
        ) from None
    try:
        if kind == "parquet":
            return columns_of_arrow(parquet.read_table(io.BytesIO(content)), name)
        opened = ipc.open_file if content.startswith(b"ARROW1") else ipc.open_stream
        return columns_of_arrow(opened(pa.BufferReader(content)).read_all(), name)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{name} cannot be read as a table: {error}") from None


def _values(column: Any) -> Array:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.float64(), safe=False)
    values: Array = column.to_numpy()
    return values
