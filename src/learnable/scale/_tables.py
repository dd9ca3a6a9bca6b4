"""Pieces of tables of several libraries: their length, columns and slices, and pieces joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import DataError
from ..core.validate.targets import is_sparse


def is_arrow(table: Any) -> bool:
    """Whether it is a pyarrow table or record batch."""
    return type(table).__module__.startswith("pyarrow")


def row_count(table: Any) -> int:
    """How many rows it has."""
    return int(table.num_rows if is_arrow(table) else np.shape(table)[0])


def column_names(table: Any) -> list[Any] | None:
    """The labels of its columns; None for arrays."""
    if is_arrow(table):
        return list(table.schema.names)
    return list(table.columns) if hasattr(table, "columns") else None


def cut(table: Any, begin: int, end: int) -> Any:
    """The rows [begin, end), without a copy where that is possible."""
    if table is None or (begin == 0 and end == row_count(table)):
        return table
    if is_arrow(table):
        return table.slice(begin, end - begin)
    return table.iloc[begin:end] if hasattr(table, "iloc") else table[begin:end]


def chosen(table: Any, mask: Any) -> Any:
    """The rows where `mask` is true."""
    if table is None:
        return None
    if is_arrow(table):
        return table.take(np.flatnonzero(mask))
    if hasattr(table, "iloc"):
        return table.iloc[np.flatnonzero(mask)]
    return table.filter(mask) if hasattr(table, "filter") else table[mask]


def joined(pieces: Sequence[Any]) -> Any:
    """Several pieces of one table, one after the other."""
    if len(pieces) == 1 or pieces[0] is None:
        return pieces[0]
    first = pieces[0]
    if is_arrow(first):
        import pyarrow

        batches = pyarrow.RecordBatch
        tables = [pyarrow.Table.from_batches([one]) if isinstance(one, batches) else one for one in pieces]
        if any(table.schema != tables[0].schema for table in tables):
            tables = [_without_codes(table) for table in tables]
        return pyarrow.concat_tables(tables, promote_options="permissive")
    if is_sparse(first):
        from scipy import sparse

        return sparse.vstack(pieces, format="csr")
    if isinstance(first, np.ndarray):
        return np.concatenate([np.asarray(piece) for piece in pieces])
    import narwhals as nw

    return nw.concat([nw.from_native(piece, allow_series=True) for piece in pieces]).to_native()


def _without_codes(table: Any) -> Any:
    """An Arrow table whose dictionaries are decoded, as other parts may hold the values themselves."""
    import pyarrow

    fields = [
        field.with_type(field.type.value_type) if pyarrow.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pyarrow.schema(fields))


def column(table: Any, name: Any) -> Any:
    """One column as an array; of an array by its index."""
    if is_arrow(table):
        values = table.column(name)
        return values.to_numpy() if hasattr(values, "num_chunks") else values.to_numpy(zero_copy_only=False)
    if isinstance(table, np.ndarray) or is_sparse(table):
        values = table[:, name]
        return values.toarray().ravel() if is_sparse(table) else values
    return table[name]


def selected(table: Any, names: Sequence[Any]) -> Any:
    """The columns of these names, in this order; of an array by their indices."""
    if is_arrow(table):
        return table if list(table.schema.names) == list(names) else table.select(list(names))
    if isinstance(table, np.ndarray) or is_sparse(table):
        return table[:, list(names)]
    return table[list(names)]


def without(table: Any, names: Sequence[Any]) -> Any:
    """The table without some columns."""
    if not names:
        return table
    labels = column_names(table)
    kept = range(table.shape[1]) if labels is None else labels
    return selected(table, [name for name in kept if name not in names])


def check_columns(given: Sequence[Any] | None, expected: Sequence[Any] | None, origin: str) -> None:
    """Refuse a piece whose columns are not those of the first one, in any order."""
    if given is None or expected is None or set(given) == set(expected):
        return
    missing = [name for name in expected if name not in set(given)]
    more = [name for name in given if name not in set(expected)]
    found = [f"lacks {missing[:5]}"] * bool(missing) + [f"has {more[:5]} beyond them"] * bool(more)
    raise DataError(
        f"scan: {origin} has other columns than the first part: it {' and '.join(found)}; bring all parts to one "
        "schema, or name the columns that they share with columns="
    )
