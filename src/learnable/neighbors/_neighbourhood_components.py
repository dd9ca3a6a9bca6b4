"""The objective of neighbourhood components analysis, and linear maps that it starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.algebra.interruptible_lapack import interruptibly

BLOCK = 2**21  # distances in a table at a time
MIN_VARIANCE_RATIO = 1e-12  # of a variance beside the largest


@dataclass(frozen=True)
class NeighbourhoodAccuracy:
    """Minus the mean probability that the random neighbour of a row has its class, and the gradient by A."""

    X: Array
    codes: Array

    def __call__(self, a: Array) -> tuple[float, Array]:
        n, columns = self.X.shape
        E = np.ascontiguousarray(self.X @ a.reshape(-1, columns).T)
        value, received = 0.0, np.zeros(n)
        gradient = np.zeros((E.shape[1], columns))
        step = max(1, BLOCK // n)
        for begin in range(0, n, step):
            give_way()
            block = slice(begin, min(begin + step, n))
            right, W = self._weights(E, block)
            value += right
            gradient += E[block].T @ (W @ self.X) + (W @ E).T @ self.X[block]
            received += W.sum(axis=0)
        gradient -= (E * received[:, None]).T @ self.X
        return -value / n, (-2 / n * gradient).ravel()

    def _weights(self, E: Array, block: slice) -> tuple[float, Array]:
        """The sum of p_i over the rows of a block, and m_ij p_ij - p_i p_ij with m_ij = 1 for rows of one class."""
        squares = np.asarray(kernels.euclidean_distances(E[block], E, True))
        own = np.arange(block.start, block.stop)
        squares[np.arange(len(own)), own] = np.inf
        P = np.exp(squares.min(axis=1, keepdims=True) - squares)
        P /= P.sum(axis=1, keepdims=True)
        same = P * (self.codes[block, None] == self.codes)
        right = same.sum(axis=1, keepdims=True)
        return float(right.sum()), same - P * right


def principal_directions(X: Array, count: int) -> Array:
    """The leading principal components, one a row."""
    return np.asarray(interruptibly(np.linalg.svd, X - X.mean(axis=0), full_matrices=False)[2][:count])


def discriminant_directions(X: Array, codes: Array, count: int) -> Array:
    """Linear discriminants, one a row: classes have unit variance along them, and their means are farthest apart."""
    sizes = np.bincount(codes)
    means = np.array([X[codes == code].mean(axis=0) for code in range(len(sizes))])
    within = X - means[codes]
    _, values, axes = interruptibly(np.linalg.svd, within / np.sqrt(max(len(X) - len(sizes), 1)), full_matrices=False)
    kept = values > MIN_VARIANCE_RATIO * values.max(initial=0.0)
    whitened = axes[kept] / values[kept, None]
    between = (means - X.mean(axis=0)) * np.sqrt(sizes / len(X))[:, None]
    turned = np.linalg.svd(between @ whitened.T, full_matrices=False)[2]
    return np.asarray(turned[:count] @ whitened)
