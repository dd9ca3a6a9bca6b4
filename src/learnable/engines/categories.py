"""The distinct values of a column and the place of each entry among them: what every encoder of categories needs.

Values are sorted; a missing one (None, then NaN) comes last and is a value like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.data import Array
from ..core.errors import DataError
from ..core.table import is_missing


def factorised(column: Array, where: str) -> tuple[Array, Array]:
    """The sorted distinct values of a column, and the place of each entry among them.

    >>> factorised(np.array(["b", "a", "b"], dtype=object), "column 0")
    (array(['a', 'b'], dtype=object), array([1, 0, 1]))
    """
    if column.dtype.kind != "O":
        values, codes = np.unique(column, return_inverse=True)
        return values, codes.ravel()
    entries = _hashable(column, where)
    places = {entry: place for place, entry in enumerate(dict.fromkeys(entries))}
    seen = np.fromiter(map(places.__getitem__, entries), np.int64, len(entries))
    ordered = _sorted(list(places), where)
    rank = np.empty(len(ordered), dtype=np.int64)
    rank[[places[value] for value in ordered]] = np.arange(len(ordered))
    return _objects(ordered), rank[seen]


def places_of(column: Array, values: Array, where: str) -> Array:
    """The place of each entry of a column among `values`; -1 for those that are not there."""
    if (
        column.dtype.kind != "O"
        and values.dtype.kind != "O"
        and (column.dtype.kind in "US") == (values.dtype.kind in "US")
    ):
        return _places_of_numbers(column, values)
    places = {entry: place for place, entry in enumerate(_hashable(values, where))}
    unknown = -1
    entries = _hashable(column, where)
    return np.fromiter((places.get(entry, unknown) for entry in entries), np.int64, len(entries))


def _places_of_numbers(column: Array, values: Array) -> Array:
    """The same for sorted plain values, NaN last."""
    place = np.minimum(np.searchsorted(values, column), len(values) - 1)
    found = values[place] == column
    if column.dtype.kind == "f" and len(values) and values[-1] != values[-1]:
        found |= np.isnan(column) & (place == len(values) - 1)
    return np.where(found, place, -1)


def counts_of(codes: Array, size: int, weight: Array | None) -> Array:
    """How often each value occurs, a row counting as often as its weight says."""
    return np.bincount(codes, weight, size)


def _hashable(column: Array, where: str) -> list[Any]:
    """The entries as keys of a dictionary, all NaN as one."""
    entries: list[Any] = column.tolist()
    missing = is_missing(column)
    if missing.any():
        for place in np.flatnonzero(missing).tolist():
            if entries[place] is not None:
                entries[place] = np.nan
    try:
        hash(tuple(entries[:1]))
        return entries
    except TypeError:
        raise DataError(f"{where} holds {entries[0]!r:.40}, which cannot be a category; use text or numbers") from None


def _sorted(values: list[Any], where: str) -> list[Any]:
    """Values in order, None and NaN at the end."""
    plain = [value for value in values if value is not None and value == value]
    gone = [value for value in values if value is None] + [value for value in values if value != value]
    try:
        return [*sorted(plain), *gone]
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in plain}))
        raise DataError(
            f"{where} mixes the types {kinds}, which have no order: Encoders require their input argument must be "
            "uniformly strings or numbers; make them all text"
        ) from None


def _objects(values: list[Any]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
