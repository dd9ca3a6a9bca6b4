"""Moments of the columns of each class without rounding errors: equal rows give equal bytes, in whatever parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.errors import DataError
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ..exact_sums import ExactSums, nearest


@dataclass(frozen=True, slots=True)
class ExactClassMoments:
    """As `ClassMoments`; `powers` and `digits` are those of `ExactSums`.

    For each class, one after the other: its weight, the weight of missing entries of each column, the sums of the
    others, and the sums of their squares.
    """

    classes: int
    columns: int
    powers: Array
    digits: Array

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None) -> ExactClassMoments:
        """The moments of a dense `X`, which may have missing values."""
        return cls(classes, X.shape[1], *kernels.exact_class_sums(X, codes, classes, weight))

    @property
    def sums(self) -> ExactSums:
        """The sums."""
        return ExactSums(self.powers, self.digits)

    def among(self, indices: Array, classes: int) -> ExactClassMoments:
        """The same with class k at index indices[k] of `classes`."""
        width = 1 + 3 * self.columns
        positions = (np.asarray(indices)[:, None] * width + np.arange(width)).ravel()
        return self._with(self.sums.among(positions, classes * width), classes)

    def occurring(self) -> Array:
        """The classes that have rows."""
        return np.flatnonzero(self.digits.reshape(len(self.powers), self.classes, -1).any(axis=(0, 2)))

    def chosen(self, classes: Array) -> ExactClassMoments:
        """The moments of some classes alone."""
        width = 1 + 3 * self.columns
        return self._with(self.sums[(classes[:, None] * width + np.arange(width)).ravel()], len(classes))

    def _with(self, sums: ExactSums, classes: int) -> ExactClassMoments:
        return ExactClassMoments(classes, self.columns, sums.powers, sums.digits)

    def __add__(self, other: ExactClassMoments) -> ExactClassMoments:
        return self._with(self.sums + other.sums, self.classes)

    def __sub__(self, part: ExactClassMoments) -> ExactClassMoments:
        rest = self._with(self.sums - part.sums, self.classes)
        rest.refuse_contradictions()
        return rest

    def refuse_contradictions(self) -> None:
        """Raise a `DataError` if no rows can have these sums, as after the subtraction of others."""
        weight, missing, totals, squares = self._integers()[:4]
        for k, whole in enumerate(weight):
            for j in range(k * self.columns, (k + 1) * self.columns):
                present = whole - missing[j]
                if missing[j] < 0 or present < 0 or squares[j] * present < totals[j] ** 2:
                    raise DataError(
                        f"rows that were never learned cannot be removed: of class {k}, the weight of column "
                        f"{j % self.columns} or its variance would be negative"
                    )
                if present == 0 and (totals[j] or squares[j]):
                    raise DataError("rows that were never learned cannot be removed: sums without rows would remain")

    @property
    def weight(self) -> Array:
        """The weight of the rows of each class."""
        weight, *_, exponent = self._integers()
        return nearest(weight, [1] * len(weight), exponent)

    @property
    def present(self) -> Array:
        """The weight of the observed entries of each column in each class."""
        present, *_, exponent = self._observed()
        return nearest(present, [1] * len(present), exponent).reshape(self.classes, -1)

    @property
    def mean(self) -> Array:
        """The mean of each column in each class, zero where nothing was observed."""
        present, totals, _, _ = self._observed()
        return _means(present, totals).reshape(self.classes, -1)

    @property
    def scatter(self) -> Array:
        """The squares about its mean of each column in each class."""
        return _squares_about_means(*self._observed()).reshape(self.classes, -1)

    def pooled(self) -> tuple[Array, Array, Array]:
        """Weight, mean and squares about it of each column over all classes together."""
        *parts, exponent = self._observed()
        present, totals, squares = ([sum(part[j :: self.columns]) for j in range(self.columns)] for part in parts)
        weight = nearest(present, [1] * len(present), exponent)
        return weight, _means(present, totals), _squares_about_means(present, totals, squares, exponent)

    def _integers(self) -> tuple[list[int], list[int], list[int], list[int], int]:
        """Weights, weights of missing entries, sums and squares as integers times 2^exponent, and the exponent."""
        numbers, exponent = self.sums.integers()
        width, p = 1 + 3 * self.columns, self.columns
        parts: list[list[int]] = [[], [], [], []]
        for start in range(0, len(numbers), width):
            ends = (start, start + 1, start + 1 + p, start + 1 + 2 * p, start + width)
            for part, begin, end in zip(parts, ends, ends[1:], strict=False):
                part += numbers[begin:end]
        return (*parts, exponent)  # type: ignore[return-value]  # four

    def _observed(self) -> tuple[list[int], list[int], list[int], int]:
        """The weight of observed entries, their sums and squares, as integers times 2^exponent, and the exponent."""
        weight, missing, totals, squares, exponent = self._integers()
        return [weight[j // self.columns] - its for j, its in enumerate(missing)], totals, squares, exponent


def _means(present: list[int], totals: list[int]) -> Array:
    return nearest(totals, [weight or 1 for weight in present])


def _squares_about_means(present: list[int], totals: list[int], squares: list[int], exponent: int) -> Array:
    """sum w x^2 - (sum w x)^2 / sum w."""
    numerators = [
        square * weight - total * total for square, weight, total in zip(squares, present, totals, strict=True)
    ]
    return nearest(numerators, [weight or 1 for weight in present], exponent)
