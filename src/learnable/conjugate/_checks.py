"""Checks that conjugate models have in common."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError


def positive(owner: str, **values: float) -> None:
    """Raise a `ParameterError` for a number that is not above zero and finite."""
    for name, value in values.items():
        if not (isinstance(value, Real) and 0 < value < np.inf):
            raise ParameterError(f"{owner}: {name} must be a finite number above 0; got {value!r}")


def numbers_of(owner: str, values: Any, words: str) -> Array:
    """Numbers as an array; a `DataError` for anything else."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{owner}: {words} must be numbers; got {values!r:.80}") from None


def counts_of(owner: str, values: Any) -> Array:
    """Counts as an array of finite numbers that are not negative."""
    counts = numbers_of(owner, values, "counts")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise DataError(f"{owner}: counts must be finite and not negative; got {values!r:.80}")
    return counts


def share(owner: str, confidence: float) -> float:
    """A confidence between 0 and 1."""
    if not 0 < confidence < 1:
        raise ParameterError(f"{owner}: confidence must be above 0 and below 1; got {confidence!r}")
    return float(confidence)


def trials(owner: str, n: int) -> int:
    """A number of trials: whole and not negative."""
    if not (isinstance(n, Real) and 0 <= n < np.inf and n == int(n)):
        raise ParameterError(f"{owner}: n must be a whole number of trials, at least 0; got {n!r}")
    return int(n)


def draws_of(owner: str, size: int) -> int:
    """A number of draws: whole and not negative."""
    if not (isinstance(size, Integral) and int(size) >= 0):
        raise ParameterError(f"{owner}: size must be a whole number of draws, at least 0; got {size!r}")
    return int(size)
