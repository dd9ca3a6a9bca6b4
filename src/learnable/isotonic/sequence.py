"""The nearest sequence that never falls, or never rises."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.sparse_input import checks_sparse
from ..parts.isotonic import rising_sequence


@checks_sparse
def isotonic_regression(
    y: Any,
    *,
    sample_weight: Any = None,
    y_min: float | None = None,
    y_max: float | None = None,
    increasing: bool = True,
) -> Array:
    """The sequence nearest to y that never falls (or never rises), between `y_min` and `y_max`.

    minimise over f_1 <= f_2 <= ...    sum_i weight_i (y_i - f_i)^2

    Pool adjacent violators, O(n); bounds may be met afterwards. Weights must be above zero. [Barlow et al., 1972]

    >>> isotonic_regression([1.0, 3.0, 2.0, 4.0])
    array([1. , 2.5, 2.5, 4. ])
    """
    values = np.asarray(y)
    kind = values.dtype if values.dtype == np.float32 else np.dtype(np.float64)
    values = _column(values, "y")
    weight = np.ones(len(values)) if sample_weight is None else _column(sample_weight, "sample_weight")
    if len(weight) != len(values) or not (weight > 0).all():
        raise DataError(
            f"isotonic_regression: sample_weight must have a number above 0 for each of the {len(values)} values of y"
        )
    rising = values if increasing else -values
    fitted = rising_sequence(rising, weight)
    return bounded(fitted if increasing else -fitted, y_min, y_max).astype(kind)


def bounded(fitted: Array, y_min: float | None, y_max: float | None) -> Array:
    """The nearest sequence within bounds: each value at the nearer end."""
    low, high = -np.inf if y_min is None else y_min, np.inf if y_max is None else y_max
    return np.asarray(np.clip(fitted, low, high)) + 0.0


def _column(values: Any, name: str) -> Array:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or len(found) == 0 or not np.isfinite(found).all():
        raise DataError(f"isotonic_regression: {name} must be a column of finite numbers; got shape {found.shape}")
    return found
