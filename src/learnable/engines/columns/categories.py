"""The distinct values of a column and the code of each entry, its index among them.

Values are sorted; a missing one (None, then NaN) comes last and is a value like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import DataError
from ...core.numeric import EXACT
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ...core.validate.mixed_table import CategoricalColumn

MAX_HASHED = 2**16  # different numbers up to which a table of them is faster than sorting


def factorised(column: Array | CategoricalColumn, where: str) -> tuple[Array, Array]:
    """The sorted distinct values of a column, and the code of each entry, its index among them.

    >>> factorised(np.array(["b", "a", "b"], dtype=object), "column 0")
    (array(['a', 'b'], dtype=object), array([1, 0, 1]))
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "US":
        values, codes = np.unique(column, return_inverse=True)
        return values, codes.ravel()
    seen, codes = _distinct(column, where)
    if isinstance(seen, np.ndarray):
        order = np.argsort(seen, kind="stable")  # NaN last
        return seen[order], _ranks(order)[codes]
    ordered = _sorted(seen, where)
    first = {_key(value): index for index, value in enumerate(seen)}
    return _objects(ordered), _ranks(np.array([first[_key(value)] for value in ordered], dtype=np.int64))[codes]


def codes_of(column: Array | CategoricalColumn, values: Array, where: str) -> Array:
    """The index of each entry of a column among `values`; -1 for entries that do not occur."""
    plain = column.dtype.kind != "O" and values.dtype.kind != "O"
    if plain and (column.dtype.kind in "US") == (values.dtype.kind in "US"):
        if isinstance(column, np.ndarray) and column.dtype.kind in "US":
            order = np.argsort(values, kind="stable")  # categories that are given keep their order
            place = _codes_of_numbers(column, values[order])
            return np.where(place < 0, -1, order[place])
        seen, codes = _distinct(column, where)
        return _codes_of_numbers(np.asarray(seen), values)[codes]
    seen, codes = _distinct(column, where)
    known = {_key(value): index for index, value in enumerate(values.tolist())}
    found = [known.get(_key(value), -1) for value in (seen.tolist() if isinstance(seen, np.ndarray) else seen)]
    return np.array(found, dtype=np.int64)[codes]


def _distinct(column: Array | CategoricalColumn, where: str) -> tuple[Array | list[Any], Array]:
    """The different values of a column in any order, numbers as an array, and the code of each entry."""
    if isinstance(column, CategoricalColumn):
        return _used(column)
    if column.dtype.kind in "fiub":
        return _distinct_numbers(column)
    if column.dtype.kind != "O":
        values, codes = np.unique(column, return_inverse=True)
        return values, codes.ravel()
    codes = np.empty(len(column), dtype=np.int64)
    try:
        seen = kernels.distinct_objects(column.tolist(), codes)
    except TypeError:
        raise DataError(f"{where} holds {column[0]!r:.40}, which cannot be a category; use text or numbers") from None
    odd = [value for value in seen if value is not None and value != value]
    if len(odd) > 1:  # several kinds of NaN
        keys = {key: index for index, key in enumerate(dict.fromkeys(map(_key, seen)))}
        merged = np.array([keys[_key(value)] for value in seen], dtype=np.int64)
        return [np.nan if key is _NAN else key for key in keys], merged[codes]
    return [np.nan if value is not None and value != value else value for value in seen], codes


def _distinct_numbers(column: Array) -> tuple[Array, Array]:
    exact = column.dtype.kind in "fb" or column.dtype.itemsize < 8 or _fits_double(column)
    if exact and len(column):
        codes = np.empty(len(column), dtype=np.int64)
        numbers = np.ascontiguousarray(column, dtype=np.float64)
        seen = kernels.distinct_numbers(numbers, MAX_HASHED, codes)
        if seen is not None:
            return seen.astype(column.dtype), codes
    values, codes = np.unique(column, return_inverse=True)
    return values, codes.ravel()


def _fits_double(column: Array) -> bool:
    """Whether whole numbers are small enough to be exact in double precision."""
    return len(column) == 0 or bool(column.min() > -EXACT and column.max() < EXACT)


def _used(column: CategoricalColumn) -> tuple[list[Any], Array]:
    """The values of a column of words that occur, and the code of each entry, its index among them."""
    counts = np.bincount(column.codes + 1, minlength=len(column.values) + 1)
    if counts.all():
        return [column.missing, *column.values.tolist()], column.codes + 1
    here = counts > 0
    values = [value for value, used in zip([column.missing, *column.values.tolist()], here, strict=True) if used]
    return values, (np.cumsum(here) - 1)[column.codes + 1]


def _ranks(order: Array) -> Array:
    """Where each index comes in `order`."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


_NAN = object()


def _key(value: Any) -> Any:
    """A value as a key of a dictionary, all NaN as one."""
    return _NAN if value is not None and value != value else value


def _codes_of_numbers(column: Array, values: Array) -> Array:
    """The same for sorted plain values, NaN last."""
    if not len(values):
        return np.full(len(column), -1)
    index = np.minimum(np.searchsorted(values, column), len(values) - 1)
    found = values[index] == column
    if column.dtype.kind == "f" and values[-1] != values[-1]:
        found |= np.isnan(column) & (index == len(values) - 1)
    return np.where(found, index, -1)


def counts_of(codes: Array, size: int, weight: Array | None) -> Array:
    """How often each value occurs, a row counting as often as its weight says."""
    return np.bincount(codes, weight, size)


def _sorted(values: list[Any], where: str) -> list[Any]:
    """Values in order, None and NaN at the end."""
    plain = [value for value in values if value is not None and value == value]
    gone = [value for value in values if value is None] + [value for value in values if value != value]
    try:
        return [*sorted(plain), *gone]
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in plain}))
        raise DataError(
            f"{where} mixes the types {kinds}, which have no order among each other; the argument must be all string "
            "or all number: make them all text"
        ) from None


def _objects(values: list[Any]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
