"""A sample of the rows of a source that is the same however they are distributed: those with the smallest hashes.

The hash of a row is that of its number among all rows. The sample of two parts together is made of their samples, so
that it is found in one pass; a source with no more rows than the sample may have is taken whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Estimator, Trace
from ..core.validate.features import Array, Data, Matrix
from .matrix_products import is_sparse
from .passes import RowBlock, TrainingRows

SAMPLE_ROWS = 200_000


@dataclass(frozen=True)
class SampledRows:
    """At most `most` rows with their numbers, and how many rows they were chosen from."""

    X: Matrix
    y: Array
    weight: Array | None
    numbers: Array
    most: int
    count: int

    @classmethod
    def of(cls, block: RowBlock, most: int) -> SampledRows:
        """The sample of a block."""
        numbers = np.asarray(block.numbers)
        return cls(block.X, block.y, block.weight, numbers, most, block.n)._cut()

    def __add__(self, other: SampledRows) -> SampledRows:
        if is_sparse(self.X):
            from scipy import sparse

            X = sparse.vstack([self.X, other.X], format=self.X.format)
        else:
            X = np.concatenate([self.X, other.X])
        weight = None if self.weight is None or other.weight is None else np.concatenate([self.weight, other.weight])
        numbers, y = np.concatenate([self.numbers, other.numbers]), np.concatenate([self.y, other.y])
        return SampledRows(X, y, weight, numbers, self.most, self.count + other.count)._cut()

    def _cut(self) -> SampledRows:
        """The rows with the smallest hashes, in their order."""
        if len(self.numbers) <= self.most:
            return self
        kept = np.sort(np.argpartition(hashes(self.numbers), self.most - 1)[: self.most])
        weight = None if self.weight is None else self.weight[kept]
        y = self.y[kept] if len(self.y) else self.y
        return SampledRows(self.X[kept], y, weight, self.numbers[kept], self.most, self.count)

    @property
    def data(self) -> Data:
        """The sample as training data."""
        return Data(self.X, self.y, self.weight, None)


def hashes(numbers: Array) -> Array:
    """A hash of 64 bits of each row number (SplitMix64), of which no two are equal.

    >>> int(hashes(np.array([1]))[0])
    16294208416658607535
    """
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Array = z ^ (z >> np.uint64(31))
    return found


class FitsSample(Estimator):
    """An estimator that is fitted to a fixed sample of the rows of a source, as quantiles are not sums."""

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        sample: SampledRows = rows.total(SampledRows.of, self._sample_rows)
        data = sample.data
        self._fit(Data(data.X, data.y, data.weight, rows.first.names), trace)  # type: ignore[attr-defined]  # of roles
        if not trace.rows:
            trace.exact(
                f"the statistics of {data.n} of the {sample.count} training rows, chosen by a hash of their number"
            )

    @property
    def _sample_rows(self) -> int:
        """The number of rows in the sample."""
        return getattr(self, "subsample", None) or SAMPLE_ROWS
