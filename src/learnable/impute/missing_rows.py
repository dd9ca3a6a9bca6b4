"""Training rows with too many missing values left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, RowFilter, Table, Trace, Traits, estimator, param
from ._missing_entries import lists_values, shares_missing


@estimator
class DropMissingRows(RowFilter):
    """Missing row filter: drop training rows with too large a fraction of missing values.

    keep row i if (number of missing values in row i) / p <= max_share = 0

    A step of a pipeline that acts in fit alone. NaN and None are missing, and whatever `placeholders` lists.

    >>> X, y = DropMissingRows(placeholders=["?"]).fit_resample([["a", "?"], ["b", "c"]], [0, 1])
    >>> X.tolist(), y.tolist()
    ([['b', 'c']], [1])
    """

    title = "missing row filter"
    traits = Traits(takes="table", missing="native")

    max_share: float = param(0.0, "maximum fraction of missing values in a row", between=(0, 1), kw_only=False)
    placeholders: Any = param(
        (), "other values that stand for missing ones", accepts=lists_values, says="a list of values"
    )

    def _fit(self, data: Data, trace: Trace) -> None:
        trace.exact("each row is filtered independently")

    def _kept(self, X: Table) -> Array:
        gone = shares_missing(X, self.placeholders)
        return np.asarray(gone.mean(axis=1) <= self.max_share)
