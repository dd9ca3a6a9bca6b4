"""Rows of counts some of which are missing: sums that add and subtract, and the shares that explain them best.

A row is n draws of things, each from column j with the share theta_j of its class. Neither which columns are missing
nor how much was drawn says anything of the class: P(n) ~ 1 / n, the one law for which this holds whichever columns are
seen. Summed over all values that the missing counts may have, the likelihood of what is seen is exactly

    prod over seen j of (theta_j / sum over seen k of theta_k)^x_j

To leave missing columns out of the product without the division would be to take their counts for zero.
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
class GappyTotals:
    """Weight of the rows of each class and totals of what is seen of each column; totals by pattern of gaps.

    `gaps` has a row of bits for each pattern, one for each missing column; `seen` (classes, patterns) what is seen of
    all columns in its rows.
    """

    weight: Array
    totals: Array
    gaps: Array
    seen: Array

    @classmethod
    def of(cls, X: Matrix, codes: Array, classes: int, weight: Array | None) -> GappyTotals:
        """Totals of a dense or CSR matrix of counts."""
        which, bits, filled = gap_rows(X)
        rows, totals = class_weights_of(codes, classes, weight), kernels.class_totals(filled, codes, classes, weight)
        if not len(which):
            return cls(rows, totals, bits, np.empty((classes, 0)))
        gaps, pattern = np.unique(bits, axis=0, return_inverse=True)
        counted = row_totals(filled)[which] * (1.0 if weight is None else weight[which])
        place = codes[which] * len(gaps) + pattern.ravel()
        seen = np.bincount(place, weights=counted, minlength=classes * len(gaps)).reshape(classes, len(gaps))
        return _without_idle(cls(rows, totals, gaps, seen))

    def among(self, places: Array, classes: int) -> GappyTotals:
        """The same where class k is number places[k] of `classes`."""
        weight, totals, seen = (placed(part, places, classes) for part in (self.weight, self.totals, self.seen))
        return GappyTotals(weight, totals, self.gaps, seen)

    def __add__(self, other: GappyTotals) -> GappyTotals:
        gaps, ours, theirs = _aligned(self, other)
        return GappyTotals(self.weight + other.weight, self.totals + other.totals, gaps, ours + theirs)

    def __sub__(self, part: GappyTotals) -> GappyTotals:
        gaps, ours, its = _aligned(self, part)
        weight, totals = left(self.weight, part.weight), left(self.totals, part.totals)
        return _without_idle(GappyTotals(weight, totals, gaps, left(ours, its)))


def _without_idle(sums: GappyTotals) -> GappyTotals:
    """The same without patterns in which nothing is seen."""
    used = sums.seen.any(axis=0)
    return GappyTotals(sums.weight, sums.totals, sums.gaps[used], sums.seen[:, used])


def _aligned(first: GappyTotals, second: GappyTotals) -> tuple[Array, Array, Array]:
    """The patterns of both, and what each has seen in every one."""
    gaps, place = np.unique(np.concatenate([first.gaps, second.gaps]), axis=0, return_inverse=True)
    place = place.ravel()
    seen = [np.zeros((len(first.weight), len(gaps))) for _ in range(2)]
    for wide, part, at in zip(seen, (first, second), np.split(place, [len(first.gaps)]), strict=True):
        wide[:, at] = part.seen
    return gaps, seen[0], seen[1]


def gap_rows(X: Matrix) -> tuple[Array, Array, Matrix]:
    """The rows of a dense or CSR matrix that have gaps, a bit for each of these, and the matrix with zeros there."""
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


def conditioned(X: Matrix, shares: Array) -> tuple[Matrix, Array]:
    """`X` with zeros in its gaps, and n log(sum over seen k of theta_k) for each row and class.

    That is zero where nothing is missing, and where nothing is seen; one row stands for all if none has gaps.
    """
    which, bits, filled = gap_rows(X)
    if not len(which):
        return filled, np.zeros((1, len(shares)))
    off, totals = np.zeros((X.shape[0], len(shares))), row_totals(filled)[which]
    block = max(1, CELLS_AT_ONCE // X.shape[1])
    for i in range(0, len(which), block):
        there = 1.0 - np.unpackbits(bits[i : i + block], axis=1, count=X.shape[1])
        sums = kernels.matvec(there, shares.T)
        off[which[i : i + block]] = totals[i : i + block, None] * np.log(np.where(sums > 0, sums, 1.0))
    return filled, off
