"""Columns of a table by place, name, mask, range or rule, in the container that the table came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError
from .dataframes import is_frame


def labels_or_none(X: Any) -> list[Any] | None:
    """The column labels of a frame; None for anything without labels."""
    if not is_frame(X):
        return None
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def column_places(X: Any, chosen: Any, owner: str) -> list[int]:
    """The places of the columns that `chosen` means: a name, place, list, range or mask of them, or a rule for `X`."""
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
        return [place for place, requested in enumerate(entries) if requested]
    return [_place(entry, labels, width, owner) for entry in entries]


def _range(chosen: slice, labels: list[Any] | None, owner: str) -> Any:
    """A range of places; between names both ends belong to it."""
    if not isinstance(chosen.start, str) and not isinstance(chosen.stop, str):
        return range(*(chosen.start or 0, chosen.stop if chosen.stop is not None else 2**62, chosen.step or 1))
    places = list(range(len(labels or [])))
    start = 0 if chosen.start is None else _place(chosen.start, labels, len(places), owner)
    stop = len(places) if chosen.stop is None else _place(chosen.stop, labels, len(places), owner) + 1
    return places[start : stop : chosen.step]


def _place(entry: Any, labels: list[Any] | None, width: int, owner: str) -> int:
    if isinstance(entry, str):
        if labels is None:
            raise ParameterError(f"{owner}: {entry!r} is the name of a column, but the table has no names: give places")
        if entry not in labels:
            known = ", ".join(map(repr, labels[:8]))
            raise DataError(f"{owner}: A given column is not a column of the dataframe: {entry!r}; it has {known}")
        return labels.index(entry)
    place = int(entry)
    if not -width <= place < width:
        raise DataError(f"{owner}: there is no column {place} in a table of {width} columns")
    return place % width


def aligned(X: Any, names: Sequence[Any]) -> Any:
    """The columns called `names` in that order, if `X` has them all; `X` as it is otherwise."""
    labels = labels_or_none(X)
    if labels is None or labels == list(names) or not set(names) <= set(labels):
        return X
    return take_columns(X, [labels.index(name) for name in names])


def take_column(X: Any, place: int) -> Any:
    """One column by itself, in the container that the library of `X` has for it; of a sparse matrix it is a table."""
    if not is_frame(X):
        return X[:, place] if isinstance(X, np.ndarray) else X[:, [place]]
    return X.iloc[:, place] if hasattr(X, "iloc") else X[(labels_or_none(X) or [])[place]]


def take_columns(X: Any, places: Sequence[int]) -> Any:
    """The table of some columns, in the container of `X`."""
    if not is_frame(X):
        return X[:, list(places)]
    if hasattr(X, "iloc"):
        return X.iloc[:, list(places)]
    labels = labels_or_none(X) or []
    return X.select([labels[place] for place in places])
