"""Which entries are missing, whatever stands for a missing one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix, Table
from ..core.validate.features import column_name
from ..core.validate.mixed_table import is_missing
from ..core.validate.targets import is_sparse


def means_nan(missing_values: Any) -> bool:
    """Whether missing entries are those that always count as missing: NaN, None, pandas.NA."""
    if missing_values is None or type(missing_values).__name__ == "NAType":
        return True
    return isinstance(missing_values, (float, np.floating)) and bool(np.isnan(missing_values))


def missing_entries_of(X: Matrix | Table, missing_values: Any, owner: str) -> Array:
    """A mask of the missing entries of a dense matrix or a table, or of the stored entries of a sparse one."""
    if isinstance(X, Table):
        columns = [_marked(column, missing_values) for column in X.columns]
        _refuse_others(np.column_stack([is_missing(c) for c in X.columns]), missing_values, X.names, owner)
        return np.column_stack(columns)
    values = X.data if is_sparse(X) else X
    if is_sparse(X) and not means_nan(missing_values) and missing_values == 0:
        raise DataError(
            f"{owner}: missing_values=0 would make every entry that a sparse matrix does not store a missing value; "
            "pass X.toarray()"
        )
    if not means_nan(missing_values):
        _refuse_others(np.isnan(values), missing_values, None, owner)
    return _marked(values, missing_values)


def _marked(values: Array, missing_values: Any) -> Array:
    if means_nan(missing_values):
        return is_missing(values) if values.ndim == 1 else np.isnan(values)
    if values.dtype.kind in "fiub" and isinstance(missing_values, str):
        return np.zeros(values.shape, dtype=bool)
    return np.asarray(values == missing_values, dtype=bool)


def _refuse_others(missing: Array, missing_values: Any, names: list[str] | None, owner: str) -> None:
    """Where something else stands for missing entries, NaN is an error."""
    if not means_nan(missing_values) and missing.any():
        place = np.argwhere(missing)[0]
        where = f"{column_name(names, int(place[-1]))}, row {place[0]}" if missing.ndim == 2 else "a stored entry"
        raise DataError(
            f"{owner}: X contains NaN in {where}, but missing_values is {missing_values!r:.40}; "
            "fill or drop it, or set missing_values=numpy.nan"
        )


def without(X: Array, missing: Array) -> Array:
    """`X` with NaN for every entry that is missing."""
    return np.where(missing, np.nan, X).astype(X.dtype, copy=False) if missing.any() else X


def lists_values(placeholders: Any) -> bool:
    """Whether this is a list of single values."""
    listed = isinstance(placeholders, (list, tuple))
    return listed and not any(isinstance(mark, (list, tuple, dict, set, np.ndarray)) for mark in placeholders)


def shares_missing(table: Table, placeholders: Any = ()) -> Array:
    """A mask of the entries of a table that are missing: NaN, None, or one of the placeholders."""
    masks = []
    for column in table.columns:
        missing = is_missing(column)
        for mark in placeholders:
            missing = missing | _marked(column, mark)
        masks.append(missing)
    return np.column_stack(masks)
