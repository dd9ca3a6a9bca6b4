"""Sums over the rows of each class without rounding errors: equal rows give equal bytes, in whatever parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from ..exact_sums import ExactSums, nearest


@dataclass(frozen=True, slots=True)
class ExactClassSums(ABC):
    """`width` sums for each class, one after the other; the first is its weight. See `ExactSums` for the digits."""

    classes: int
    columns: int
    powers: Array
    digits: Array

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of sums of a class."""

    @abstractmethod
    def refuse_contradictions(self) -> None:
        """Raise a `DataError` if no rows can have these sums, as after the subtraction of others."""

    @property
    def sums(self) -> ExactSums:
        """The sums of all classes."""
        return ExactSums(self.powers, self.digits)

    @property
    def weight(self) -> Array:
        """The weight of the rows of each class."""
        numbers, exponent = self.sums[:: self.width].integers()
        return nearest(numbers, [1] * len(numbers), exponent)

    def among(self, indices: Array, classes: int) -> Self:
        """The same with class k at index indices[k] of `classes`."""
        return self._with(self.sums.among(self._of_classes(indices), classes * self.width), classes)

    def chosen(self, classes: Array) -> Self:
        """The sums of some classes alone."""
        return self._with(self.sums[self._of_classes(classes)], len(classes))

    def _of_classes(self, classes: Array) -> Array:
        return (np.asarray(classes)[:, None] * self.width + np.arange(self.width)).ravel()

    def occurring(self) -> Array:
        """The classes that have rows."""
        return np.flatnonzero(self.digits.reshape(len(self.powers), self.classes, self.width).any(axis=(0, 2)))

    def _with(self, sums: ExactSums, classes: int) -> Self:
        return type(self)(classes, self.columns, sums.powers, sums.digits)

    def __add__(self, other: Self) -> Self:
        return self._with(self.sums + other.sums, self.classes)

    def __sub__(self, part: Self) -> Self:
        rest = self._with(self.sums - part.sums, self.classes)
        rest.refuse_contradictions()
        return rest

    def flaw(self) -> str:
        """What keeps values of a file from being such sums; empty if nothing does."""
        sizes = self.classes > 0 and self.columns > 0 and np.shape(self.digits)[1:] == (self.classes * self.width,)
        return self.sums.flaw() or ("" if sizes else "there must be as many sums as classes and columns need")
