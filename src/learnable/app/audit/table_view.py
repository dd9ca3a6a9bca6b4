"""The view of the checks on a table: samples of rows and columns, and statistics that are computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core import Array
from ...core.runtime.random import generator
from ..task import Question
from .column_statistics import FeatureStatistics, blocks, column_statistics_of
from .encoded_columns import Coded, as_numbers, coded, holds_numbers, missing_mask

MAX_ROWS, MAX_COLUMNS = 20_000, 300
MAX_CLASSES = 20  # number of classes that are compared with the rest, the largest first


@dataclass(frozen=True)
class AuditView:
    """A task with samples and cached statistics. Sampled rows keep their order; the same seed gives the same sample."""

    question: Question
    seed: int = 0

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return self.question.n

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All features."""
        return self.question.features

    @cached_property
    def positions(self) -> dict[str, int]:
        """The index of each feature in the statistics."""
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def rows(self) -> Array:
        """The rows of the sample, in order."""
        return sampled_indices(self.n, MAX_ROWS, self.seed, 0)

    @cached_property
    def some(self) -> tuple[str, ...]:
        """The features of the sample, in order."""
        return tuple(self.names[index] for index in sampled_indices(len(self.names), MAX_COLUMNS, self.seed, 1))

    @cached_property
    def text_columns(self) -> dict[str, Coded]:
        """The features without numbers as label-encoded columns, over the rows of the sample."""
        columns = {name: self.question.table.columns[name] for name in self.names}
        return {name: coded(values[self.rows]) for name, values in columns.items() if not holds_numbers(values)}

    @cached_property
    def statistics(self) -> FeatureStatistics:
        """The statistics of each feature."""
        return column_statistics_of(self.question.table, self.names, self.rows, self.text_columns)

    def row_numbers(self, rows: Array) -> list[int]:
        """The numbers of rows in the table as it was read."""
        return [int(row) for row in self.question.numbers(rows)]

    def chosen(self, mask: Array) -> tuple[str, ...]:
        """The features where a mask holds."""
        return tuple(self.names[index] for index in np.flatnonzero(mask))

    def values(self, name: str) -> Array:
        """All entries of a column."""
        return self.question.table.columns[name]

    def is_number(self, name: str) -> bool:
        """Whether a column holds numbers or times."""
        return holds_numbers(self.values(name))

    def numbers(self, name: str) -> Array:
        """The entries of a numeric column in the sample, NaN where missing or infinite."""
        sample = as_numbers(self.values(name)[self.rows])
        return np.where(np.isfinite(sample), sample, np.nan)

    def codes(self, name: str) -> Coded:
        """Any column, label-encoded, over the rows of the sample."""
        return self.text_columns[name] if name in self.text_columns else coded(self.values(name)[self.rows])

    def codes_of_all_rows(self, name: str) -> Coded:
        """Any column, label-encoded, over all rows."""
        return self.codes(name) if len(self.rows) == self.n else coded(self.values(name))

    def missing(self, name: str) -> Array:
        """The mask of rows without an entry."""
        if name in self.text_columns and len(self.rows) == self.n:
            return self.text_columns[name].codes < 0
        return missing_mask(self.values(name))

    def scope(self, *, rows: bool = False, columns: bool = False) -> str:
        """A note that a finding rests on a sample of the table; empty if it rests on all of it."""
        parts = [f"{len(self.rows)} of {self.n} rows"] if rows and len(self.rows) < self.n else []
        fewer = columns and len(self.names) > MAX_COLUMNS
        parts += [f"{MAX_COLUMNS} of {len(self.names)} columns"] if fewer else []
        return f" (checked on {' and '.join(parts)})" if parts else ""

    @cached_property
    def classes(self) -> Coded:
        """The target of all rows as classes."""
        return coded(self.question.y)

    @cached_property
    def amounts(self) -> Array:
        """The target of all rows as numbers, used in regression only."""
        return as_numbers(self.question.y)

    @cached_property
    def target(self) -> Array:
        """The target of the sample: codes of classes, or numbers."""
        return (self.classes.codes if self.question.classifies else self.amounts)[self.rows]

    @cached_property
    def sides(self) -> Array:
        """The target of the sample for tests: a row of 0 and 1 for each class, or one row of ranks."""
        if not self.question.classifies:
            return ranks(self.target)[None, :]
        common = np.argsort(-np.bincount(self.target), kind="stable")[:MAX_CLASSES]
        common = common[:1] if len(self.classes.values) == 2 else common
        return np.asarray(self.target == common[:, None], dtype=np.float64)

    @cached_property
    def closest(self) -> tuple[str, ...]:
        """The features most associated with the target, at most `MAX_COLUMNS`."""
        if len(self.names) <= MAX_COLUMNS:
            return self.names
        association = np.zeros(len(self.names))
        sides = standardised(self.sides)
        for indices, stack in blocks(self.question.table, self.names, self.rows):
            association[indices] = np.abs(standardised(stack) @ sides.T).max(axis=1) / len(self.rows)
        for index, name in enumerate(self.names):
            if name in self.text_columns:
                association[index] = self._explained_by(self.text_columns[name])
        return tuple(self.names[index] for index in np.sort(np.argsort(-association, kind="stable")[:MAX_COLUMNS]))

    def _explained_by(self, column: Coded) -> float:
        """Correlation ratio: root of the fraction of the variance of the target that repeated values explain."""
        side, indices = self.sides[0], column.codes + 1
        counts = np.bincount(indices)
        repeated = counts[indices] > 1
        means = np.bincount(indices, weights=side) / np.maximum(counts, 1)
        apart = (means[indices] - side.mean()) * repeated
        return float(np.sqrt(apart @ apart / len(side)) / max(float(side.std()), 1e-300))


def sampled_indices(count: int, most: int, seed: int, *key: int) -> Array:
    """Indices of a random sample of at most `most` of `count` items, in order."""
    if count <= most:
        return np.arange(count)
    return np.sort(generator(seed, *key).choice(count, most, replace=False, shuffle=False))


def standardised(stack: Array) -> Array:
    """Rows with mean 0 and variance 1, zeros where an entry is missing or a row does not vary."""
    known = np.isfinite(stack)
    counts = np.maximum(known.sum(axis=1, keepdims=True), 1)
    scale = np.abs(np.where(known, stack, 0.0)).max(axis=1, keepdims=True)
    scaled = np.where(known, stack, 0.0) / np.where(scale > 0, scale, 1.0)
    centred = np.where(known, scaled - scaled.sum(axis=1, keepdims=True) / counts, 0.0)
    spread = np.sqrt((centred**2).sum(axis=1, keepdims=True) / counts)
    return np.where(spread > 1e-12, centred / np.where(spread > 1e-12, spread, 1.0), 0.0)


def ranks(values: Array) -> Array:
    """The rank of each entry, ties sharing their average.

    >>> ranks(np.array([2.0, 1.0, 2.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[indices], dtype=np.float64)
