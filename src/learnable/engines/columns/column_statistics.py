"""What each column holds by itself: summaries that leave missing entries aside, and that add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.runtime.native import kernels
from ...core.scaling import is_safe, power_of_two_scales
from ...core.validate.features import Array, Data, Matrix
from ...core.validate.sparse_input import as_dense
from ..matrix_products import is_sparse


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Per column: weight of the entries that are there, mean, squares about it, range, and number of missing ones.

    `weight` is zero, and `low` above `high`, where a column has no entries at all.
    """

    weight: Array
    mean: Array
    spread: Array
    low: Array
    high: Array
    missing: Array

    @classmethod
    def of(cls, X: Matrix, weight: Array | None = None) -> ColumnStatistics:
        """The summary of the columns of `X` in one pass, or two where their squares leave the floating-point range."""
        matrix = X.tocsc() if is_sparse(X) else X
        found = cls(*kernels.column_summary(matrix, weight))
        constant = found.low == found.high
        found.mean[constant], found.spread[constant] = found.low[constant], 0.0  # to the last digit
        size = np.maximum(np.abs(found.low), np.abs(found.high))
        odd = (found.weight > 0) & ~is_safe(size)
        return found._rescaled(matrix, weight) if odd.any() else found

    def _rescaled(self, X: Matrix, weight: Array | None) -> ColumnStatistics:
        scale = power_of_two_scales(np.nan_to_num(as_dense(X)))
        dense = np.asarray(as_dense(X), dtype=np.float64)
        again = kernels.column_summary(dense * scale, weight)
        with np.errstate(over="ignore", under="ignore"):
            mean = np.where(self.low == self.high, self.low, again[1] / scale)
            return ColumnStatistics(self.weight, mean, again[2] / scale / scale, self.low, self.high, self.missing)

    def __add__(self, other: ColumnStatistics) -> ColumnStatistics:
        """The summary of both sets of rows together."""
        total = self.weight + other.weight
        share = np.divide(other.weight, total, out=np.zeros_like(total), where=total > 0)
        apart = other.mean - self.mean
        return ColumnStatistics(
            total,
            self.mean + apart * share,
            self.spread + other.spread + apart * apart * self.weight * share,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.missing + other.missing,
        )


def column_statistics(data: Data) -> ColumnStatistics:
    """The statistics of the columns of training rows, or of a block of them."""
    return ColumnStatistics.of(data.X, data.weight)


def statistics_and_weight(data: Data) -> tuple[ColumnStatistics, int | float]:
    """The same, and how much the rows weigh."""
    return column_statistics(data), data.total_weight


def shifted_and_scaled(X: Array, shift: Array, scale: Array) -> Array:
    """(X - shift) * scale by columns, in the precision of `X`."""
    if not X.flags.c_contiguous:
        return np.asarray((X - shift) * scale).astype(X.dtype, copy=False)
    out = np.empty_like(X)
    kernels.shift_and_scale(X, np.require(shift, np.float64, "C"), np.require(scale, np.float64, "C"), out)
    return out
