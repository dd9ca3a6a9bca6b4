"""The covariance matrix of the training rows in blocks of its lower triangle, and gradients through it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ._factor import FEWEST_FOR_BLOCKS, in_parallel
from .kernels import Kernel
from .kernels._pairs import DiagonalRowPairs, RowPairs

MOST_ROWS_KEPT = 8192  # of which distances are kept between evaluations
ENTRIES = 2**14  # of a block, which is passed over many times in the cache of a processor
FEWEST_ROWS = 16  # of a block


class TrainingPairs:
    """Pairs of training rows i >= j. Distances are computed once for all hyperparameters."""

    def __init__(self, X: Any, kernel: Kernel) -> None:
        self.X, self.n = X, len(X)
        self.height = max(FEWEST_ROWS, ENTRIES // self.n) if kernel.by_pairs else self.n
        self.kept: dict[int, RowPairs] = {}

    def _block(self, top: int) -> RowPairs:
        """The rows from `top` on with all rows up to the last of them."""
        if top in self.kept:
            return self.kept[top].again()
        bottom = min(top + self.height, self.n)
        whole = self.height == self.n
        found = RowPairs(self.X, None) if whole else RowPairs(self.X[top:bottom], self.X[:bottom], same=top)
        if self.n <= MOST_ROWS_KEPT:
            self.kept[top] = found
        return found

    def matrix(self, kernel: Kernel) -> Array:
        """The covariances; nothing is said above the diagonal."""
        K = np.empty((self.n, self.n))

        def fill(top: int) -> None:
            with np.errstate(all="ignore"):
                bottom = min(top + self.height, self.n)
                K[top:bottom, :bottom] = self._block(top).values_of(kernel)

        self._each_block(fill)
        return K

    def gradient(self, kernel: Kernel, inverse: Array, left: Array, right: Array, scale: float) -> Array:
        """sum_ij M_ij dK_ij / dtheta for M = (L R' + R L') / 4 - scale inverse / 2.

        L and R, with n rows, are `left` and `right`; of `inverse` the lower triangle is read.
        """
        parts: dict[int, Array] = {}

        def contract(top: int) -> None:
            with np.errstate(all="ignore"):
                bottom = min(top + self.height, self.n)
                M = left[top:bottom] @ right[:bottom].T
                if left is not right:
                    M = (M + right[top:bottom] @ left[:bottom].T) / 2
                M -= scale * inverse[top:bottom, :bottom]  # twice the matrix, as pairs i > j stand for j < i as well
                corner = np.tril(M[:, top:bottom])
                corner.flat[:: len(corner) + 1] /= 2
                M[:, top:bottom] = corner
                parts[top] = kernel._contract(self._block(top), M)

        self._each_block(contract)
        return np.asarray(np.sum([parts[top] for top in sorted(parts)], axis=0))

    def _each_block(self, function: Any) -> None:
        in_parallel(function, range(0, self.n, self.height), self.n >= FEWEST_FOR_BLOCKS)


class Noise:
    """The variance of independent noise in a kernel, k(x, x) of a sample less k(x, z) of another one that is equal.

    Also the derivatives of sums of it. A row of weight w stands for w samples, whose mean has the variance over w.
    """

    def __init__(self, X: Any) -> None:
        self.same, self.other = DiagonalRowPairs(X), DiagonalRowPairs(X, same=None)

    def variance(self, kernel: Kernel) -> Array:
        """The variance of the noise of each row."""
        with np.errstate(all="ignore"):
            return np.asarray(kernel._values(self.same.again()) - kernel._values(self._different()))

    def contract(self, kernel: Kernel, weights: Array) -> Array:
        """sum_i w_i dv_i / dtheta for the variances v."""
        with np.errstate(all="ignore"):
            return kernel._contract(self.same.again(), weights) - kernel._contract(self._different(), weights)

    def smooth_variance(self, kernel: Kernel) -> Array:
        """k(x, x) without noise."""
        with np.errstate(all="ignore"):
            return np.asarray(kernel._values(self._different()))

    def contract_smooth(self, kernel: Kernel, weights: Array) -> Array:
        """sum_i w_i dk(x_i, x_i) / dtheta without noise."""
        with np.errstate(all="ignore"):
            return kernel._contract(self._different(), weights)

    def _different(self) -> DiagonalRowPairs:
        fresh = self.other.again()
        assert isinstance(fresh, DiagonalRowPairs)  # as it is of the same class
        return fresh
