"""The inputs of a converted file: the columns of the table, then numbers derived from texts and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import Array
from ...core.validate.mixed_table import is_missing
from ..predict.type_conversion import written

UNKNOWN = -1.0  # the index of a category that training rows did not have


@dataclass(frozen=True, slots=True)
class Taken:
    """Inputs derived from a column outside the file: their meanings, and their computation."""

    column: int
    meanings: list[str]
    made: Callable[[Array], Array]
    words: list[str] = field(default_factory=list)  # known words of its texts


@dataclass(frozen=True, slots=True)
class Inputs:
    """Columns by name, categories that are encoded by index, and derived inputs after the columns."""

    names: list[str]
    levels: dict[int, list[str]] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)  # columns for which the model rejects unknown categories

    @property
    def width(self) -> int:
        """The number of inputs of a row."""
        return len(self.names) + sum(len(one.meanings) for one in self.taken)

    def encode_by_index(self, column: int, categories: Array) -> Array:
        """Record the categories of a column; return the mask of the one that means missing."""
        missing = is_missing(categories)
        self.levels[column] = [str(written(level)) for level in categories[~missing].tolist()]
        return np.asarray(missing)

    def more(self, taken: Taken) -> range:
        """Add derived inputs; return their indices in a row."""
        first = self.width
        self.taken.append(taken)
        return range(first, self.width)

    def described(self) -> list[dict[str, Any]]:
        """The description of each input of a row."""
        read = {one.column for one in self.taken}
        found: list[dict[str, Any]] = []
        for index, name in enumerate(self.names):
            levels = {"categories": self.levels[index]} if index in self.levels else {}
            means = f"{name} (not used itself)" if index in read else name
            found.append({"place": index, "means": means, **levels})
        meanings = [meaning for one in self.taken for meaning in one.meanings]
        return found + [{"place": index, "means": means} for index, means in enumerate(meanings, len(self.names))]

    def matrix(self, frame: Any) -> Array:
        """The rows of a frame as inputs of the file: NaN where missing, categories by index."""
        read, values = {one.column for one in self.taken}, [column.to_numpy() for column in frame.columns]
        columns = [
            np.full(len(column), np.nan) if index in read else self._column(index, column)
            for index, column in enumerate(values)
        ]
        return np.column_stack([*columns, *(one.made(values[one.column]) for one in self.taken)])

    def _column(self, index: int, values: Array) -> Array:
        if index not in self.levels:
            return values.astype(np.float64)
        where = {level: float(number) for number, level in enumerate(self.levels[index])}
        gone = is_missing(values)
        codes = [where.get(str(written(value)), UNKNOWN) for value in values.tolist()]
        return np.where(gone, np.nan, codes)
