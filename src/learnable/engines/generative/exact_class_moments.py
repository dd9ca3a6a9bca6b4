"""Moments of the columns of each class without rounding errors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ...core.errors import DataError
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ..exact_sums import nearest
from .exact_class_sums import ExactClassSums


@dataclass(frozen=True, slots=True)
class ExactClassMoments(ExactClassSums):
    """As `ClassMoments`, without rounding errors.

    For each class: its weight, the weight of missing entries of each column, the sums of the others, and the sums of
    their squares.
    """

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None) -> ExactClassMoments:
        """The moments of a dense `X`, which may have missing values."""
        return cls(classes, X.shape[1], *kernels.exact_class_sums(X, codes, classes, weight))

    @property
    def width(self) -> int:
        """The number of sums of a class."""
        return 1 + 3 * self.columns

    def refuse_contradictions(self) -> None:
        """Raise a `DataError` if no rows can have these sums, as after the subtraction of others."""
        weight, missing, totals, squares, _ = self._integers()
        for j, (gone, total, square) in enumerate(zip(missing, totals, squares, strict=True)):
            present = weight[j // self.columns] - gone
            if gone < 0 or present < 0 or square * present < total**2 or (present == 0 and (total or square)):
                raise DataError(
                    f"rows that were never learned cannot be removed: of class number {j // self.columns}, column "
                    f"{j % self.columns} would have a negative weight or variance, or sums without rows"
                )

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
        ends = [0, 1, *(1 + part * self.columns for part in (1, 2, 3))]
        classes = range(0, len(numbers), self.width)
        weight, missing, totals, squares = (
            [number for start in classes for number in numbers[start + begin : start + end]]
            for begin, end in pairwise(ends)
        )
        return weight, missing, totals, squares, exponent

    def _observed(self) -> tuple[list[int], list[int], list[int], int]:
        """The weight of observed entries, their sums and squares, as integers times 2^exponent, and the exponent."""
        weight, missing, totals, squares, exponent = self._integers()
        return [weight[j // self.columns] - gone for j, gone in enumerate(missing)], totals, squares, exponent


def _means(present: list[int], totals: list[int]) -> Array:
    return nearest(totals, [weight or 1 for weight in present])


def _squares_about_means(present: list[int], totals: list[int], squares: list[int], exponent: int) -> Array:
    """sum w x^2 - (sum w x)^2 / sum w."""
    numerators = [
        square * weight - total * total for square, weight, total in zip(squares, present, totals, strict=True)
    ]
    return nearest(numerators, [weight or 1 for weight in present], exponent)
