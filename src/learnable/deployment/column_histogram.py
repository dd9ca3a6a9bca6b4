"""Histograms of training columns, and the test of whether new rows follow the same distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.declare import registry
from ..core.validate.mixed_table import is_missing
from ..inference import holm

ALPHA = 0.001  # family-wise error rate over all columns
NOTABLE = 0.1  # total variation distance below which a difference has no consequence


@registry.value
@dataclass(frozen=True)
class ColumnHistogram:
    """Counts of the training rows of a column in bins: between deciles, or of categories; then other and missing.

    >>> ColumnHistogram.of_numbers(np.array([1.0, 2.0, 3.0, np.nan])).counts.tolist()[-1]
    1.0
    """

    edges: Array
    levels: list[str]
    counts: Array

    @classmethod
    def of_numbers(cls, values: Array) -> ColumnHistogram:
        """The histogram between the deciles of the values."""
        known = values[~np.isnan(values)]
        edges = np.unique(np.quantile(known, np.linspace(0.1, 0.9, 9))) if len(known) else np.empty(0)
        empty = cls(edges, [], np.empty(0))
        return cls(edges, [], empty.counted(values))

    @classmethod
    def of_categories(cls, values: Array, levels: list[str]) -> ColumnHistogram:
        """The histogram of categories."""
        empty = cls(np.empty(0), levels, np.empty(0))
        return cls(np.empty(0), levels, empty.counted(values))

    def counted(self, values: Array) -> Array:
        """The numbers of values in the bins, of values in none of them, and of missing ones."""
        missing = is_missing(values)
        if self.levels:
            place = {level: index for index, level in enumerate(self.levels)}
            codes = [place.get(str(value), len(place)) for value in values[~missing].tolist()]
            found = np.bincount(codes, minlength=len(place) + 1)
        else:
            numbers = values[~missing].astype(np.float64)
            found = np.append(np.bincount(np.searchsorted(self.edges, numbers), minlength=len(self.edges) + 1), 0)
        return np.append(found, missing.sum()).astype(np.float64)

    def compared(self, counts: Array) -> tuple[float, float]:
        """Total variation distance of new counts from those of training, and the p-value of a common distribution.

        Bins with few rows are pooled for the chi-squared test.
        """
        from scipy.special import chdtrc

        table = np.stack([self.counts, counts])
        rows = table.sum(axis=1)
        if not rows.all():
            return 0.0, 1.0
        distance = float(np.abs(table[0] / rows[0] - table[1] / rows[1]).sum() / 2)
        expected = rows[:, None] * table.sum(axis=0) / rows.sum()
        rare = expected.min(axis=0) < 5
        pooled = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
        pooled = pooled[:, pooled.sum(axis=0) > 0]
        expected = rows[:, None] * pooled.sum(axis=0) / rows.sum()
        if pooled.shape[1] < 2 or rows.min() < 20:
            return distance, 1.0
        return distance, float(chdtrc(pooled.shape[1] - 1, ((pooled - expected) ** 2 / expected).sum()))


def drifted_columns(histograms: dict[str, ColumnHistogram], counts: dict[str, Array]) -> list[str]:
    """The columns of new rows whose distribution is not that of the training rows, most different first.

    A column is named if its difference is significant (Holm's correction) and concerns a tenth of the rows or more.
    """
    names = [name for name in histograms if name in counts]
    if not names:
        return []
    found = [histograms[name].compared(counts[name]) for name in names]
    distances, p_values = (np.array(part) for part in zip(*found, strict=True))
    real = np.asarray(holm(p_values, ALPHA).rejected) & (distances >= NOTABLE)
    return [names[index] for index in np.argsort(-distances, kind="stable") if real[index]]
