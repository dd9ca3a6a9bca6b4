"""Data frames (pandas, polars, pyarrow, ...) as arrays of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DataError
from ..numeric import describe_beyond_floats


def is_frame(table: Any) -> bool:
    """Whether `table` is a data frame of some library."""
    return hasattr(table, "__dataframe__") or (hasattr(table, "__arrow_c_stream__") and hasattr(table, "columns"))


def opened(frame: Any) -> Any:
    """A frame of any library as one of narwhals; what narwhals does not know, as a record batch, goes through Arrow."""
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError as error:
        try:
            import pyarrow

            return nw.from_native(pyarrow.table(frame), eager_only=True)
        except (ImportError, TypeError, ValueError):
            kind = f"{type(frame).__module__}.{type(frame).__name__}"
            raise DataError(
                f"a table of type {kind} cannot be read; give a data frame, a pyarrow table or an array"
            ) from error


def numbers_of(frame: Any, owner: str) -> tuple[np.ndarray[Any, Any], list[str] | None]:
    """The numbers of a frame, and its column names if they are texts; missing entries become NaN."""
    import narwhals as nw

    too_long = (nw.Int128, nw.UInt128)  # NumPy has none
    labels = labels_of(frame, owner)
    table = opened(frame)
    names = names_among(labels, owner)
    kinds = set(table.schema.values())
    if len(kinds) <= 1 and all(kind.is_float() or (kind.is_integer() and kind not in too_long) for kind in kinds):
        values = table.to_numpy()
        if values.dtype.kind in "iuf":
            return values, names
    if not labels:
        return np.empty((len(table), 0)), names
    numbers = np.column_stack([_column(column, column.name, owner) for column in table.iter_columns()])
    return (numbers.astype(np.float32) if kinds == {nw.Float32()} else numbers), names


def labels_of(frame: Any, owner: str) -> list[Any]:
    """The column labels as the frame's library gives them, each once."""
    labels = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    seen = set()
    for label in labels:
        if label in seen:
            raise DataError(f"{owner}: two columns are called {label!r}; rename one of them")
        seen.add(label)
    return labels


def names_among(labels: list[Any], owner: str) -> list[str] | None:
    """The labels if they are texts, None if none is; a mixture could be kept neither as names nor as indices."""
    kinds = sorted({type(label).__name__ for label in labels})
    texts = sum(isinstance(label, str) for label in labels)
    if 0 < texts < len(labels):
        raise TypeError(
            f"{owner}: the column names of X are of types {' and '.join(kinds)}, but must all be strings; convert "
            "them, for example X.columns = X.columns.astype(str)"
        )
    return labels if texts else None


def _column(column: Any, name: Any, owner: str) -> np.ndarray[Any, Any]:
    """One column as double precision numbers."""
    import narwhals as nw

    kind = column.dtype
    if kind == nw.Unknown and np.asarray(column.to_numpy()).dtype.kind == "c":
        raise DataError(f"{owner}: column {name!r} is complex. Complex data not supported; split it into two columns")
    if kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown):
        try:
            by_one = kind == nw.Object and column.implementation.is_polars()  # which does not cast objects
            return np.asarray(column.to_list() if by_one else column.cast(nw.Float64).to_numpy(), dtype=np.float64)
        except OverflowError:
            raise DataError(f"{owner}: column {name!r} {describe_beyond_floats(column.to_numpy())}") from None
        except (TypeError, ValueError):
            pass
    row, value = _first_text(column.to_list())
    raise DataError(
        f"{owner}: column {name!r} holds {kind}, not numbers ({value!r:.40} in row {row}); "
        "encode it as numbers or drop it"
    )


def _first_text(values: list[Any]) -> tuple[int, Any]:
    """Row and value of the first entry that is not a number."""
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, (int, float, np.number)):
            return row, value
    return 0, values[0] if values else None
