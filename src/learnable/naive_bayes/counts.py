"""Small checks and choices of the classifiers of counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix


def refuse_negative(owner: str, X: Matrix) -> None:
    """Raise a `DataError` that names the first negative count."""
    values = X if isinstance(X, np.ndarray) else X.data
    if values.size == 0 or not np.fmin.reduce(values, axis=None) < 0:  # which passes over gaps
        return
    if isinstance(X, np.ndarray):
        row, column = (int(place) for place in np.argwhere(X < 0)[0])
    else:
        places = X.tocoo()
        first = int(np.argmax(places.data < 0))
        row, column = int(places.row[first]), int(places.col[first])
    raise DataError(
        f"Negative values in data passed to {owner} (input X): {X[row, column]:g} in column {column}, row {row}; "
        "counts are not negative, so shift or bin the column, or use GaussianNB"
    )


def dirichlet_excess(alpha: Any, prior: Any) -> Array:
    """Made-up counts: alpha, or those whose smoothing is the maximum of the posterior of a Dirichlet prior.

    >>> dirichlet_excess(1.0, 2.5)
    array(1.5)
    """
    return np.asarray(alpha if prior is None else np.subtract(prior, 1.0), dtype=np.float64)
