"""The largest eigenvalues of a symmetric matrix and their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from .interruptible_lapack import interruptibly
from .singular_vectors import beyond, upright

FULL_DECOMPOSITION_ROWS = 300  # rows of a matrix that is decomposed as a whole
EXTRA_VECTORS = 4  # vectors beyond those requested, which speed up convergence
BLOCKS = 8  # of vectors that are kept before all but the best are forgotten


class Eigenpairs(NamedTuple):
    """Eigenvalues from the largest on, their vectors, one a column, and the largest |Mv - lv|."""

    values: Array
    vectors: Array
    residual: float


class Operator(Protocol):
    """A symmetric matrix, divided by `scale`, known by its products."""

    @property
    def scale(self) -> float:
        """What it is divided by."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def times(self, V: Array) -> Array:
        """The product with some columns."""

    def toarray(self) -> Array:
        """The matrix itself."""


@dataclass(frozen=True, slots=True)
class CentredSquares:
    """-H D2 H / (2 scale) for squared distances D2 and H = I - 11'/n: inner products about the mean; never formed."""

    squares: Array
    scale: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.squares.shape[0], self.squares.shape[0]

    def times(self, V: Array) -> Array:
        """The product with some columns."""
        product = kernels.matvec(self.squares, np.ascontiguousarray(V - V.mean(axis=0)))
        return np.asarray((product - product.mean(axis=0)) / (-2 * self.scale))

    def toarray(self) -> Array:
        """The matrix itself."""
        means = self.squares.mean(axis=0)
        return np.asarray((self.squares - means - means[:, None] + means.mean()) / (-2 * self.scale))


@dataclass(frozen=True, slots=True)
class RowProducts:
    """A A' / scale for the rows of A: their inner products, never formed."""

    rows: Array
    scale: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows)

    def times(self, V: Array) -> Array:
        """The product with some columns."""
        return np.asarray(kernels.matvec(self.rows, np.ascontiguousarray(self.rows.T @ V)) / self.scale)

    def toarray(self) -> Array:
        """The matrix itself."""
        return np.asarray(self.rows @ self.rows.T / self.scale)


def leading_eigenpairs(
    M: Matrix | Operator, count: int, draws: np.random.Generator, tolerance: float = 1e-9, limit: int = 2000
) -> Eigenpairs:
    """The `count` largest eigenvalues of a symmetric matrix, dense, sparse or known by its products.

    The vectors have at most the residual `tolerance`.

    The best vectors in a growing space, which gets their residuals as new directions and shrinks to the best when it is
    large: what thick restarts make of block Lanczos. Repeated eigenvalues are found as often as they are there.

    >>> leading_eigenpairs(np.diag([1.0, 5.0, 3.0]), 2, np.random.default_rng(0)).values.tolist()
    [5.0, 3.0]
    """
    if M.shape[0] <= max(FULL_DECOMPOSITION_ROWS, 3 * (count + EXTRA_VECTORS)):
        return _whole(np.asarray(M.toarray() if hasattr(M, "toarray") else M), count)
    width = count + EXTRA_VECTORS
    basis = np.linalg.qr(draws.standard_normal((M.shape[0], width)))[0]
    images = _times(M, basis)
    for step in range(limit):
        give_way()
        values, mix = np.linalg.eigh(_symmetric(basis.T @ images))
        values, mix = values[::-1][:width], mix[:, ::-1]
        vectors = basis @ mix[:, :width]
        off = images @ mix[:, :width] - vectors * values
        lengths = np.linalg.norm(off, axis=0)
        if lengths[:count].max() <= tolerance or step == limit - 1:
            break
        if basis.shape[1] >= BLOCKS * width:
            basis, images = basis @ mix[:, : 3 * width], images @ mix[:, : 3 * width]
        fresh = beyond(basis, (off / np.maximum(lengths, 1e-300))[:, lengths > 0.1 * tolerance])[0]
        if fresh.shape[1] == 0:
            break  # residuals are rounding alone
        basis, images = np.hstack([basis, fresh]), np.hstack([images, _times(M, fresh)])
    return Eigenpairs(values[:count], upright(vectors[:, :count].T).T, float(lengths[:count].max()))


def _times(M: Matrix | Operator, V: Array) -> Array:
    if hasattr(M, "times"):
        return np.asarray(M.times(V))
    return np.asarray(kernels.matvec(M, np.ascontiguousarray(V)))


def _symmetric(A: Array) -> Array:
    return np.asarray((A + A.T) / 2)


def _whole(M: Array, count: int) -> Eigenpairs:
    values, vectors = interruptibly(np.linalg.eigh, _symmetric(M))
    values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    off = np.linalg.norm(M @ vectors - vectors * values, axis=0).max(initial=0.0)
    return Eigenpairs(values, upright(vectors.T).T, float(off))
