"""Selection of columns by index, name, mask, slice or callable, in the container of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from ..errors import DataError, ParameterError
from .dataframes import is_frame

MAX_NAMES = 2**22  # of columns without names that can be listed


def numbered_names(owner: str, width: int, prefix: str = "x") -> list[str]:
    """Names for columns that have none: a prefix with a number; more of them than can be listed are refused."""
    check_names_fit(owner, width)
    return [f"{prefix}{j}" for j in range(width)]


def check_names_fit(owner: str, width: int) -> None:
    """Refuse to name more columns than can be listed."""
    if width > MAX_NAMES:
        raise DataError(f"{owner}: {width} columns are too many to name; at most {MAX_NAMES} can be named")


def labels_or_none(X: Any) -> list[Any] | None:
    """The column labels of a frame; None for anything without labels."""
    if not is_frame(X):
        return None
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def column_indices(X: Any, chosen: Any, owner: str) -> list[int]:
    """Indices of the selected columns: by name, index, list, slice, mask, or a callable of `X`."""
    if callable(chosen):
        chosen = chosen(X)
    labels, width = labels_or_none(X), X.shape[1]
    if isinstance(chosen, (str, slice)) or np.isscalar(chosen):
        chosen = _range(chosen, labels, owner) if isinstance(chosen, slice) else [chosen]
    if isinstance(chosen, range):
        return list(range(width))[chosen.start : chosen.stop : chosen.step]
    entries = np.asarray(chosen, dtype=object).ravel().tolist()
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != width:
            raise ParameterError(f"{owner}: a mask of {len(entries)} columns does not fit a table of {width}")
        return [index for index, requested in enumerate(entries) if requested]
    return [_index(entry, labels, width, owner) for entry in entries]


def kind_of_columns(chosen: Any) -> Literal["str", "bool", "int"]:
    """Whether all columns are given by name, or by a mask; otherwise they count as given by index.

    >>> kind_of_columns(["size", "colour"]), kind_of_columns([True, False]), kind_of_columns(slice(0, 2))
    ('str', 'bool', 'int')
    """
    if callable(chosen):
        return "int"
    entries = [chosen.start, chosen.stop] if isinstance(chosen, slice) else np.asarray(chosen, dtype=object).ravel()
    given = [entry for entry in entries if entry is not None]
    if given and all(isinstance(entry, str) for entry in given):
        return "str"
    return "bool" if given and all(isinstance(entry, (bool, np.bool_)) for entry in given) else "int"


def _range(chosen: slice, labels: list[Any] | None, owner: str) -> Any:
    """A slice of indices; between names both ends are included."""
    if not isinstance(chosen.start, str) and not isinstance(chosen.stop, str):
        return range(*(chosen.start or 0, chosen.stop if chosen.stop is not None else 2**62, chosen.step or 1))
    indices = list(range(len(labels or [])))
    start = 0 if chosen.start is None else _index(chosen.start, labels, len(indices), owner)
    stop = len(indices) if chosen.stop is None else _index(chosen.stop, labels, len(indices), owner) + 1
    return indices[start : stop : chosen.step]


def _index(entry: Any, labels: list[Any] | None, width: int, owner: str) -> int:
    if isinstance(entry, str):
        if labels is None:
            raise ParameterError(
                f"{owner}: {entry!r} is the name of a column, but the table has no column names; give indices"
            )
        if entry not in labels:
            known = ", ".join(map(repr, labels[:8]))
            raise DataError(f"{owner}: A given column is not a column of the dataframe: {entry!r}; it has {known}")
        return labels.index(entry)
    if not isinstance(entry, (int, np.integer)):
        raise ParameterError(f"{owner}: No valid specification of columns: give names or indices; got {entry!r:.60}")
    index = int(entry)
    if not -width <= index < width:
        raise DataError(f"{owner}: column {index} is out of range for a table of {width} columns")
    return index % width


def aligned(X: Any, names: Sequence[Any]) -> Any:
    """The columns called `names` in that order, if `X` has them all; `X` as it is otherwise."""
    labels = labels_or_none(X)
    if labels is None or labels == list(names) or not set(names) <= set(labels):
        return X
    return take_columns(X, [labels.index(name) for name in names])


def take_column(X: Any, index: int) -> Any:
    """A single column, in the container type of `X`; of a sparse matrix, a matrix with one column."""
    if not is_frame(X):
        return X[:, index] if isinstance(X, np.ndarray) else X[:, [index]]
    return X.iloc[:, index] if hasattr(X, "iloc") else X[(labels_or_none(X) or [])[index]]


def take_columns(X: Any, indices: Iterable[int]) -> Any:
    """The table of some columns, in the container of `X`; of a list, an array.

    >>> take_columns([[1, 2, 3]], [2, 0]).tolist()
    [[3, 1]]
    """
    indices = [int(index) for index in indices]
    if hasattr(X, "iloc"):
        return X.iloc[:, indices]
    if hasattr(X, "select") and hasattr(X, "to_pylist"):
        return X.select(indices)  # of Arrow
    if hasattr(X, "tocsr"):
        return (X if X.format in ("csr", "csc") else X.tocsr())[:, indices]
    if not is_frame(X):
        return (np.asarray(X) if isinstance(X, (list, tuple)) else X)[:, indices]
    labels = labels_or_none(X) or []
    return X.select([labels[index] for index in indices])
