"""Sufficient statistics of a linear model that add and subtract.

They are all that least squares needs of the data, so they give streaming, merging, unlearning and fast
cross-validation: the statistics without a fold are those of all rows minus those of the fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ..core.runtime.memory import memory_to_be_had
from ..core.runtime.native import kernels
from ..core.validate.features import Array, Matrix
from . import matrix_products

MANY_COLUMNS = 10_000  # from here on, their products may not fit in memory
MAX_MEAN_RATIO = 1e3  # mean of a column, in its deviations: beyond, the difference of squares has fewer than ten digits


class Marginals(NamedTuple):
    """What is known of each column and target alone: weighted count, means (zero if not `centred`), spread about them.

    `spread` is the sum of squares of each target, `squares` that of each column about zero.
    """

    weight: float
    mean_x: Array
    mean_y: Array
    spread: Array
    squares: Array
    centred: bool

    @property
    def target_squares(self) -> Array:
        """The sum of squares of each target about zero."""
        return self.spread + self.weight * self.mean_y * self.mean_y

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None = None, centre: bool = True) -> Marginals:
        """The centre of `X` and `y`, without products of columns."""
        s = np.ones(len(y)) if weight is None else weight
        total = float(s.sum())
        mean_x = matrix_products.column_means(X, weight) if centre else np.zeros(X.shape[1])
        mean_y = np.asarray(s @ y / total if centre else np.zeros(y.shape[1:]))
        mean_y = mean_y + centre * (s @ (y - mean_y)) / total  # so that a target that does not vary is its own mean
        with np.errstate(over="ignore", invalid="ignore"):  # callers check for overflow
            spread = np.asarray(s @ (y - mean_y) ** 2)
        return cls(total, mean_x, mean_y, spread, matrix_products.squared_norms(X, s), centre)


@dataclass(frozen=True, slots=True)
class Moments:
    """Weighted count, means, and sums of products about the means (about zero if not centred)."""

    weight: float
    mean_x: Array
    mean_y: Array
    gram: Array
    cross: Array
    spread: Array
    centred: bool = True

    def marginals(self) -> Marginals:
        """The part without products of different columns."""
        squares = self.gram.diagonal() + self.weight * self.mean_x**2
        return Marginals(self.weight, self.mean_x, self.mean_y, self.spread, squares, self.centred)

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None = None, centre: bool = True) -> Moments:
        """The moments of `X` (samples, features) and `y` (samples,) or (samples, targets), in one pass over `X`.

        Squares of sparse columns are taken before the mean: those far from zero take another pass, about their means.
        """
        if X.shape[1] > MANY_COLUMNS and 8 * X.shape[1] ** 2 > memory_to_be_had():  # some systems promise any amount
            raise MemoryError(f"the products of all columns take {8 * X.shape[1] ** 2 / 2**40:.3g} TiB")
        moments = cls(*kernels.moments(X, y, weight, centre), centre)
        shift = moments._far_means() if centre and matrix_products.is_sparse(X) else np.empty(0)
        if not shift.any():
            return moments
        shift = shift * matrix_products.full_columns(X)
        moved = cls(*kernels.moments(matrix_products.moved_columns(X, shift), y, weight, centre), centre)
        return replace(moved, mean_x=shift + moved.mean_x)

    def _far_means(self) -> Array:
        """The means of columns that are further from zero than sums of squares about it can resolve, else zero."""
        with np.errstate(over="ignore", invalid="ignore"):
            far = MAX_MEAN_RATIO**2 * self.gram.diagonal() < self.weight * self.mean_x**2
        return np.where(far, self.mean_x, 0.0)

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of rows together."""
        total = self.weight + other.weight
        share = other.weight / total
        apart_x, apart_y = other.mean_x - self.mean_x, np.atleast_1d(other.mean_y - self.mean_y)
        between = self.weight * share
        return Moments(
            total,
            self.mean_x + share * apart_x,
            self.mean_y + share * (other.mean_y - self.mean_y),
            self.gram + other.gram + between * np.outer(apart_x, apart_x),
            self.cross + other.cross + between * np.outer(apart_x, apart_y).reshape(self.cross.shape),
            self.spread + other.spread + between * (other.mean_y - self.mean_y) ** 2,
            self.centred,
        )

    def is_sound_rest_of(self, whole: Moments) -> bool:
        """Whether the subtraction from `whole` that gave these cost at most three digits of any column or target."""
        squares = ((self.gram.diagonal(), whole.gram.diagonal()), (self.spread, whole.spread))
        return all(bool((mine >= 1e-3 * its).all()) for mine, its in squares)

    def __sub__(self, part: Moments) -> Moments:
        """The moments of the rows that are left when the rows of `part` go."""
        left = self.weight - part.weight
        mean_x = self.mean_x + (self.mean_x - part.mean_x) * (part.weight / left)
        mean_y = self.mean_y + (self.mean_y - part.mean_y) * (part.weight / left)
        apart_x, apart_y = part.mean_x - mean_x, np.atleast_1d(part.mean_y - mean_y)
        between = left * part.weight / self.weight
        return Moments(
            left,
            mean_x,
            mean_y,
            self.gram - part.gram - between * np.outer(apart_x, apart_x),
            self.cross - part.cross - between * np.outer(apart_x, apart_y).reshape(self.cross.shape),
            self.spread - part.spread - between * (part.mean_y - mean_y) ** 2,
            self.centred,
        )


def all_but_each(parts: Sequence[Moments]) -> list[Moments]:
    """For each of several sets of rows the moments of all others, by additions alone.

    Small rows would lose their digits to large ones if they were what a subtraction leaves.
    """
    before, after = list(accumulate(parts[:-1])), list(accumulate(parts[:0:-1]))[::-1]
    return [after[0], *(one + other for one, other in zip(before, after[1:], strict=False)), before[-1]]
