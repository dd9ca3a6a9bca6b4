"""Moments of columns without rounding errors, which add and subtract: equal rows give equal bytes.

They come as sums of products about zero, so that means cost no digits, and are centred in exact arithmetic: the means
and products about them are the doubles nearest to the true ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import DataError
from ..core.runtime.memory import memory_to_be_had
from ..core.runtime.native import kernels
from ..core.validate.features import Array, Matrix
from .exact_sums import ExactSums, nearest
from .sufficient_statistics import Moments

BYTES_PER_PRODUCT = 200  # of a pair of columns while sums are made


@dataclass(frozen=True, slots=True)
class ExactMoments:
    """The products of all pairs of `columns` columns and a constant, summed over weighted rows.

    `sums` is the upper triangle of Z'WZ for Z = [columns, 1], row after row. Where there are targets, they are the last
    columns.
    """

    columns: int
    sums: ExactSums

    @classmethod
    def of(cls, X: Matrix, y: Array | None = None, weight: Array | None = None) -> ExactMoments:
        """The moments of the columns of `X` (samples, features) and of `y` (samples,) or (samples, targets)."""
        targets = np.empty((X.shape[0], 0)) if y is None else np.asarray(y).reshape(X.shape[0], -1)
        if targets.dtype not in (np.float32, np.float64):
            targets = targets.astype(np.float64)
        columns = X.shape[1] + targets.shape[1]
        if columns > 10_000 and BYTES_PER_PRODUCT * columns**2 / 2 > memory_to_be_had():
            raise MemoryError(f"exact products of all columns take {BYTES_PER_PRODUCT * columns**2 / 2**41:.3g} TiB")
        return cls(columns, ExactSums(*kernels.exact_moments(X, targets, weight)))

    def __add__(self, other: ExactMoments) -> ExactMoments:
        """The moments of both sets of rows together."""
        return ExactMoments(self.columns, self.sums + other.sums)

    def __sub__(self, part: ExactMoments) -> ExactMoments:
        """The moments of the rows that remain without those of `part`."""
        rest = ExactMoments(self.columns, self.sums - part.sums)
        if reason := rest.contradiction():
            raise DataError(f"rows that were never added cannot be subtracted: {reason}")
        return rest

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.sums[[-1]].rounded()[0])

    def moments(self, centre: bool = True) -> Moments:
        """The moments rounded to the nearest doubles: all columns together, and no targets."""
        numbers, exponent = self.sums.integers()
        products, totals, weight = self._split(numbers)
        if centre:
            numerators = [
                product * weight - first * second
                for i, first in enumerate(totals)
                for product, second in zip(products[i], totals[i:], strict=True)
            ]
            mean = nearest(totals, [weight] * len(totals))
            upper = nearest(numerators, [weight] * len(numerators), exponent)
        else:
            numerators = [product for row in products for product in row]
            mean, upper = np.zeros(self.columns), nearest(numerators, [1] * len(numerators), exponent)
        gram = np.zeros((self.columns, self.columns))
        rows, columns = np.triu_indices(self.columns)
        gram[rows, columns] = gram[columns, rows] = upper
        nothing = np.empty(0)
        total = float(nearest([weight], [1], exponent)[0])
        return Moments(total, mean, nothing, gram, np.empty((self.columns, 0)), nothing, centre)

    def _split(self, numbers: list[int]) -> tuple[list[list[int]], list[int], int]:
        """Of the packed triangle the rows of products of columns, the totals of columns, and the weight."""
        rows, start = [], 0
        for i in range(self.columns + 1):
            length = self.columns + 1 - i
            rows.append(numbers[start : start + length])
            start += length
        return [row[:-1] for row in rows[:-1]], [row[-1] for row in rows[:-1]], rows[-1][0]

    def contradiction(self) -> str:
        """Why no rows can have these sums, as after the subtraction of others; empty if none is known.

        No weight, no variance and no variance left by another column is negative.
        """
        products, totals, weight = self._split(self.sums.integers()[0])
        if weight < 0:
            return "their weight exceeds that of all rows"
        if weight == 0:
            return "no weight would remain, but sums would" if self.sums.digits.size else ""
        spread = [row[0] * weight - total * total for row, total in zip(products, totals, strict=True)]
        for column, value in enumerate(spread):
            if value < 0:
                return f"the squares of column {column} about its mean would sum to less than zero"
        for i, row in enumerate(products):
            for j, product in enumerate(row[1:], i + 1):
                if (product * weight - totals[i] * totals[j]) ** 2 > spread[i] * spread[j]:
                    return f"columns {i} and {j} would have a correlation beyond one"
        return ""

    def flaw(self) -> str:
        """What keeps values of a file from being moments; empty if nothing does."""
        sizes = self.columns >= 0 and self.sums.size == (self.columns + 1) * (self.columns + 2) // 2
        return self.sums.flaw() or ("" if sizes else "there must be a sum for each pair of columns")
