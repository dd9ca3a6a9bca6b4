"""How the checks look at a question: a sample of rows and columns where all would cost too much, facts found once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core import Array
from ...core.runtime.random import generator
from ..task import Question
from .column_statistics import Facts, blocks, facts_of
from .encoded_columns import Coded, as_numbers, coded, gaps, holds_numbers

MOST_ROWS, MOST_COLUMNS = 20_000, 300
MOST_CLASSES = 20  # classes whose rows are told from the rest, commonest first


@dataclass(frozen=True)
class View:
    """A question as the checks see it. Rows of the sample keep their order; the same seed gives the same sample."""

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
    def places(self) -> dict[str, int]:
        """The place of each feature among the facts."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def rows(self) -> Array:
        """The rows of the sample, in order."""
        return drawn(self.n, MOST_ROWS, self.seed, 0)

    @cached_property
    def some(self) -> tuple[str, ...]:
        """The features of the sample, in order."""
        return tuple(self.names[place] for place in drawn(len(self.names), MOST_COLUMNS, self.seed, 1))

    @cached_property
    def words(self) -> dict[str, Coded]:
        """The features that are no numbers, by their different values, over the rows of the sample."""
        columns = {name: self.question.table.columns[name] for name in self.names}
        return {name: coded(values[self.rows]) for name, values in columns.items() if not holds_numbers(values)}

    @cached_property
    def facts(self) -> Facts:
        """What is known of each feature."""
        return facts_of(self.question.table, self.names, self.rows, self.words)

    def told(self, rows: Array) -> list[int]:
        """Rows by their numbers in the table as it was read."""
        return [int(row) for row in self.question.numbers(rows)]

    def chosen(self, mask: Array) -> tuple[str, ...]:
        """The features where a mask holds."""
        return tuple(self.names[place] for place in np.flatnonzero(mask))

    def values(self, name: str) -> Array:
        """All entries of a column."""
        return self.question.table.columns[name]

    def is_number(self, name: str) -> bool:
        """Whether a column holds numbers or times."""
        return holds_numbers(self.values(name))

    def numbers(self, name: str) -> Array:
        """The entries of a column of numbers in the sample, NaN where missing or infinite."""
        sample = as_numbers(self.values(name)[self.rows])
        return np.where(np.isfinite(sample), sample, np.nan)

    def codes(self, name: str) -> Coded:
        """The entries of any column in the sample, by their different values."""
        return self.words[name] if name in self.words else coded(self.values(name)[self.rows])

    def everywhere(self, name: str) -> Coded:
        """The entries of any column in all rows, by their different values."""
        return self.codes(name) if len(self.rows) == self.n else coded(self.values(name))

    def gone(self, name: str) -> Array:
        """Which rows lack an entry."""
        return (
            self.words[name].codes < 0 if name in self.words and len(self.rows) == self.n else gaps(self.values(name))
        )

    def scope(self, *, rows: bool = False, columns: bool = False) -> str:
        """In words, that a finding rests on a part of the table; nothing where it rests on all of it."""
        parts = [f"{len(self.rows)} of {self.n} rows"] if rows and len(self.rows) < self.n else []
        fewer = columns and len(self.names) > MOST_COLUMNS
        parts += [f"{MOST_COLUMNS} of {len(self.names)} columns"] if fewer else []
        return f" (looked at {' and '.join(parts)})" if parts else ""

    @cached_property
    def classes(self) -> Coded:
        """The target of all rows as classes."""
        return coded(self.question.y)

    @cached_property
    def amounts(self) -> Array:
        """The target of all rows as numbers, to be asked for in regression alone."""
        return as_numbers(self.question.y)

    @cached_property
    def target(self) -> Array:
        """The target of the sample: codes of classes, or numbers."""
        return (self.classes.codes if self.question.classifies else self.amounts)[self.rows]

    @cached_property
    def sides(self) -> Array:
        """The target of the sample as what tests take: a row for each class, 1 where it is, or one row of ranks."""
        if not self.question.classifies:
            return ranks(self.target)[None, :]
        common = np.argsort(-np.bincount(self.target), kind="stable")[:MOST_CLASSES]
        common = common[:1] if len(self.classes.values) == 2 else common
        return np.asarray(self.target == common[:, None], dtype=np.float64)

    @cached_property
    def closest(self) -> tuple[str, ...]:
        """The features that have most to do with the target at first sight, at most as many as a sample holds."""
        if len(self.names) <= MOST_COLUMNS:
            return self.names
        strength = np.zeros(len(self.names))
        sides = standardised(self.sides)
        for places, stack in blocks(self.question.table, self.names, self.rows):
            strength[places] = np.abs(standardised(stack) @ sides.T).max(axis=1) / len(self.rows)
        for place, name in enumerate(self.names):
            if name in self.words:
                strength[place] = self._told_by(self.words[name])
        return tuple(self.names[place] for place in np.sort(np.argsort(-strength, kind="stable")[:MOST_COLUMNS]))

    def _told_by(self, column: Coded) -> float:
        """How much of the variance of the target lies between the values of a column, values that repeat alone."""
        side, places = self.sides[0], column.codes + 1
        counts = np.bincount(places)
        repeated = counts[places] > 1
        means = np.bincount(places, weights=side) / np.maximum(counts, 1)
        apart = (means[places] - side.mean()) * repeated
        return float(np.sqrt(apart @ apart / len(side)) / max(float(side.std()), 1e-300))


def drawn(count: int, most: int, seed: int, *key: int) -> Array:
    """The places of at most so many of `count` things, in order."""
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
    """The rank of each entry, equal entries having the average of theirs.

    >>> ranks(np.array([2.0, 1.0, 2.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places], dtype=np.float64)
