"""Input checks of naive Bayes for counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix


def refuse_negative(owner: str, X: Matrix) -> None:
    """Raise a `DataError` that names the first negative count."""
    values = X if isinstance(X, np.ndarray) else X.data
    if values.size == 0 or not np.fmin.reduce(values, axis=None) < 0:  # which ignores missing values
        return
    row, column = _first(X, values < 0)
    raise DataError(
        f"Negative values in data passed to {owner} (input X): {X[row, column]:g} in column {column}, row {row}; "
        "counts must be non-negative: shift or bin the column, or use GaussianNB"
    )


def refuse_other_than_binary(owner: str, X: Matrix) -> None:
    """Raise a `DataError` that names the first value that is neither 0 nor 1 nor missing."""
    values = X if isinstance(X, np.ndarray) else X.data
    strange = (values != 0) & (values != 1) & (values == values)
    if not strange.any():
        return
    row, column = _first(X, strange)
    raise DataError(
        f"{owner}: X holds {X[row, column]:g} in column {column}, row {row}, but with binarize=None values are 0 and "
        "1; set binarize to the threshold above which a feature is present"
    )


def _first(X: Matrix, chosen: Array) -> tuple[int, int]:
    """Row and column of the first chosen value of `X`."""
    if isinstance(X, np.ndarray):
        row, column = np.argwhere(chosen)[0]
        return int(row), int(column)
    entries, first = X.tocoo(), int(np.argmax(chosen))
    return int(entries.row[first]), int(entries.col[first])


def dirichlet_excess(alpha: Any, prior: Any) -> Array:
    """Pseudo-counts: alpha, or those of the maximum a posteriori estimate under a Dirichlet prior.

    >>> dirichlet_excess(1.0, 2.5)
    array(1.5)
    """
    return np.asarray(alpha if prior is None else np.subtract(prior, 1.0), dtype=np.float64)
