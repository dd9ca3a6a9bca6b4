"""Grids of values for partial dependence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ._perturbed_tables import column


def grid_of(X: Any, j: int, percentiles: Any, resolution: int, categorical: bool, given: Any) -> Array:
    """The given values, all of them if they are few or categories, or steps between two percentiles."""
    owner = "partial_dependence"
    if len(percentiles) != 2 or not 0 <= percentiles[0] < percentiles[1] <= 1:
        raise ParameterError(
            f"{owner}: percentiles must be two fractions in [0, 1], the smaller first; got {percentiles!r}"
        )
    if resolution <= 1:
        raise ParameterError(f"{owner}: grid_resolution is a whole number from 2; got {resolution!r}")
    if given is not None:
        return _given(given)
    entries = column(X, j)
    try:
        values = np.unique(entries[~_missing(entries)])
    except TypeError:
        raise DataError(f"{owner}: column {j} mixes kinds that have no order; make them all text or numbers") from None
    if categorical or len(values) < resolution or values.dtype.kind in "OUSb":
        return values
    low, high = (_quantile(np.sort(entries[~_missing(entries)]), share) for share in percentiles)
    if np.allclose(low, high):
        raise DataError(f"{owner}: both percentiles of column {j} are the same number; take them further apart")
    return np.asarray(np.linspace(low, high, num=resolution))


def _given(values: Any) -> Array:
    found = np.asarray(values, dtype=object if any(isinstance(value, str) for value in values) else None)
    if found.ndim != 1:
        raise DataError("partial_dependence: the custom grid of a column must have one dimension")
    return found


def _missing(entries: Array) -> Array:
    if entries.dtype.kind == "f":
        return np.isnan(entries)
    return np.array([value is None or value != value for value in entries.tolist()], dtype=bool)


def _quantile(ordered: Array, share: float) -> float:
    """A quantile that is right for the median of any distribution, up to a little (0.4 of a row at each end)."""
    n = len(ordered)
    place = n * share + 0.4 + 0.2 * share
    below = int(np.floor(np.clip(place, 1, max(n - 1, 1))))
    part = float(np.clip(place - below, 0, 1))
    return float((1 - part) * ordered[below - 1] + part * ordered[min(below, n - 1)])
