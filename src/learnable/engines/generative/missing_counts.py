"""Counts with missing values: additive sufficient statistics, and the conditional likelihood.

A row is a multinomial sample of size n, with the probabilities theta_j of its class. Neither the missing pattern nor n
depends on the class: P(n) ~ 1 / n, the one law for which this holds for every pattern. Summed over all values of the
missing counts, the likelihood of the observed ones is exactly

    prod over observed j of (theta_j / sum over observed k of theta_k)^x_j

Omitting missing columns from the product without dividing by that sum would treat their counts as zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...parts.downdated_sums import left
from .class_statistics import class_weights_of, like, placed

CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class CountTotals:
    """Weight of the rows of each class, observed totals of each column, and totals by missing pattern.

    `patterns` has a row of bits for each pattern, one for each missing column; `seen` (classes, patterns) the observed
    total of all columns in its rows.
    """

    weight: Array
    totals: Array
    patterns: Array
    seen: Array

    @classmethod
    def of(cls, X: Matrix, codes: Array, classes: int, weight: Array | None) -> CountTotals:
        """Totals of a dense or CSR matrix of counts."""
        which, bits, filled = missing_rows(X)
        rows, totals = class_weights_of(codes, classes, weight), kernels.class_totals(filled, codes, classes, weight)
        if not len(which):
            return cls(rows, totals, bits, np.empty((classes, 0)))
        patterns, which_pattern = np.unique(bits, axis=0, return_inverse=True)
        counted = row_totals(filled)[which] * (1.0 if weight is None else weight[which])
        index = codes[which] * len(patterns) + which_pattern.ravel()
        seen = np.bincount(index, weights=counted, minlength=classes * len(patterns)).reshape(classes, len(patterns))
        return _without_empty_patterns(cls(rows, totals, patterns, seen))

    def among(self, indices: Array, classes: int) -> CountTotals:
        """The same with class k at index indices[k] of `classes`."""
        weight, totals, seen = (placed(part, indices, classes) for part in (self.weight, self.totals, self.seen))
        return CountTotals(weight, totals, self.patterns, seen)

    def __add__(self, other: CountTotals) -> CountTotals:
        patterns, ours, theirs = _aligned(self, other)
        return CountTotals(self.weight + other.weight, self.totals + other.totals, patterns, ours + theirs)

    def __sub__(self, part: CountTotals) -> CountTotals:
        patterns, ours, its = _aligned(self, part)
        weight, totals = left(self.weight, part.weight), left(self.totals, part.totals)
        return _without_empty_patterns(CountTotals(weight, totals, patterns, left(ours, its)))


def _without_empty_patterns(sums: CountTotals) -> CountTotals:
    """The same without patterns whose observed total is zero."""
    used = sums.seen.any(axis=0)
    return CountTotals(sums.weight, sums.totals, sums.patterns[used], sums.seen[:, used])


def _aligned(first: CountTotals, second: CountTotals) -> tuple[Array, Array, Array]:
    """The patterns of both, and the observed totals of each."""
    patterns, index = np.unique(np.concatenate([first.patterns, second.patterns]), axis=0, return_inverse=True)
    index = index.ravel()
    seen = [np.zeros((len(first.weight), len(patterns))) for _ in range(2)]
    for wide, part, at in zip(seen, (first, second), np.split(index, [len(first.patterns)]), strict=True):
        wide[:, at] = part.seen
    return patterns, seen[0], seen[1]


def missing_rows(X: Matrix) -> tuple[Array, Array, Matrix]:
    """The rows of a dense or CSR matrix with missing values, bits of these, and the matrix with zeros there."""
    columns = X.shape[1]
    values = X if isinstance(X, np.ndarray) else X.data
    if kernels.first_non_finite(values) < 0:
        return np.empty(0, dtype=np.int64), np.empty((0, -(-columns // 8)), dtype=np.uint8), X
    missing = np.isnan(values)
    filled = like(X, np.where(missing, 0.0, values))
    if isinstance(X, np.ndarray):
        which = np.flatnonzero(missing.any(axis=1))
        return which, np.packbits(missing[which], axis=1), filled
    (entry,) = missing.nonzero()
    which, row = np.unique(np.searchsorted(X.indptr, entry, side="right") - 1, return_inverse=True)
    column, bits = X.indices[entry], np.zeros((len(which), -(-columns // 8)), dtype=np.uint8)
    np.bitwise_or.at(bits, (row.ravel(), column // 8), (128 >> column % 8).astype(np.uint8))
    return which, bits, filled


def row_totals(X: Matrix) -> Array:
    """The sum of each row."""
    total: Array = kernels.matvec(X, np.ones(X.shape[1]))
    return total


def condition_on_observed(X: Matrix, probabilities: Array) -> tuple[Matrix, Array]:
    """`X` with zeros for missing values, and n log(sum over observed k of theta_k) for each row and class.

    That is zero for complete and for empty rows; a single row is returned if nothing is missing.
    """
    which, bits, filled = missing_rows(X)
    if not len(which):
        return filled, np.zeros((1, len(probabilities)))
    off, totals = np.zeros((X.shape[0], len(probabilities))), row_totals(filled)[which]
    block = max(1, CELLS_AT_ONCE // X.shape[1])
    for i in range(0, len(which), block):
        there = 1.0 - np.unpackbits(bits[i : i + block], axis=1, count=X.shape[1])
        sums = kernels.matvec(there, probabilities.T)
        off[which[i : i + block]] = totals[i : i + block, None] * np.log(np.where(sums > 0, sums, 1.0))
    return filled, off
