"""The type of a target: continuous, binary, multiclass, ..."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..errors import DataError
from .targets import as_column_array, is_sparse

TargetKind = Literal[
    "regression", "binary", "multi-class", "multi-label", "multi-output regression", "multi-output multi-class"
]


def target_kind(y: Any) -> TargetKind:
    """The type of a target: regression, or binary or multi-class classification.

    Whole numbers, booleans and text are classes; numbers with a fractional part are a regression. A table of zeros and
    ones is multi-label, any other table has several outputs.

    >>> target_kind([0.5, 1.25]), target_kind(["yes", "no"]), target_kind([1, 2, 3])
    ('regression', 'binary', 'multi-class')
    """
    if is_sparse(y):
        return "multi-label"
    values = as_column_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or values.size == 0:
        raise DataError(f"a target needs one row per sample; got shape {values.shape}")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise DataError(f"the target is missing or infinite in row {row}; drop the rows without a target")
    continuous = values.dtype.kind == "f" and bool((values != np.floor(values)).any())
    if values.ndim == 1:
        if continuous:
            return "regression"
        return "binary" if len(set(values.tolist())) <= 2 else "multi-class"
    if continuous:
        return "multi-output regression"
    return "multi-label" if set(np.unique(values).tolist()) <= {0, 1} else "multi-output multi-class"
