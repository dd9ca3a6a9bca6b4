"""Selection of rows of any container: arrays, sparse matrices, data frames, series, lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from .dataframes import is_frame
from .features import Array


def row_count(table: Any, name: str = "X") -> int:
    """How many rows there are; `name` is what messages call the table.

    >>> row_count([[1, 2], [3, 4], [5, 6]])
    3
    """
    shape = getattr(table, "shape", None)
    if shape is not None and len(shape) > 0:
        return int(shape[0])
    if shape is None and hasattr(table, "__array__"):
        return row_count(np.asarray(table), name)
    if shape is not None or not hasattr(table, "__len__") or isinstance(table, (str, bytes)):
        raise DataError(f"{name} must be a table, an array or a list with one entry per row; got {table!r:.40}")
    return len(table)


def as_rows(rows: Any) -> Any:
    """Lists as an array, numbers beside text as objects; whatever is an array or a table already as it is.

    >>> as_rows([[1, "a"], [2, "b"]]).tolist()
    [[1, 'a'], [2, 'b']]
    """
    if hasattr(rows, "shape"):
        return rows
    array = np.asarray(rows)
    return np.array(rows, dtype=object) if array.dtype.kind in "US" and array.ndim == 2 else array


def take_rows(table: Any, rows: Array) -> Any:
    """The rows with these numbers, in the container they came in.

    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if isinstance(table, np.ndarray):
        return table[rows]
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if hasattr(table, "take") and hasattr(table, "to_pylist"):
        return table.take(rows)  # a table or a column of Arrow
    if hasattr(table, "tocsr"):
        return (table if table.format in ("csr", "csc") else table.tocsr())[rows]
    if isinstance(table, (list, tuple)):
        return [table[row] for row in rows]
    return table[rows] if hasattr(table, "__getitem__") else np.asarray(table)[rows]


def check_equal_lengths(owner: str, **tables: Any) -> int:
    """The common number of rows of named tables; a table may be None."""
    counts = {name: row_count(table, f"{owner}: {name}") for name, table in tables.items() if table is not None}
    first = next(iter(counts))
    for name, count in counts.items():
        if count != counts[first]:
            raise DataError(
                f"{owner}: {first} has {counts[first]} rows but {name} has {count}: they must have the same number of "
                "rows"
            )
    return counts[first]


def joined_rows(tables: Sequence[Any]) -> Any:
    """Tables of one kind, each below the one before it.

    >>> joined_rows([np.array([[1, 2]]), np.array([[3, 4]])]).tolist()
    [[1, 2], [3, 4]]
    """
    if hasattr(tables[0], "tocsr"):
        from scipy.sparse import vstack

        return vstack(list(tables), format="csr")
    if is_frame(tables[0]):
        import narwhals as nw

        return nw.concat([nw.from_native(table, eager_only=True) for table in tables], how="vertical").to_native()
    return np.concatenate([np.asarray(table) for table in tables])


def with_more_rows(table: Any, more: Any) -> Any:
    """`table` with rows below it that came as a matrix or as a tuple of columns, in the container and types of `table`.

    Columns of whole numbers take the nearest whole number.

    >>> with_more_rows(np.array([[1, 2]]), np.array([[1.4, 2.6]]))
    array([[1, 2],
           [1, 3]])
    """
    if hasattr(table, "tocsr"):
        from scipy.sparse import csr_array, vstack

        below = csr_array(np.column_stack(more) if isinstance(more, tuple) else more)
        below.data = _in_type(below.data, table.dtype)
        return vstack([table, below], format=table.format, dtype=table.dtype)
    if isinstance(table, np.ndarray):
        below = np.column_stack(more) if isinstance(more, tuple) and table.ndim == 2 else more
        below = below[0] if isinstance(below, tuple) else below
        return np.concatenate([table, _in_type(below, table.dtype)])
    columns = list(more) if isinstance(more, tuple) else list(more.T)
    return _pandas_with_more(table, columns) if hasattr(table, "iloc") else _frame_with_more(table, columns)


def _in_type(values: Array, dtype: Any) -> Array:
    whole = np.dtype(dtype).kind in "iu" and np.asarray(values).dtype.kind == "f"
    return np.asarray(np.rint(values) if whole else values).astype(dtype, copy=False)


def _pandas_with_more(table: Any, columns: list[Array]) -> Any:
    import pandas

    def column(values: Array, dtype: Any) -> Any:
        whole = pandas.api.types.is_integer_dtype(dtype) and values.dtype.kind == "f"
        return pandas.Series(np.rint(values) if whole else values).astype(dtype)

    if table.ndim == 1:
        below = column(columns[0], table.dtype).rename(table.name)
    else:
        parts = [column(values, dtype) for values, dtype in zip(columns, table.dtypes, strict=True)]
        below = pandas.concat(parts, axis=1).set_axis(table.columns, axis=1)
    return pandas.concat([table, below], ignore_index=True)


def _frame_with_more(table: Any, columns: list[Array]) -> Any:
    import narwhals as nw

    above = nw.from_native(table, eager_only=True, allow_series=True)
    if isinstance(above, nw.Series):
        below = _series(above, columns[0])
        return nw.concat([above.to_frame(), below.to_frame()], how="vertical")[above.name].to_native()
    parts = [_series(above[:, j], column) for j, column in enumerate(columns)]
    joined = nw.concat([above, parts[0].to_frame().with_columns(*parts[1:])], how="vertical")
    return joined.to_native()


def _series(like: Any, values: Array) -> Any:
    """Values as a column of the library, name and type of `like`."""
    import narwhals as nw

    given = np.rint(values) if like.dtype.is_integer() and values.dtype.kind == "f" else values
    entries = [None if value is None or value != value else value for value in given.tolist()]
    column = nw.new_series(like.name, entries, backend=like.implementation)
    if like.implementation.is_pyarrow():  # which has several types of text, and of categories
        return nw.from_native(column.to_native().cast(like.to_native().type), series_only=True).alias(like.name)
    return column if column.dtype == like.dtype else column.cast(like.dtype)
