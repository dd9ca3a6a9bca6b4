"""Tables with one column changed, of whatever library they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.validate.dataframes import is_frame, labels_of
from ..core.validate.targets import is_sparse


def as_table(X: Any) -> Any:
    """`X` as an array, unless it is a data frame; sparse matrices become dense."""
    if is_frame(X):
        return X
    if is_sparse(X):
        return X.toarray()
    values = np.asarray(X)
    return np.array(X, dtype=object) if values.dtype.kind in "US" and not isinstance(X, np.ndarray) else values


def width(X: Any) -> int:
    """How many columns a table has."""
    return int(X.shape[1])


def names_of(X: Any, given: Any = None) -> list[str]:
    """What the columns are called: as given, as in the table, or x0, x1, ..."""
    if given is not None:
        return [str(name) for name in given]
    return [str(label) for label in labels_of(X, "X")] if is_frame(X) else [f"x{j}" for j in range(width(X))]


def column(X: Any, j: int) -> Array:
    """One column as an array."""
    if isinstance(X, np.ndarray):
        return X[:, j]
    import narwhals as nw

    return np.asarray(nw.from_native(X, eager_only=True)[:, j].to_numpy())


def rows(X: Any, chosen: Array) -> Any:
    """Some rows of a table."""
    if isinstance(X, np.ndarray):
        return X[chosen]
    import narwhals as nw

    return nw.from_native(X, eager_only=True)[chosen.tolist()].to_native()


def shuffled(X: Any, j: int, order: Array) -> Any:
    """The table with the entries of one column in another order."""
    if isinstance(X, np.ndarray):
        found = X.copy()
        found[:, j] = X[order, j]
        return found
    if hasattr(X, "iloc"):  # pandas: keep the kind of the column, and its index
        changed = X.copy()
        changed.isetitem(j, X.iloc[order, j].set_axis(X.index))
        return changed
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    name = frame.columns[j]
    return frame.with_columns(frame[:, j][order.tolist()].alias(name)).to_native()


def replaced(X: Any, columns: list[int], values: list[Any]) -> Any:
    """The table with each of some columns filled with one value, in a kind of number that can hold it."""
    if isinstance(X, np.ndarray):
        kinds = [np.asarray(value).dtype for value in values]
        found = X.astype(np.result_type(X.dtype, *kinds)) if X.dtype.kind in "biu" else X.copy()
        for j, value in zip(columns, values, strict=True):
            found[:, j] = value
        return found
    if hasattr(X, "iloc"):
        changed = X.copy()
        for j, value in zip(columns, values, strict=True):
            changed.isetitem(j, _filled(X.iloc[:, j], value))
        return changed
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    pairs = zip(columns, values, strict=True)
    return frame.with_columns(*(_literal(frame[:, j], value) for j, value in pairs)).to_native()


def _literal(series: Any, value: Any) -> Any:
    """A column of one value in the place of another: a number as it is, else of the same kind."""
    import narwhals as nw

    made = nw.lit(value)
    return (made if series.dtype.is_numeric() else made.cast(series.dtype)).alias(series.name)


def _filled(series: Any, value: Any) -> Any:
    """A pandas column of one value, of the kind of another."""
    made = type(series)([value] * len(series), index=series.index)
    return made.astype(series.dtype) if str(series.dtype) == "category" else made


def place_of(name: Any, names: list[str], owner: str) -> int:
    """The number of a column that is called by number or name."""
    if isinstance(name, str):
        if name not in names:
            raise DataError(f"{owner}: unknown column {name!r}; the columns are {', '.join(names[:6])}")
        return names.index(name)
    if not 0 <= int(name) < len(names):
        raise DataError(f"{owner}: indices of columns go from 0 to {len(names) - 1}; got {name!r}")
    return int(name)
