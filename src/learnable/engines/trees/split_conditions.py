"""What the branches of a tree ask of a row, as values that can be joined and said in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.printable import printable
from ...core.validate.features import Array


@dataclass(frozen=True)
class Naming:
    """How columns, categories and numbers are called; `categories` has the values of each column that has codes.

    Of columns with `gaps` it is told which way missing entries go.
    """

    columns: list[str]
    categories: list[Array | None] | None = None
    decimals: int = 2
    gaps: frozenset[int] = frozenset()

    def number(self, value: float) -> str:
        """A number in words."""
        return f"{value:.{self.decimals}f}"

    def category(self, column: int, code: int) -> str:
        """A category in words."""
        values = None if self.categories is None else self.categories[column]
        if values is None or code >= len(values):
            return str(code)
        value = values[code]
        return "missing" if value is None or value != value else printable(str(value))

    def count(self, column: int) -> int | None:
        """How many categories a column has, if that is known."""
        values = None if self.categories is None else self.categories[column]
        return None if values is None else len(values)

    def otherwise(self, condition: Range | OneOf) -> str:
        """What else a condition lets pass: missing entries, if there can be some."""
        return " or missing" if condition.missing and condition.column in self.gaps else ""


@dataclass(frozen=True)
class Range:
    """A number of a column above `low` and at most `high`, or a `missing` one; no other is above infinity."""

    column: int
    low: float = -np.inf
    high: float = np.inf
    missing: bool = False

    def joined(self, other: Any) -> Range:
        """Both conditions at once."""
        both = self.missing and other.missing
        return Range(self.column, max(self.low, other.low), min(self.high, other.high), both)

    def words(self, naming: Naming) -> str:
        """The condition as a phrase."""
        name = naming.columns[self.column]
        if self.low == np.inf:
            return f"{name} is missing"
        if self.low == -np.inf and self.high == np.inf:
            return f"{name} is known"
        if self.low == -np.inf:
            said = f"{name} <= {naming.number(self.high)}"
        elif self.high == np.inf:
            said = f"{name} >  {naming.number(self.low)}"
        else:
            said = f"{naming.number(self.low)} < {name} <= {naming.number(self.high)}"
        return said + naming.otherwise(self)


@dataclass(frozen=True)
class OneOf:
    """A category of a column among some, or `outside` of them, or a `missing` one."""

    column: int
    codes: frozenset[int]
    outside: bool = False
    missing: bool = False

    def joined(self, other: Any) -> OneOf:
        """Both conditions at once."""
        both = self.missing and other.missing
        if self.outside and other.outside:
            return OneOf(self.column, self.codes | other.codes, True, both)
        if self.outside:
            return OneOf(self.column, other.codes - self.codes, False, both)
        codes = self.codes - other.codes if other.outside else self.codes & other.codes
        return OneOf(self.column, codes, False, both)

    def words(self, naming: Naming) -> str:
        """The condition as a phrase."""
        codes, outside, count = self.codes, self.outside, naming.count(self.column)
        if outside and count is not None:
            codes, outside = frozenset(range(count)) - codes, False
        values = " or ".join(naming.category(self.column, code) for code in sorted(codes))
        return f"{naming.columns[self.column]} is {'not ' if outside else ''}{values}{naming.otherwise(self)}"


@dataclass(frozen=True)
class Side:
    """A weighted sum of columns on one side of a threshold."""

    weights: tuple[float, ...]
    threshold: float
    above: bool

    @property
    def column(self) -> tuple[float, ...]:
        """What tells sums apart, as a column tells other conditions."""
        return (*self.weights, self.threshold)

    def joined(self, other: Any) -> Side:
        """Both conditions at once: they are the same."""
        return self

    def words(self, naming: Naming) -> str:
        """The condition as a phrase."""
        terms = [f"{naming.number(w)} {naming.columns[j]}" for j, w in enumerate(self.weights) if w != 0]
        total = " + ".join(terms).replace("+ -", "- ")
        return f"{total} {'> ' if self.above else '<='} {naming.number(self.threshold)}"


Condition = Range | OneOf | Side


def joined(conditions: list[Condition]) -> list[Condition]:
    """Conditions with those on the same column made one, in the order in which columns first come."""
    found: dict[Any, Condition] = {}
    for condition in conditions:
        earlier = found.get(condition.column)
        found[condition.column] = condition if earlier is None else earlier.joined(condition)
    return list(found.values())
