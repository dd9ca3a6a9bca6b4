"""Columns of Arrow tables, and the files that hold them."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.runtime import context
from ...core.validate.identifier_columns import BEYOND, has_inexact_integers
from .integer_codes import kept_as_text, note_of_text
from .python_columns import Columns, plain_columns, texts
from .sources import check_room

BYTES_OF_CELL = 8


def columns_of_arrow(table: Any, name: str, requested: Mapping[str, str]) -> Columns:
    """The columns: numbers with NaN where missing, times, or texts; `requested` holds the requested types."""
    twice = [column for column, count in Counter(table.column_names).items() if count > 1]
    if twice:
        raise DataError(f"{name} has more than one column called {twice[0]!r}; give each its own name")
    with suppress(ImportError):
        import_module("pandas")  # Arrow would do it with the first column, and lose an interrupt that comes meanwhile
    read = {
        column: _values(column, own, requested, name)
        for column, own in zip(table.column_names, table.columns, strict=True)
    }
    notes = [note for column, (_, notes) in read.items() for note in notes if column not in requested]
    return {column: values for column, (values, _) in read.items()}, notes


def columns_of_binary(content: bytes, kind: str, name: str, requested: Mapping[str, str]) -> Columns:
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
            facts = parquet.ParquetFile(io.BytesIO(content)).metadata
            check_room(name, facts.num_rows * facts.num_columns * BYTES_OF_CELL // 2)
            return columns_of_arrow(parquet.read_table(io.BytesIO(content)), name, requested)
        opened = ipc.open_file if content.startswith(b"ARROW1") else ipc.open_stream
        return columns_of_arrow(opened(pa.BufferReader(content)).read_all(), name, requested)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{name} cannot be read as a table: {error}") from None


def _values(column: str, own: Any, requested: Mapping[str, str], name: str) -> tuple[Array, list[str]]:
    """The values of one column, and notes on what they were made of."""
    import pyarrow as pa

    context.give_way()
    kind = own.type
    if pa.types.is_dictionary(kind):
        _check_written_out(own, name)
        return _categories(column, own.cast(kind.value_type), requested, name)
    if pa.types.is_null(kind):
        return np.full(len(own), np.nan), []
    if pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale <= 0):
        return _whole(column, own, requested)
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        return own.cast(pa.float64(), safe=False).to_numpy(), []
    if pa.types.is_duration(kind):
        return own.to_numpy() / np.timedelta64(1, "s"), [f"{column!r} is a duration, in seconds"]
    if any(test(kind) for test in (pa.types.is_floating, pa.types.is_timestamp, pa.types.is_date, pa.types.is_string)):
        return own.to_numpy(), []
    columns, notes = plain_columns({column: own.to_pylist()}, requested, name)
    return columns[column], notes or (
        [] if pa.types.is_large_string(kind) else [f"{column!r} ({kind}) is read as text"]
    )


def _check_written_out(own: Any, name: str) -> None:
    """Refuse texts that a file holds once and that fill the memory where every row has its own."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(own.type.value_type) or pa.types.is_large_string(own.type.value_type):
        chunks = own.chunks if isinstance(own, pa.ChunkedArray) else [own]
        lengths = (pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() for chunk in chunks)
        check_room(name, sum(length or 0 for length in lengths))


def _categories(column: str, own: Any, requested: Mapping[str, str], name: str) -> tuple[Array, list[str]]:
    """Dictionary-encoded columns; numbers among them are texts unless requested as numbers."""
    values, notes = _values(column, own, requested, name)
    if values.dtype.kind != "f" or not kept_as_text(column, requested):
        return values, notes
    return texts(None if entry is None else str(entry) for entry in own.to_pylist()), []


def _whole(column: str, own: Any, requested: Mapping[str, str]) -> tuple[Array, list[str]]:
    """Whole numbers as floats, or as the texts that they are written as."""
    import pyarrow as pa
    from pyarrow import compute

    ends = [int(end) for end in compute.min_max(own).as_py().values() if end is not None]
    beyond = kept_as_text(column, requested) and has_inexact_integers(ends)
    if beyond or requested.get(column) == "categorical":
        return own.cast(pa.string()).to_numpy(), [note_of_text(column, BEYOND)]
    return own.cast(pa.float64(), safe=False).to_numpy(), []
