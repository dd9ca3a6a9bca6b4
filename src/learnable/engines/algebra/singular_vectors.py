"""The largest singular values and right singular vectors of a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...core import scaling
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense
from .. import matrix_products
from ..sufficient_statistics import Moments
from .interruptible_lapack import interruptibly

SKETCH_TOLERANCE = 1e-3  # residual of a component, beside the largest, that a sketch of a matrix may have
ZERO_RATIO = 1e-12  # what is smaller, beside the columns it is left of, is made of rounding
MIN_INDEPENDENT_FRACTION = (
    1e-5  # share of a column that others do not explain, below which their products have lost it to rounding
)
COLUMNS_AT_ONCE = 8  # columns that a sparse matrix is multiplied with at once: a line of the cache for each entry


class Spectrum(NamedTuple):
    """The largest singular values, from the largest on, and their right vectors, one a row.

    `square` is the sum of all squared singular values, also of those that are not here; `residual` how far the vectors
    are from being such: the largest |A'A v - s^2 v| beside the largest s^2.
    """

    values: Array
    vectors: Array
    square: float
    residual: float

    def first(self, count: int) -> Spectrum:
        """The `count` largest."""
        return self._replace(values=self.values[:count], vectors=self.vectors[:count])


@dataclass(frozen=True, slots=True)
class CentredRows:
    """A = unit sqrt(W) (X - 1 mean'): rows about a centre, times the roots of their weights; never made if X is sparse.

    `unit` is a power of two that brings squares of the entries into range; `mean` is that of X as it came. `flipped` is
    X' by rows, kept for many products if X is sparse.
    """

    X: Matrix
    mean: Array
    root: Array | None
    unit: float
    summed: Array | None = None
    flipped: Matrix | None = None

    @classmethod
    def of(cls, X: Matrix, weight: Array | None, centre: bool = True, summed: bool = False) -> CentredRows:
        """The rows of `X` about their weighted mean, or about zero; `summed` if A'A will be needed.

        Raises `NotFinite` if `X` holds numbers that are missing or infinite.
        """
        moments = _moments(X, weight, centre) if summed else None
        unit = 1.0 if moments is not None and _in_range(moments, X.shape[0]) else _unit_of_finite(X)
        if unit != 1.0:
            X = X * X.dtype.type(unit)
            moments = _moments(X, weight, centre) if summed else None
        root = None if weight is None else np.sqrt(weight)
        if moments is not None:
            return cls(X, moments.mean_x, root, unit, moments.gram)
        flipped = matrix_products.flipped(X) if matrix_products.is_sparse(X) else None
        rows = cls(X, np.zeros(X.shape[1]), root, unit, None, flipped)
        return replace(rows, mean=rows.column_means()) if centre else rows

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.X.shape[0]), int(self.X.shape[1])

    def dense(self) -> Array:
        """A itself."""
        X = as_dense(self.X)
        centred = X - self.mean
        return np.asarray(centred if self.root is None else centred * self.root[:, None])

    def times(self, V: Array) -> Array:
        """A V."""
        product = matrix_products.precise_products(self.X, V, -self.mean @ V)
        return product if self.root is None else product * self.root[:, None]

    def pulled(self, U: Array) -> Array:
        """A'U."""
        U = U if self.root is None else U * self.root[:, None]
        if self.flipped is None:
            product = matrix_products.transposed_product(self.X, np.asfortranarray(U))
        else:
            product = matrix_products.precise_products(self.flipped, U, np.zeros(U.shape[1]))
        return np.asarray(product - np.outer(self.mean, U.sum(axis=0)) if self.mean.any() else product)

    def column_means(self) -> Array:
        """Weighted mean of each column of X."""
        weight = np.ones(self.shape[0]) if self.root is None else self.root**2
        sums = (
            matrix_products.transposed_product(self.X, weight)
            if self.flipped is None
            else kernels.matvec(self.flipped, weight)
        )
        return np.asarray(sums / weight.sum())

    def square(self) -> float:
        """The sum of squares of all entries of A."""
        weight = np.ones(self.shape[0]) if self.root is None else self.root**2
        squares = matrix_products.squared_norms(self.X, weight) - weight.sum() * self.mean**2
        return float(np.maximum(squares, 0.0).sum())


def _moments(X: Matrix, weight: Array | None, centre: bool) -> Moments:
    return Moments.of(X, np.zeros((X.shape[0], 1)), weight, centre)


def _in_range(moments: Moments, rows: int) -> bool:
    """Whether the sums of squares show that all entries are finite, and the largest in a safe range."""
    with np.errstate(over="ignore", invalid="ignore"):
        whole = float(moments.gram.trace() + moments.weight * (moments.mean_x**2).sum())
    return scaling.SAFE[0] ** 2 * rows * len(moments.mean_x) < whole < scaling.SAFE[1] ** 2


def _unit_of_finite(X: Matrix) -> float:
    if kernels.first_non_finite(X.data if matrix_products.is_sparse(X) else X) >= 0:
        raise matrix_products.NotFinite
    return scaling.unit_of(X)


def upright(vectors: Array) -> Array:
    """Vectors, one a row, with signs such that the largest entry of each is positive."""
    most, least = vectors.max(axis=1, initial=0.0), vectors.min(axis=1, initial=0.0)
    signs = turned(most + least)
    for row in np.flatnonzero(most == -least):  # the first of the largest entries counts
        signs[row] = turned(vectors[row, np.abs(vectors[row]).argmax()])
    return np.asarray(vectors * signs[:, None])


def turned(entries: Array) -> Array:
    """1 where an entry is positive or zero, -1 where it is negative."""
    return np.where(entries < 0, -1.0, 1.0)


def whole_spectrum(rows: CentredRows) -> Spectrum:
    """By the singular value decomposition of A: the most precise, cost n p min(n, p)."""
    _, values, vectors = interruptibly(np.linalg.svd, rows.dense().astype(np.float64, copy=False), full_matrices=False)
    return Spectrum(values, upright(vectors), float(values @ values), 0.0)


def column_spectrum(gram: Array, count: int) -> Spectrum:
    """By the eigenvectors of A'A: cost p^3 whatever the number of rows; values below 1e-8 of the largest are noise."""
    whole = float(gram.trace())
    shares = gram / (whole if whole > 0 else 1.0)
    squares, vectors = interruptibly(np.linalg.eigh, shares)
    squares, vectors = squares[::-1][:count], vectors[:, ::-1][:, :count]
    off = np.linalg.norm(shares @ vectors - vectors * squares, axis=0)
    values = np.sqrt(np.maximum(squares, 0.0)) * np.sqrt(whole)
    return Spectrum(values, upright(vectors.T), whole, _share(off, squares[:1]))


def row_spectrum(rows: CentredRows, count: int) -> Spectrum:
    """By the eigenvectors of AA': for few rows of many columns, n^2 p; the same digits as `column_spectrum`."""
    A = rows.dense().astype(np.float64, copy=False)
    gram = interruptibly(np.matmul, A, A.T)
    squares, left = interruptibly(np.linalg.eigh, gram)
    values = np.sqrt(np.maximum(squares[::-1][:count], 0.0))
    vectors = _completed(left[:, ::-1][:, :count].T @ A, values)
    return Spectrum(values, upright(vectors), float(gram.trace()), 0.0)


def _completed(products: Array, values: Array) -> Array:
    """Right vectors from u'A = s v'; where s is only rounding, arbitrary vectors orthogonal to the others."""
    certain = int(np.count_nonzero(values > 1e-7 * values.max(initial=0.0)))
    vectors = products / np.where(values > 0, values, 1.0)[:, None]
    if certain == len(values):
        return np.asarray(vectors)
    others = products[certain:] + np.eye(*products[certain:].shape) * max(float(values.max(initial=0.0)), 1.0)
    basis, triangle = np.linalg.qr(np.vstack([vectors[:certain], others]).T)
    return np.asarray((basis * turned(np.diag(triangle))).T)


def sketched_spectrum(
    rows: CentredRows,
    count: int,
    extra: int,
    passes: int,
    draws: np.random.Generator,
    tolerance: float = SKETCH_TOLERANCE,
) -> Spectrum:
    """Randomised block Krylov iteration: the best vectors in the span of random directions and their powers of A'A.

    Until the residual is within `tolerance`, and at least as near as `passes` powers of A'A would come: all blocks are
    kept, which takes about half as many. Each multiplies A and A' with `count` + `extra` columns, or fewer of a sparse
    matrix, for which depth is cheaper than width. [Musco, Musco, 2015]
    """
    p, requested = rows.shape[1], min(count + extra, rows.shape[1])
    block = tall_qr(draws.standard_normal((p, requested if rows.flipped is None else min(COLUMNS_AT_ONCE, requested))))[
        0
    ]
    span = Span.of(p, min(4 * requested, p))
    due = max(requested, (passes // 2 + 1) * block.shape[1])
    while True:
        give_way()
        span.add(block, rows.pulled(rows.times(block)))
        block, triangle = span.ahead(draws)
        if span.size >= min(due, p):
            found = _best_within(span, triangle, count, tolerance if span.size < p else np.inf)
            if found is not None:
                return found._replace(square=rows.square(), vectors=upright(found.vectors))


@dataclass(slots=True)
class Span:
    """Orthonormal directions, a column each, A'A times them and the products of both.

    `latest` are those that came last.
    """

    size: int
    latest: slice
    _basis: Array
    _pulled: Array
    _gram: Array

    @classmethod
    def of(cls, length: int, room: int) -> Span:
        """No directions yet."""
        return cls(
            0,
            slice(0, 0),
            np.empty((length, room), order="F"),
            np.empty((length, room), order="F"),
            np.empty((room, room)),
        )

    @property
    def basis(self) -> Array:
        """The directions."""
        return self._basis[:, : self.size]

    @property
    def pulled(self) -> Array:
        """A'A of each."""
        return self._pulled[:, : self.size]

    @property
    def gram(self) -> Array:
        """The products of directions under A'A."""
        return self._gram[: self.size, : self.size]

    def add(self, block: Array, pulled: Array) -> None:
        """Further directions, and A'A of them."""
        before, self.size = self.size, self.size + block.shape[1]
        room = self._basis.shape[1]
        if self.size > room:
            self._basis, self._pulled = (_wider(columns, before, room) for columns in (self._basis, self._pulled))
            self._gram = np.pad(self._gram, ((0, room), (0, room)))
        new = self.latest = slice(before, self.size)
        self._basis[:, new], self._pulled[:, new] = block, pulled
        products = matrix_products.transposed_product(self.basis, pulled)
        self._gram[: self.size, new] = products
        self._gram[new, : self.size] = products.T
        corner = self._gram[new, new]
        corner += corner.T.copy()
        corner /= 2

    def ahead(self, draws: np.random.Generator) -> tuple[Array, Array]:
        """The directions that A'A of the latest adds, and how much of each; random ones where it adds too few."""
        left = len(self._basis) - self.size
        if left == 0:
            return np.empty((len(self._basis), 0)), np.empty((0, 0))
        pulled, inside = self._pulled[:, self.latest], self._gram[: self.size, self.latest]
        found, triangle = beyond(self.basis, pulled[:, :left], inside[:, :left])
        missing = min(pulled.shape[1], left) - found.shape[1]
        if missing > 0:
            fresh = drawn_beyond(np.hstack([self.basis, found]), missing, draws)
            found, triangle = np.hstack([found, fresh]), np.pad(triangle, ((0, missing), (0, 0)))
        return found, triangle


def _wider(columns: Array, used: int, more: int) -> Array:
    """A copy with room for `more` columns."""
    found = np.empty((columns.shape[0], columns.shape[1] + more), order="F")
    found[:, :used] = columns[:, :used]
    return found


def _best_within(span: Span, triangle: Array, count: int, tolerance: float) -> Spectrum | None:
    """The best vectors in a span; None if they are not accurate enough.

    A'A of all but the latest directions stays in the span, so the residuals consist of what leaves it, in the columns
    of `triangle`; candidates that pass this test are checked by their full residuals.
    """
    squares, mix = interruptibly(np.linalg.eigh, span.gram)
    squares, mix = squares[::-1][:count], mix[:, ::-1][:, :count]
    leaving = triangle @ mix[span.latest][: triangle.shape[1]]
    if _share(np.linalg.norm(leaving, axis=0), squares[:1]) > tolerance:
        return None
    vectors = mixed(span.basis, mix)
    off = mixed(span.pulled, mix)
    off -= vectors * squares
    residual = _share(np.sqrt(np.einsum("ij,ij->j", off, off)), squares[:1])
    if residual > tolerance:
        return None
    return Spectrum(np.sqrt(np.maximum(squares, 0.0)), vectors.T, 0.0, residual)


def mixed(basis: Array, shares: Array) -> Array:
    """basis @ shares, for many more rows than columns."""
    return matrix_products.precise_products(basis, np.asfortranarray(shares), np.zeros(shares.shape[1]))


def beyond(basis: Array, block: Array, inside: Array | None = None) -> tuple[Array, Array]:
    """The part of `block` outside the span of `basis` as Q T with orthonormal Q.

    `inside` is basis' block, if it is known. There are fewer directions than columns where the rest is nothing but
    rounding. Once more at right angles to `basis` where so much was taken away that its rounding shows.
    """
    inside = matrix_products.transposed_product(basis, block) if inside is None else inside
    directions, triangle = tall_qr(block - mixed(basis, inside))
    left = np.linalg.norm(triangle, axis=0)
    before = np.hypot(left, np.linalg.norm(inside, axis=0))  # at right angles to each other
    little_left = bool((left < 0.1 * before).any())
    if little_left or np.abs(np.diag(triangle)).min(initial=np.inf) <= 1e-3 * before.max(initial=0.0):
        turn, sizes, triangle = np.linalg.svd(triangle, full_matrices=False)
        certain = int(np.count_nonzero(sizes > ZERO_RATIO * before.max(initial=0.0)))
        directions = directions @ turn[:, :certain]
        directions, again = tall_qr(directions - basis @ (basis.T @ directions))
        triangle = again @ (sizes[:certain, None] * triangle[:certain])
    return directions, triangle


def tall_qr(columns: Array) -> tuple[Array, Array]:
    """Orthonormal Q and triangular R with Q R = columns, for many more rows than columns.

    By Cholesky's factor of the products of columns, and again of those of what it gives, which takes the rounding away;
    by reflections, which take several times as long, where columns nearly follow from others. [Yamamoto et al., 2015]

    >>> directions, triangle = tall_qr(np.array([[3.0, 1.0], [4.0, 1.0], [0.0, 2.0]]))
    >>> np.allclose(directions.T @ directions, np.eye(2)), triangle.round(12).tolist()
    (True, [[5.0, 1.4], [0.0, 2.009975124224]])
    """
    directions, triangle = columns, np.eye(columns.shape[1])
    for _ in range(2):
        step = _root_of_products(directions)
        if step is None:
            directions, triangle = np.linalg.qr(columns)
            break
        directions, triangle = (np.linalg.inv(step).T @ directions.T).T, step @ triangle  # kept column by column
    return directions, triangle


def _root_of_products(columns: Array) -> Array | None:
    """R with R'R = columns' columns; None if it is too inaccurate."""
    products = interruptibly(np.matmul, columns.T, columns)
    sizes = np.sqrt(products.diagonal())
    if not (sizes.all() and np.isfinite(sizes).all()):
        return None
    try:
        root = np.linalg.cholesky(products / np.outer(sizes, sizes)).T
    except np.linalg.LinAlgError:
        return None
    return root * sizes if root.diagonal().min(initial=1.0) > MIN_INDEPENDENT_FRACTION else None


def drawn_beyond(basis: Array, count: int, draws: np.random.Generator) -> Array:
    """Random orthonormal directions, orthogonal to `basis`."""
    found = np.linalg.qr(draws.standard_normal((len(basis), count)))[0]
    for _ in range(2):
        found = np.linalg.qr(found - basis @ (basis.T @ found))[0]
    return np.asarray(found)


def _share(off: Array, largest: Array) -> float:
    """The largest residual relative to the largest eigenvalue."""
    size = float(largest.max(initial=0.0))
    return float(off.max(initial=0.0)) / size if size > 0 else 0.0
