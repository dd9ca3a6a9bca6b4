"""Arrow tables as databases return them, with columns that a table of ours can hold."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ...core import DataError

REMEDIES = {"interval": "EXTRACT(EPOCH FROM ...)", "money": "CAST(... AS NUMERIC)"}
DIGITS = 38  # of the decimals that Arrow computes with
FIXED_WIDTH = "bpchar"  # CHAR(n), whose trailing blanks do not count


def plain_table(table: Any) -> Any:
    """The table with numbers for decimals of any precision and texts for JSON and UUIDs; binary data are refused."""
    import pyarrow as pa

    names = checked_names(table.column_names)
    return pa.table([_plain(*column) for column in zip(table.schema, table.columns, strict=True)], names=names)


def checked_names(names: list[str]) -> list[str]:
    """The names of the columns of a query, each of which occurs once."""
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DataError(f"the query returns two columns called {twice!r}; rename one with AS")
    return names


def _plain(field: Any, column: Any) -> Any:
    """One column without the types that only databases have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, called = field.type, _type_in_database(field)
    if called in REMEDIES:
        raise DataError(f"column {field.name!r} of the query is of type {called}; write {REMEDIES[called]}")
    if isinstance(kind, pa.BaseExtensionType):
        if called == "uuid" or kind.extension_name == "arrow.uuid":
            return pa.array([None if value is None else str(value) for value in column.to_pylist()], pa.string())
        kind, column = kind.storage_type, _storage(column)
    if called == "numeric":
        return _numbers(column)
    if called == FIXED_WIDTH:
        return pc.utf8_rtrim(column, " ")
    if any(test(kind) for test in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)):
        raise DataError(f"column {field.name!r} of the query holds binary data ({called}); leave it out or cast it")
    return column


def _type_in_database(field: Any) -> str:
    """The name of the type in the database, as far as it is known."""
    import pyarrow as pa

    known = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
    opaque = getattr(field.type, "type_name", "")
    return known or opaque or ("interval" if field.type == pa.month_day_nano_interval() else str(field.type))


def _storage(column: Any) -> Any:
    """The entries of a column of an extension type as Arrow stores them."""
    import pyarrow as pa

    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _numbers(column: Any) -> Any:
    """Decimals that came as texts: exact where they are whole, since those may be identifiers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if (pc.max(pc.utf8_length(column)).as_py() or 0) <= DIGITS:
        with suppress(pa.ArrowInvalid):
            return column.cast(pa.decimal128(DIGITS, 0))
    return column.cast(pa.float64())
