"""Pairs of rows that a kernel is evaluated on: what does not depend on hyperparameters is computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import Array

if TYPE_CHECKING:
    from .covariance_function import Kernel

LARGEST = 1e200  # of squared distances, which must not overflow in what kernels make of them
ROWS_OF_A_DIAGONAL = 64  # of which all pairs are compared where a function gives no diagonal

Rows = Any  # a matrix, or a list of objects


class RowPairs:
    """Every row of X with every row of Z; None for X again.

    `same` is the number of the row of Z that the first row of X is, the others following; None where rows of X and Z
    are different samples, even where they are equal.
    """

    def __init__(self, X: Rows, Z: Rows | None = None, same: int | None = None) -> None:
        self.X, self.given = X, Z
        self.Z = X if Z is None else Z
        self.same = 0 if Z is None else same
        self._geometry: dict[str, Array] = {}
        self._values: dict[Any, Array] = {}

    def again(self) -> RowPairs:
        """The same pairs for other hyperparameters: distances are kept."""
        fresh = type(self)(self.X, self.given, self.same)
        fresh._geometry = self._geometry
        return fresh

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return len(self.X), len(self.Z)

    def values_of(self, kernel: Kernel) -> Array:
        """The values of a kernel, computed once; not to be changed."""
        return self.once(id(kernel), lambda: kernel._values(self))

    def once(self, key: Any, compute: Callable[[], Array]) -> Array:
        """Something that depends on hyperparameters, computed once."""
        if key not in self._values:
            self._values[key] = compute()
        return self._values[key]

    def _always(self, key: str, compute: Callable[[], Array]) -> Array:
        if key not in self._geometry:
            self._geometry[key] = compute()
        return self._geometry[key]

    def identity(self) -> Array:
        """1 where both rows are the same sample, else 0."""
        found = np.zeros(self.shape)
        self.add_to_same(found, 1.0)
        return found

    def add_to_same(self, values: Array, number: float) -> None:
        """Add a number where both rows are the same sample, in place."""
        if self.same is not None:
            rows = np.arange(len(self.X))
            values[rows, self.same + rows] += number

    def sum_of_same(self, values: Array) -> float:
        """The sum of entries where both rows are the same sample."""
        if self.same is None:
            return 0.0
        rows = np.arange(len(self.X))
        return float(values[rows, self.same + rows].sum())

    def without_same(self, values: Array) -> Array:
        """`values` with 0 where both rows are the same sample; changed in place."""
        if self.same is not None:
            rows = np.arange(len(self.X))
            values[rows, self.same + rows] = 0.0
        return values

    @property
    def squared_distances(self) -> Array:
        """Squared Euclidean distances."""
        return self._always("squared", lambda: self._squared(self.X, self.Z))

    @property
    def distances(self) -> Array:
        """Euclidean distances."""
        return self._always("distances", lambda: np.sqrt(self.squared_distances))

    @property
    def products(self) -> Array:
        """Inner products."""
        return self._always("products", lambda: np.asarray(self.X @ self.Z.T))

    def scaled_squared_distances(self, scale: Array) -> Array:
        """Squared distances with each column divided by its own number."""
        return self._squared(self.X / scale, self.X / scale if self.given is None else self.Z / scale)

    def differences(self, column: int) -> Array:
        """x_c - z_c for one column c."""
        return np.asarray(self.X[:, column, None] - self.Z[None, :, column])

    def sums_of_squared_differences(self, weights: Array) -> Array:
        """sum_ij w_ij (x_ic - z_jc)^2 for each column c, without a matrix for each."""
        centre = self.Z.mean(axis=0)
        X, Z = self.X - centre, self.Z - centre
        return np.asarray(
            weights.sum(axis=1) @ X**2 + weights.sum(axis=0) @ Z**2 - 2 * np.einsum("ic,ic->c", X, weights @ Z)
        )

    def apply(self, function: Callable[[Rows, Rows | None], Array]) -> Array:
        """The values of a function of two matrices."""
        return np.asarray(function(self.X, self.given), dtype=np.float64)

    @staticmethod
    def _squared(X: Array, Z: Array) -> Array:
        from scipy.spatial.distance import cdist

        with np.errstate(over="ignore", invalid="ignore"):
            found = cdist(X, Z, "sqeuclidean")
        return np.asarray(np.minimum(found, LARGEST, out=found))


class DiagonalRowPairs(RowPairs):
    """Every row with itself: as the same sample, or as two different samples that are equal."""

    def __init__(self, X: Rows, Z: Rows | None = None, same: int | None = 0) -> None:
        super().__init__(X, X)
        self.same = same

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.X),)

    def identity(self) -> Array:
        return np.full(self.shape, 0.0 if self.same is None else 1.0)

    def add_to_same(self, values: Array, number: float) -> None:
        if self.same is not None:
            values += number

    def sum_of_same(self, values: Array) -> float:
        return 0.0 if self.same is None else float(values.sum())

    def without_same(self, values: Array) -> Array:
        return values

    @property
    def squared_distances(self) -> Array:
        return np.zeros(self.shape)

    @property
    def distances(self) -> Array:
        return np.zeros(self.shape)

    @property
    def products(self) -> Array:
        return np.asarray(np.einsum("ij,ij->i", self.X, self.X))

    def scaled_squared_distances(self, scale: Array) -> Array:
        return np.zeros(self.shape)

    def differences(self, column: int) -> Array:
        return np.zeros(self.shape)

    def sums_of_squared_differences(self, weights: Array) -> Array:
        return np.zeros(self.X.shape[1])

    def apply(self, function: Callable[[Rows, Rows | None], Array]) -> Array:
        starts = range(0, len(self.X), ROWS_OF_A_DIAGONAL)
        parts = [self.X[top : top + ROWS_OF_A_DIAGONAL] for top in starts]
        return np.concatenate([np.diagonal(np.asarray(function(part, None), dtype=np.float64)) for part in parts])


def stacked(gradients: Sequence[Array], shape: tuple[int, ...]) -> Array:
    """Matrices of derivatives as one array whose last axis is that of the hyperparameters."""
    return np.stack(gradients, axis=-1) if gradients else np.empty((*shape, 0))
