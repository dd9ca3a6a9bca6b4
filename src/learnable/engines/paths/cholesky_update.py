"""Updates of the Cholesky factor of a Gram matrix when columns are added and deleted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array

MIN_PIVOT_RATIO = 1e-5  # a squared distance below this share of the square has lost too many digits
Distance = Callable[[Array], float] | None


class ChangingFactor:
    """L with L L' = G, where G holds the products of a changing list of columns; each change costs size^2.

    >>> factor = ChangingFactor()
    >>> factor.append(np.empty(0), 4.0), factor.append(np.array([2.0]), 2.0)
    (True, True)
    >>> factor.solve(np.array([2.0, 3.0]))
    array([[-0.5,  2. ]])
    """

    def __init__(self) -> None:
        self.size = 0
        self._triangle = np.empty((16, 16))

    def append(self, products: Array, square: float, independence: float = 1e-14, distance: Distance = None) -> bool:
        """Add a column by its products with the others and its square; False if it depends on them, and stays out.

        It depends on them if its squared distance from their span is at most `independence` times its square. A small
        distance is the difference of large numbers; `distance(weights)`, if given, computes it from the columns.
        """
        if not self.prepare(products, square, independence, distance):
            return False
        self.accept()
        return True

    def prepare(self, products: Array, square: float, independence: float = 1e-14, distance: Distance = None) -> bool:
        """As `append`, but the column is only in once it is accepted."""
        if self.size == len(self._triangle):
            room = np.empty((2 * self.size, 2 * self.size))
            room[: self.size, : self.size] = self._triangle
            self._triangle = room
        left = kernels.cholesky_append(self._triangle, self.size, products, float(square), 0.0)
        if left < MIN_PIVOT_RATIO * square and self.size and distance is not None:
            left = distance(self.solve(products)[0])
        if not left > independence * square:
            return False
        self._triangle[self.size, self.size] = np.sqrt(left)
        return True

    def accept(self) -> None:
        """Take in the column that was prepared last."""
        self.size += 1

    def delete(self, position: int) -> None:
        """Take a column out."""
        kernels.cholesky_delete(self._triangle, self.size, position)
        self.size -= 1

    def solve(self, *sides: Array) -> Array:
        """The solutions of G x = side, one row for each side."""
        solutions = np.array(sides, dtype=np.float64)
        kernels.cholesky_solve(self._triangle, self.size, solutions)
        return solutions


class ChangingRows:
    """A matrix that gains and loses rows without being copied at every change."""

    def __init__(self, width: int) -> None:
        self.size = 0
        self._storage = np.empty((16, width))

    @classmethod
    def of(cls, matrix: Array) -> ChangingRows:
        """The rows of `matrix`, which is taken over and not copied."""
        rows = cls(matrix.shape[1])
        rows.size, rows._storage = len(matrix), matrix
        return rows

    @property
    def matrix(self) -> Array:
        """The current rows."""
        return self._storage[: self.size]

    def append(self, row: Array) -> None:
        """Add a row at the end."""
        if self.size == len(self._storage):
            room = np.empty((2 * self.size + 1, self._storage.shape[1]))
            room[: self.size] = self._storage
            self._storage = room
        self._storage[self.size] = row
        self.size += 1

    def delete(self, position: int) -> None:
        """Take a row out; those after it move up."""
        self._storage[position : self.size - 1] = self._storage[position + 1 : self.size]
        self.size -= 1
