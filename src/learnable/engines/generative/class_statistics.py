"""Sufficient statistics of the rows of each class that add and subtract: streaming, merging and unlearning.

A class is a row of every array; rows of unseen classes are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...parts.downdated_sums import left, scatter_left


class ClassStatistics(Protocol):
    """Sufficient statistics of the rows of each class."""

    @property
    def weight(self) -> Array:
        """The weight of the rows of each class."""

    def __add__(self, other: Self) -> Self:
        """The statistics of both sets of rows together."""

    def __sub__(self, part: Self) -> Self:
        """The statistics of the rows that remain without those of `part`."""

    def among(self, indices: Array, classes: int) -> Self:
        """The same with class k at index indices[k] of `classes`."""


def placed(values: Array, indices: Array, classes: int) -> Array:
    """Rows of `values` at their `indices` among `classes` rows, zeros elsewhere."""
    wide = np.zeros((classes, *values.shape[1:]), dtype=values.dtype)
    wide[indices] = values
    return wide


def class_weights_of(codes: Array, classes: int, weight: Array | None) -> Array:
    """The weight of the rows of each class."""
    return np.bincount(codes, weights=weight, minlength=classes).astype(np.float64)


@dataclass(frozen=True, slots=True)
class ClassMoments:
    """Weight of the rows of each class; weight, mean and centred squares of its observed values in each column."""

    weight: Array
    present: Array
    mean: Array
    scatter: Array

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None) -> ClassMoments:
        """The moments of a dense `X`, in one pass; a second one where values are missing."""
        sums = kernels.class_moments(X, codes, classes, weight)
        if np.isnan(sums[2]).any() and np.isnan(X).any():
            sums = kernels.class_moments(X, codes, classes, weight, True)
        return cls(class_weights_of(codes, classes, weight), *sums)

    def among(self, indices: Array, classes: int) -> ClassMoments:
        """The same with class k at index indices[k] of `classes`."""
        parts = (self.weight, self.present, self.mean, self.scatter)
        return ClassMoments(*(placed(part, indices, classes) for part in parts))

    def __add__(self, other: ClassMoments) -> ClassMoments:
        present = self.present + other.present
        fraction = _ratio(other.present, present)
        apart = other.mean - self.mean
        return ClassMoments(
            self.weight + other.weight,
            present,
            np.where(self.present > 0, self.mean + fraction * apart, other.mean),
            self.scatter + other.scatter + self.present * fraction * apart**2,
        )

    def __sub__(self, part: ClassMoments) -> ClassMoments:
        present = left(self.present, part.present)
        mean = np.where(present > 0, self.mean + (self.mean - part.mean) * _ratio(part.present, present), 0.0)
        between = present * _ratio(part.present, self.present) * (part.mean - mean) ** 2
        scatter = scatter_left(self.scatter, part.scatter, between, self.present, self.mean)
        return ClassMoments(left(self.weight, part.weight), present, mean, np.where(present > 0, scatter, 0.0))

    def pooled(self) -> tuple[Array, Array, Array]:
        """Weight, mean and squares about it of each column over all classes together."""
        present = self.present.sum(axis=0)
        mean = _ratio((self.present * self.mean).sum(axis=0), present)
        between = (self.present * (self.mean - mean) ** 2).sum(axis=0)
        return present, mean, self.scatter.sum(axis=0) + between


@dataclass(frozen=True, slots=True)
class ClassTotals:
    """Weight of the rows of each class; for each column the total of its values and the weight of those present."""

    weight: Array
    totals: Array
    present: Array

    @classmethod
    def of(
        cls, X: Matrix, codes: Array, classes: int, weight: Array | None, threshold: float | None = None
    ) -> ClassTotals:
        """Totals of the values of a dense or CSR matrix, or of how many are above `threshold`."""
        rows = class_weights_of(codes, classes, weight)
        present = np.repeat(rows[:, None], X.shape[1], axis=1)
        values = X if isinstance(X, np.ndarray) else X.data
        if kernels.first_non_finite(values) >= 0:
            missing = like(X, np.isnan(values).astype(np.float64))
            present = present - kernels.class_totals(missing, codes, classes, weight)
            X = like(X, np.where(np.isnan(values), -np.inf if threshold is not None else 0.0, values))
        return cls(rows, kernels.class_totals(X, codes, classes, weight, threshold), present)

    def among(self, indices: Array, classes: int) -> ClassTotals:
        """The same with class k at index indices[k] of `classes`."""
        return ClassTotals(*(placed(part, indices, classes) for part in (self.weight, self.totals, self.present)))

    def __add__(self, other: ClassTotals) -> ClassTotals:
        return ClassTotals(self.weight + other.weight, self.totals + other.totals, self.present + other.present)

    def __sub__(self, part: ClassTotals) -> ClassTotals:
        return ClassTotals(
            left(self.weight, part.weight), left(self.totals, part.totals), left(self.present, part.present)
        )


@dataclass(frozen=True, slots=True)
class ClassTables:
    """Weight of the rows of each class, and for each column a table: the weight of each level in each class."""

    weight: Array
    tables: list[Array]

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None) -> ClassTables:
        """Tables of integer levels from zero; missing values are ignored."""
        tables = []
        for column in X.T:
            there = ~np.isnan(column)
            level = column[there].astype(np.int64)
            levels = int(level.max(initial=0)) + 1
            its_weight = None if weight is None else weight[there]
            counts = np.bincount(codes[there] * levels + level, weights=its_weight, minlength=classes * levels)
            tables.append(counts.reshape(classes, levels).astype(np.float64))
        return cls(class_weights_of(codes, classes, weight), tables)

    def among(self, indices: Array, classes: int) -> ClassTables:
        """The same with class k at index indices[k] of `classes`."""
        return ClassTables(
            placed(self.weight, indices, classes), [placed(table, indices, classes) for table in self.tables]
        )

    def __add__(self, other: ClassTables) -> ClassTables:
        tables = [sum(_same_width(*pair)) for pair in zip(self.tables, other.tables, strict=True)]
        return ClassTables(self.weight + other.weight, tables)

    def __sub__(self, part: ClassTables) -> ClassTables:
        pairs = (_same_width(*pair) for pair in zip(self.tables, part.tables, strict=True))
        return ClassTables(left(self.weight, part.weight), [_without_unused_levels(left(*pair)) for pair in pairs])


def like(X: Matrix, values: Array) -> Matrix:
    """A matrix stored as `X` with other values."""
    return values if isinstance(X, np.ndarray) else type(X)((values, X.indices, X.indptr), shape=X.shape)


def _ratio(part: Array, whole: Array) -> Array:
    """part / whole, zero where the denominator is zero."""
    return np.asarray(part / np.where(whole > 0, whole, 1.0))


def _without_unused_levels(table: Array) -> Array:
    """A table without the last levels that do not occur."""
    levels = int(np.flatnonzero(table.any(axis=0)).max(initial=0)) + 1
    return table[:, :levels]


def _same_width(first: Array, second: Array) -> tuple[Any, Any]:
    """Both tables with as many levels as the wider one."""
    width = max(first.shape[1], second.shape[1])
    return tuple(np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in (first, second))  # type: ignore[return-value]  # two
