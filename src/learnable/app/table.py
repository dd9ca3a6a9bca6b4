"""Reading a table for a study: numeric columns, a target, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, DataError

DELIMITERS = {".tsv": "\t", ".tab": "\t"}


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a study: numbers, NaN where missing, and notes on everything that was changed or left out."""

    name: str
    names: list[str]
    X: Array
    target: str
    y: Array
    notes: list[str]


def example() -> Table:
    """The data set inside the package: disease progression of 442 diabetes patients."""
    from ..datasets import load_diabetes

    data = load_diabetes(scaled=False)
    return Table("diabetes (inside the package)", list(data.feature_names), data.data, "progression", data.target, [])


def read(path: Path, target: str | None) -> Table:
    """The table in a CSV, TSV or Parquet file; without `target`, its last column is predicted."""
    columns = _columns(path)
    if target is None:
        target = list(columns)[-1]
    if target not in columns:
        raise DataError(f"{path.name} has no column {target!r}; it has {', '.join(map(repr, columns))}")
    notes, numbers = [], {}
    for name, values in columns.items():
        if values.dtype.kind in "biuf":
            numbers[name] = values.astype(np.float64)
        elif name != target:
            notes.append(f"column {name!r} holds {_example(values)}, not numbers: left out")
    y = numbers.pop(target, None)
    if y is None:
        raise DataError(
            f"the target {target!r} holds {_example(columns[target])}, not numbers; name a numeric column with --target"
        )
    if not numbers:
        raise DataError(f"{path.name} has no numeric column besides the target {target!r}; nothing to learn from")
    known = np.isfinite(y)
    if not known.all():
        notes.append(f"{int((~known).sum())} rows have no target: left out")
    X = np.column_stack(list(numbers.values()))[known]
    missing = int(np.isnan(X).sum())
    if missing:
        notes.append(f"{missing} missing values: filled with the mean of the training rows, inside every fold")
    return Table(path.name, list(numbers), np.where(np.isfinite(X), X, np.nan), target, y[known], notes)


def _columns(path: Path) -> dict[str, Array]:
    """Column name -> values, as pyarrow infers them."""
    if not path.is_file():
        raise DataError(f"there is no file {path}")
    import pyarrow as pa
    from pyarrow import csv, parquet

    try:
        if path.suffix == ".parquet":
            table = parquet.read_table(path)
        else:
            table = csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=_delimiter(path)))
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError) as error:
        raise DataError(f"{path.name} cannot be read as a table: {error}") from None
    if table.num_rows == 0 or table.num_columns < 2:
        raise DataError(
            f"{path.name} has {table.num_rows} rows and {table.num_columns} columns; a study needs rows and two columns"
        )
    return {name: _values(table.column(name)) for name in table.column_names}


def _delimiter(path: Path) -> str:
    """The separator the name promises, or the most frequent one in the first line."""
    if path.suffix in DELIMITERS:
        return DELIMITERS[path.suffix]
    with path.open("rb") as file:
        line = file.readline(65536).decode("utf-8", errors="replace")
    return max(",;\t|", key=line.count)


def _values(column: Any) -> Array:
    import pyarrow as pa

    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type) or pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values: Array = column.to_numpy()
    return values


def _example(values: Array) -> str:
    known = next((value for value in values.tolist() if value is not None), None)
    return f"text such as {known!r}" if isinstance(known, str) else f"{type(known).__name__} values"
