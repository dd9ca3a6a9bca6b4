"""Fewer rows of common classes, those that say what another says."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Drawn, Trace, Traits, estimator, learned, param
from ..core.runtime.native import kernels
from ..core.scaling import power_of_two_scales
from ..engines.columns.column_statistics import ColumnStatistics
from ._sampler_base import Sampler

BLOCK = 256


@estimator
class NearDuplicateUnderSampler(Sampler):
    """Near-duplicate undersampling: drop rows of the majority classes that are nearly equal to a kept row.

    drop x_i if |x_i - x_j| / sqrt(p) <= threshold for some earlier x_j of its class that stays,  columns with sd = 1

    Rows are processed in order, so nothing is drawn and every dropped row has a stand-in. Distances with missing
    values are those over the columns that both rows have. Costs a distance to every row that stays.

    >>> X, y = [[0.0], [0.001], [5.0], [9.0], [9.001]], [0, 0, 0, 1, 1]
    >>> NearDuplicateUnderSampler(threshold=0.01).fit_resample(X, y)[0].ravel().tolist()
    [0.0, 5.0, 9.0, 9.001]
    """

    title = "near-duplicate undersampling"
    traits = Traits(missing="native")
    direction = "clean"

    threshold: float = param(
        0.1, "distance, in standard deviations of a column, up to which rows are the same", at_least=0
    )

    sample_indices_: Array = learned("indices of the selected rows", shape="drawn")

    def _resample(self, data: Data, trace: Trace) -> Drawn:
        table = _standard(np.asarray(data.X, dtype=np.float64), data.weight)
        stay = []
        for label, rows in zip(self.classes_.tolist(), self._members(data), strict=True):
            stay.append(rows if label not in self.sampling_strategy_ else rows[distinct(table[rows], self.threshold)])
        self.sample_indices_ = np.sort(np.concatenate(stay))
        trace.exact("every row that was dropped lies within the threshold of one that stays")
        return Drawn(self.sample_indices_)


def _standard(X: Array, weight: Array | None) -> Array:
    """Columns with standard deviation one, constant ones as they are, so that Euclidean distances are mean ones."""
    X = X * power_of_two_scales(np.nan_to_num(X))
    columns = ColumnStatistics.of(X, weight)
    spread = np.sqrt(columns.spread / np.where(columns.weight > 0, columns.weight, 1.0))
    return np.ascontiguousarray(X / np.where(columns.high > columns.low, np.where(spread > 0, spread, 1.0), 1.0))


def distinct(X: Array, threshold: float) -> Array:
    """Indices of rows none of which is nearer to an earlier one than `threshold` (root mean square over columns).

    >>> distinct(np.array([[0.0], [0.5], [0.9]]), 0.6).tolist()
    [0, 2]
    """
    limit, kept = threshold * np.sqrt(X.shape[1]), np.zeros(0, dtype=np.int64)
    incomplete = bool(np.isnan(X).any())

    def distances(left: Array, right: Array) -> Array:
        if incomplete:
            return kernels.column_distances(left, right, "nan_euclidean")
        return kernels.euclidean_distances(left, right, False)

    for begin in range(0, len(X), BLOCK):
        block = np.ascontiguousarray(X[begin : begin + BLOCK])
        free = np.ones(len(block), dtype=bool)
        if len(kept):
            free = ~(distances(block, np.ascontiguousarray(X[kept])) <= limit).any(axis=1)
        near = distances(block, block) <= limit
        for place in np.flatnonzero(free):
            if free[place]:
                free[place + 1 :] &= ~near[place, place + 1 :]
        kept = np.append(kept, begin + np.flatnonzero(free))
    return kept
