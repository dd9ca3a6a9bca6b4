"""Split conditions of tree branches: they can be intersected and described in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.printable import printable
from ...core.validate.features import Array


@dataclass(frozen=True)
class Naming:
    """Names of columns and categories, and the format of numbers; `categories` has the values of each coded column.

    Conditions on `missing_columns` also say where missing values go.
    """

    columns: list[str]
    categories: list[Array | None] | None = None
    decimals: int = 2
    missing_columns: frozenset[int] = frozenset()

    def number(self, value: float) -> str:
        """A formatted number."""
        return f"{value:.{self.decimals}f}"

    def category(self, column: int, code: int) -> str:
        """The name of a category."""
        values = None if self.categories is None else self.categories[column]
        if values is None or code >= len(values):
            return str(code)
        value = values[code]
        return "missing" if value is None or value != value else printable(str(value))

    def count(self, column: int) -> int | None:
        """Number of categories of a column, if it is known."""
        values = None if self.categories is None else self.categories[column]
        return None if values is None else len(values)

    def missing_suffix(self, condition: Range | OneOf) -> str:
        """ " or missing" if the condition accepts missing values and its column can have some."""
        return " or missing" if condition.missing and condition.column in self.missing_columns else ""


@dataclass(frozen=True)
class Range:
    """Values of a column above `low` and at most `high`, and missing values if `missing`."""

    column: int
    low: float = -np.inf
    high: float = np.inf
    missing: bool = False

    def intersect(self, other: Any) -> Range:
        """The conjunction of two conditions on the same column."""
        both = self.missing and other.missing
        return Range(self.column, max(self.low, other.low), min(self.high, other.high), both)

    def describe(self, naming: Naming) -> str:
        """The condition in words."""
        name = naming.columns[self.column]
        if self.low == np.inf:
            return f"{name} is missing"
        if self.low == -np.inf and self.high == np.inf:
            return f"{name} is known"
        if self.low == -np.inf:
            text = f"{name} <= {naming.number(self.high)}"
        elif self.high == np.inf:
            text = f"{name} >  {naming.number(self.low)}"
        else:
            text = f"{naming.number(self.low)} < {name} <= {naming.number(self.high)}"
        return text + naming.missing_suffix(self)


@dataclass(frozen=True)
class OneOf:
    """Categories of a column in a set, or `outside` of it, and missing values if `missing`."""

    column: int
    codes: frozenset[int]
    outside: bool = False
    missing: bool = False

    def intersect(self, other: Any) -> OneOf:
        """The conjunction of two conditions on the same column."""
        both = self.missing and other.missing
        if self.outside and other.outside:
            return OneOf(self.column, self.codes | other.codes, True, both)
        if self.outside:
            return OneOf(self.column, other.codes - self.codes, False, both)
        codes = self.codes - other.codes if other.outside else self.codes & other.codes
        return OneOf(self.column, codes, False, both)

    def describe(self, naming: Naming) -> str:
        """The condition in words."""
        codes, outside, count = self.codes, self.outside, naming.count(self.column)
        if outside and count is not None:
            codes, outside = frozenset(range(count)) - codes, False
        values = " or ".join(naming.category(self.column, code) for code in sorted(codes))
        return f"{naming.columns[self.column]} is {'not ' if outside else ''}{values}{naming.missing_suffix(self)}"


@dataclass(frozen=True)
class HalfSpace:
    """A half-space: a linear combination of columns at most, or above, a threshold."""

    weights: tuple[float, ...]
    threshold: float
    above: bool

    @property
    def column(self) -> tuple[float, ...]:
        """The key of the hyperplane, as the column is the key of other conditions."""
        return (*self.weights, self.threshold)

    def intersect(self, other: Any) -> HalfSpace:
        """The conjunction of two conditions on the same hyperplane, which are equal."""
        return self

    def describe(self, naming: Naming) -> str:
        """The condition in words."""
        terms = [f"{naming.number(w)} {naming.columns[j]}" for j, w in enumerate(self.weights) if w != 0]
        total = " + ".join(terms).replace("+ -", "- ")
        return f"{total} {'> ' if self.above else '<='} {naming.number(self.threshold)}"


Condition = Range | OneOf | HalfSpace


def merge_conditions(conditions: list[Condition]) -> list[Condition]:
    """Conditions with those on the same column intersected, in the order in which columns first occur."""
    found: dict[Any, Condition] = {}
    for condition in conditions:
        earlier = found.get(condition.column)
        found[condition.column] = condition if earlier is None else earlier.intersect(condition)
    return list(found.values())
