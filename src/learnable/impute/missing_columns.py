"""Columns with too many missing values left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Table, Trace, Traits, Transformer, estimator, learned, param
from ._missing_entries import lists_values, shares_missing


@estimator
class DropMissing(Transformer):
    """Missing value filter: drop features with too large a fraction of missing values.

    keep column j if (weight of the missing values in column j) / n <= max_share = 0.5

    NaN and None are missing, and whatever `placeholders` lists, such as "" or "?". Rows with missing values are for
    `DropMissingRows`.

    >>> import numpy as np
    >>> DropMissing().fit_transform([[1.0, np.nan], [2.0, np.nan], [3.0, 4.0]])
    array([[1.],
           [2.],
           [3.]])
    """

    title = "missing value filter"
    traits = Traits(takes="table", missing="native")

    max_share: float = param(0.5, "maximum fraction of missing values in a column", between=(0, 1), kw_only=False)
    placeholders: Any = param(
        (), "other values that stand for missing ones", accepts=lists_values, says="a list of values"
    )

    shares_: Array = learned("fraction of missing values in each column", shape="features")
    kept_: Array = learned("indices of the columns that are kept", shape="kept", index="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        gone = shares_missing(data.X, self.placeholders)
        self.shares_ = np.average(gone, axis=0, weights=data.weight)
        self.kept_ = np.flatnonzero(self.shares_ <= self.max_share)
        if len(self.kept_) == 0:
            raise DataError(
                f"DropMissing: every column has more than {self.max_share:.0%} of its entries missing; raise max_share"
            )

    def _transform(self, X: Table) -> Array:
        columns = [X.columns[j] for j in self.kept_]
        if all(column.dtype.kind in "fiub" for column in columns):
            return np.column_stack(columns)
        result = np.empty((X.shape[0], len(columns)), dtype=object)
        for place, column in enumerate(columns):
            result[:, place] = column
        return result

    def _names_out(self, names: list[str]) -> list[str]:
        return [names[j] for j in self.kept_]
