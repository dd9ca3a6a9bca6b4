"""Reading a table for a study: numeric columns, a target, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..core import Array, DataError
from ..datasets.reading import read_columns

FEWEST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a study: numbers, NaN where missing, and notes on everything that was changed or left out."""

    name: str
    names: list[str]
    X: Array
    target: str
    y: Array
    notes: list[str]


def example(target: str | None = None) -> Table:
    """The data set inside the package: disease progression of 442 diabetes patients."""
    from ..datasets import load_diabetes

    data = load_diabetes(scaled=False)
    columns = dict(zip(data.feature_names, data.data.T, strict=True)) | {"progression": data.target}
    return chosen("diabetes (inside the package)", columns, target)


def read(path: Path, target: str | None = None, encoding: str | None = None, delimiter: str | None = None) -> Table:
    """The table in a file of any kind that `read_table` knows; without `target`, its last column is predicted."""
    name, columns, notes = read_columns(path, encoding=encoding, delimiter=delimiter)
    rows = len(next(iter(columns.values()), ()))
    if rows == 0 or len(columns) < 2:
        size = f"{counted(rows, 'row')} and {counted(len(columns), 'column')}"
        raise DataError(f"{name} has {size}; a study needs rows and two columns")
    table = chosen(name, columns, target)
    return replace(table, notes=[*notes, *table.notes])


def chosen(name: str, columns: dict[str, Array], target: str | None) -> Table:
    """The numeric columns as a matrix and one of them as the target; the last one if not given."""
    target = list(columns)[-1] if target is None else target
    if target not in columns:
        raise DataError(f"{name} has no column {target!r}; it has {', '.join(map(repr, columns))}")
    y = _target(target, columns[target])
    known = np.isfinite(y)
    if not known.any():
        raise DataError(f"the target {target!r} has no number in any row; name another column with --target")
    notes = [
        f"{counted(int(rows.sum()), 'row')} {why}: left out"
        for rows, why in ((np.isnan(y), "without a target"), (np.isinf(y), "with an infinite target"))
        if rows.any()
    ]
    kept = {}
    for column, values in columns.items():
        reason = "" if column == target else _reason_to_leave_out(values[known])
        if reason:
            notes.append(f"column {column!r} {reason}: left out")
        elif column != target:
            kept[column] = values[known].astype(np.float64)
    if not kept and known.sum() < FEWEST_ROWS:
        raise few_rows(name, int(known.sum()))
    if not kept:
        raise DataError(f"{name} has no numeric column that varies besides the target {target!r}")
    X = np.column_stack(list(kept.values()))
    notes += [*_gaps(np.isnan(X), kept, "missing value"), *_gaps(np.isinf(X), kept, "infinite value")]
    X[~np.isfinite(X)] = np.nan
    return Table(name, list(kept), X, target, y[known], notes)


def few_rows(name: str, rows: int) -> DataError:
    """The error for a table that is too short for a study."""
    return DataError(f"{name} has {counted(rows, 'row')} with a target; a study needs at least {FEWEST_ROWS}")


def _gaps(where: Array, names: Iterable[str], what: str) -> list[str]:
    """What is done with entries that are no numbers, if there are any."""
    if not where.any():
        return []
    columns = _some([name for name, gaps in zip(names, where.T, strict=True) if gaps.any()])
    count = counted(int(where.sum()), what)
    return [f"{count} in {columns}: filled with the mean of the training rows, inside every fold"]


def _target(name: str, values: Array) -> Array:
    if values.dtype.kind not in "biuf":
        raise DataError(
            f"the target {name!r} holds {_example(values)}, not numbers; name a numeric column with --target"
        )
    return values.astype(np.float64)


def _reason_to_leave_out(values: Array) -> str:
    if values.dtype.kind not in "biuf":
        return f"holds {_example(values)}, not numbers"
    finite = values[np.isfinite(values)]
    if not len(finite):
        return "is empty"
    return "has the same value in every row" if finite.min() == finite.max() and len(finite) == len(values) else ""


def _example(values: Array) -> str:
    if values.dtype.kind == "M":
        return "dates"
    known = next((value for value in values.tolist() if value is not None), None)
    return f"text such as {known!r}" if isinstance(known, str) else f"{type(known).__name__} values"


def counted(count: int, what: str) -> str:
    """A number of things in words: `1 row`, `2 rows`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def _some(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
