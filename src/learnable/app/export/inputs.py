"""The numbers that a converted file takes for a row: the columns of the table, then what stands in texts and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import Array
from ...core.validate.mixed_table import is_missing
from ..predict.type_conversion import written

UNKNOWN = -1.0  # the place of a category that training rows did not have


@dataclass(frozen=True, slots=True)
class Taken:
    """Numbers that are made of a column before the file sees them: what each means, and how they come about."""

    column: int
    meanings: list[str]
    made: Callable[[Array], Array]
    words: list[str] = field(default_factory=list)  # that its texts may hold


@dataclass(frozen=True, slots=True)
class Inputs:
    """Columns by name, the categories that are told by their places, and the numbers that stand after the columns."""

    names: list[str]
    levels: dict[int, list[str]] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)  # columns for which the model takes no other categories

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return len(self.names) + sum(len(one.meanings) for one in self.taken)

    def told_by_place(self, column: int, categories: Array) -> Array:
        """Note the categories of a column; tells which of its values stands for a gap."""
        gap = is_missing(categories)
        self.levels[column] = [str(written(level)) for level in categories[~gap].tolist()]
        return np.asarray(gap)

    def more(self, taken: Taken) -> range:
        """Take further numbers; where they stand in a row."""
        first = self.width
        self.taken.append(taken)
        return range(first, self.width)

    def described(self) -> list[dict[str, Any]]:
        """What each number of a row is, for people and programs."""
        read = {one.column for one in self.taken}
        found: list[dict[str, Any]] = []
        for place, name in enumerate(self.names):
            levels = {"categories": self.levels[place]} if place in self.levels else {}
            means = f"{name} (not looked at itself)" if place in read else name
            found.append({"place": place, "means": means, **levels})
        meanings = [meaning for one in self.taken for meaning in one.meanings]
        return found + [{"place": place, "means": means} for place, means in enumerate(meanings, len(self.names))]

    def matrix(self, frame: Any) -> Array:
        """The rows of a frame as the file takes them: NaN where missing, categories by their places."""
        read, values = {one.column for one in self.taken}, [column.to_numpy() for column in frame.columns]
        columns = [
            np.full(len(column), np.nan) if place in read else self._column(place, column)
            for place, column in enumerate(values)
        ]
        return np.column_stack([*columns, *(one.made(values[one.column]) for one in self.taken)])

    def _column(self, place: int, values: Array) -> Array:
        if place not in self.levels:
            return values.astype(np.float64)
        where = {level: float(number) for number, level in enumerate(self.levels[place])}
        gone = is_missing(values)
        told = [where.get(str(written(value)), UNKNOWN) for value in values.tolist()]
        return np.where(gone, np.nan, told)
