"""Gower's distance of rows with columns of numbers and of categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import DataError, ParameterError, warn
from ..core.runtime.native import kernels
from ..core.validate.features import FeatureValidator
from ..core.validate.mixed_table import is_missing

OWNER = "gower_distances"


@checked()
def gower_distances(
    X: Rows,
    Y: Rows | None = None,
    *,
    categorical: Rows | None = None,
    ranges: Rows | None = None,
    weight: Rows | None = None,
) -> Array:
    """Gower distances: the mean difference over the columns that both rows have, each between 0 and 1.

    |x - y| / range in a column of numbers, 0 or 1 in a column of categories. Columns of text, categories or flags are
    categories, and columns of numbers that `categorical` marks, numbers or names; `ranges` are those of the columns of
    X and Y if not given; `weight` counts columns. Rows that have no column in common have no distance, NaN, and a
    warning says so. [Gower, 1971]

    >>> gower_distances([[0.0, "red"], [10.0, "red"], [5.0, "blue"]]).tolist()[0]
    [0.0, 0.5, 0.75]
    """
    return next(gower_chunks(X, Y, None, categorical=categorical, ranges=ranges, weight=weight))


def gower_chunks(
    X: Any, Y: Any, size: int | None, *, categorical: Any = None, ranges: Any = None, weight: Any = None
) -> Iterator[Array]:
    """The same in blocks of rows of X (None: all at once); ranges are those of all rows."""
    columns = _Columns.of(X, Y, categorical)
    p = len(columns.kinds)
    reach = columns.ranges() if ranges is None else _per_column(ranges, p, "ranges")
    scale = np.where((columns.kinds == 0) & (reach > 0), reach, 1.0)
    shares = np.ones(p) if weight is None else _per_column(weight, p, "weight")
    rows, others = (np.ascontiguousarray(table / scale) for table in (columns.rows, columns.others))
    size = len(rows) if size is None else size
    for start in range(0, len(rows), size):
        found = kernels.column_distances(rows[start : start + size], others, "gower", 0.0, shares, columns.kinds)
        _warn_of_missing_values(found)
        yield found


@dataclass(frozen=True, slots=True)
class _Columns:
    """Two tables as numbers, categories by codes that both share; `kinds` is 1 for a column of categories."""

    rows: Array
    others: Array
    kinds: Array

    @classmethod
    def of(cls, X: Any, Y: Any, categorical: Any) -> _Columns:
        """Both tables (Y None: X again), with what their columns are."""
        validator = FeatureValidator(OWNER, sparse=True, missing="native")
        left, names = validator.table(X)
        right = left if Y is None or Y is X else validator.table(Y)[0]
        if left.shape[1] != right.shape[1]:
            raise DataError(
                f"{OWNER}: X and Y must have the same columns; X has {left.shape[1]} and Y has {right.shape[1]}"
            )
        marked = marked_columns(categorical, left.shape[1], names)
        described = [_describe(*column) for column in zip(left.columns, right.columns, marked, strict=True)]
        rows, others = (np.column_stack([column[side] for column in described]) for side in (0, 1))
        return cls(rows, others, np.array([column[2] for column in described]))

    def ranges(self) -> Array:
        """The greatest difference within each column; -inf where nothing is known."""
        both = np.vstack([self.rows, self.others])
        missing = np.isnan(both)
        with np.errstate(invalid="ignore"):
            return np.asarray(
                np.where(missing, -np.inf, both).max(axis=0) - np.where(missing, np.inf, both).min(axis=0)
            )


def _describe(x: Array, y: Array, marked: bool) -> tuple[Array, Array, float]:
    """Two halves of a column as numbers, and its kind: as they are, or codes of categories; missing values are NaN."""
    missing = [is_missing(part) for part in (x, y)]
    known = [*x[~missing[0]].tolist(), *y[~missing[1]].tolist()]
    flags = x.dtype.kind == "b" or y.dtype.kind == "b"
    if not marked and not flags and all(isinstance(value, Real) for value in known):
        return x.astype(np.float64), y.astype(np.float64), 0.0
    code = {value: place for place, value in enumerate(dict.fromkeys(known))}
    parts = []
    for part, gap in zip((x, y), missing, strict=True):
        numbers = np.full(len(part), np.nan)
        numbers[~gap] = [code[value] for value in part[~gap].tolist()]
        parts.append(numbers)
    return parts[0], parts[1], 1.0


def marked_columns(categorical: Any, p: int, names: list[str] | None) -> Array:
    """Which columns hold categories, from a mask, indices or names."""
    mask = np.zeros(p, dtype=bool)
    if categorical is None:
        return mask
    given = np.atleast_1d(np.asarray(categorical))
    if given.dtype.kind in "UO" and names is not None and set(given.tolist()) <= set(names):
        mask[[names.index(name) for name in given.tolist()]] = True
    elif given.dtype == bool and given.shape == (p,):
        mask |= given
    elif given.dtype.kind in "iu" and (given.size == 0 or (-p <= given.min() and given.max() < p)):
        mask[given] = True
    elif given.size:
        raise ParameterError(
            f"{OWNER}: categorical must be a mask of the {p} columns, indices from 0 to {p - 1}, or names of columns; "
            f"got {categorical!r:.60}"
        )
    return mask


def _per_column(values: Any, p: int, name: str) -> Array:
    """A number from 0 on for each column."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (p,) or not (numbers >= 0).all():
        raise ParameterError(
            f"{OWNER}: {name} must have a number from 0 on for each of {p} columns; got {values!r:.60}"
        )
    return numbers


def _warn_of_missing_values(found: Array) -> None:
    missing = int(np.isnan(found).sum())
    if missing:
        warn(f"{OWNER}: {missing} pairs of rows have no column in common; their distance is NaN", UserWarning)
