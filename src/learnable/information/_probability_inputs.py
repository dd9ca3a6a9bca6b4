"""Probabilities from what people have: probabilities, counts or samples."""

from __future__ import annotations

from math import prod
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.validate.targets import as_column_array

Kind = Literal["probabilities", "counts", "samples"]
SLACK = 1e-6
MAX_CELLS = 100_000_000


def law(values: Any, kind: str, owner: str, sample_weight: Any = None) -> Array:
    """The probabilities of the outcomes of one variable; `samples` may hold any hashable values."""
    if kind == "samples":
        drawn = as_column_array(values)
        if drawn.ndim != 1 or len(drawn) == 0:
            raise DataError(f"{owner}: samples must be one row of at least one value; got shape {drawn.shape}")
        return _table([drawn], sample_weight, owner)
    return _shares(values, kind, owner)


def joint_law(values: Any, kind: str, owner: str, sample_weight: Any = None) -> Array:
    """The probabilities of the outcomes of several variables, one axis for each; `samples` have a column for each."""
    if kind == "samples":
        drawn = as_column_array(values)
        if drawn.ndim != 2 or drawn.size == 0:
            raise DataError(
                f"{owner}: samples must be a table with a column for each variable; got shape {drawn.shape}"
            )
        return _table(list(drawn.T), sample_weight, owner)
    return _shares(values, kind, owner)


def check_base(base: float, owner: str) -> float:
    """The natural logarithm of the base: 2 gives bits, e nats, 10 hartleys."""
    if not base > 0 or base == 1:
        raise ParameterError(f"{owner}: base must be above 0 and not 1, such as 2 for bits; got {base!r}")
    return float(np.log(base))


def plain(value: Any) -> float | Array:
    """A number where there is one, an array where there are several."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def codes_of(column: Array) -> Array:
    """A whole number for each value, from 0 on, the same for equal ones; no value is one of them.

    >>> codes_of(np.array(["b", None, "b", float("nan")], dtype=object)).tolist()
    [0, 1, 0, 1]
    """
    try:
        return np.asarray(np.unique(column, return_inverse=True)[1].ravel())
    except TypeError:  # values without an order
        codes: dict[Any, int] = {}
        values = (None if value != value else value for value in column.tolist())
        return np.array([codes.setdefault(value, len(codes)) for value in values])


def _table(columns: list[Array], sample_weight: Any, owner: str) -> Array:
    """Shares of the joint outcomes of several columns of samples."""
    codes = [codes_of(column) for column in columns]
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight is not None and (weight.shape != columns[0].shape or (weight < 0).any() or not weight.sum() > 0):
        raise DataError(f"{owner}: sample_weight must hold a number of at least 0 for each sample, not all of them 0")
    shape = [int(code.max()) + 1 for code in codes]
    if prod(shape) > MAX_CELLS:
        raise DataError(
            f"{owner}: {len(columns)} columns of {len(columns[0])} samples make a table of {prod(shape):.2g} cells; "
            "samples have a row for each draw and a column for each variable"
        )
    table = np.zeros(shape)
    np.add.at(table, tuple(codes), 1.0 if weight is None else weight)
    return np.asarray(table / table.sum())


def _shares(values: Any, kind: str, owner: str) -> Array:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f'{owner}: {kind} must be numbers; use kind="samples" for other values') from None
    if kind not in ("probabilities", "counts"):
        raise ParameterError(f'{owner}: kind must be "probabilities", "counts" or "samples"; got {kind!r}')
    if numbers.ndim == 0 or numbers.size == 0 or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise DataError(f"{owner}: {kind} must be finite numbers of at least 0; got {values!r:.60}")
    total = float(numbers.sum())
    if kind == "counts":
        if total == 0:
            raise DataError(f"{owner}: all counts are 0")
        return np.asarray(numbers / total)
    if abs(total - 1) > SLACK:
        raise DataError(f'{owner}: probabilities must sum to 1; they sum to {total:g}. Counts need kind="counts"')
    return numbers
