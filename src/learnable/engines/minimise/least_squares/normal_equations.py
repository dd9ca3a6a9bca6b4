"""The normal equations of least squares and their dual, with their condition number, and the solution they give."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...algebra.interruptible_lapack import interruptibly
from ...sufficient_statistics import Marginals, Moments
from .helmert_basis import Contrasts
from .select_solver import Factorisation

MAX_COMPILED_INVERSE = 64  # columns up to which the compiled inverse beats LAPACK


class UncheckedSolution(NamedTuple):
    """A solution before it is evaluated on the data: `coef` (features, targets) and what the factorisation gives.

    `invert` applies (X'SX + alpha)^-1, None if unknown; `final` says that refinement cannot improve the solution.
    `freedom` is the effective number of coefficients. `root_inverse` is the root of the diagonal of the covariance of
    the coefficients for noise of size one, NaN for columns that do not vary, None if unknown. `intercept` is None where
    it follows from the means, `iterations` (one per target) where nothing iterates. `products` evaluates
    coefficients more precisely than the default, `matrix_products.residual_products`, or without the data: then
    `rounding_error` bounds the error of each entry of the gradient. `gap` gives the duality gap from the squared
    residuals and the penalty of a solution, None if unknown.
    """

    coef: Array
    invert: Callable[[Array], Array] | None
    rank: int
    condition: float
    freedom: float
    method: str
    root_inverse: Array | None = None
    intercept_root: float = np.nan
    intercept: Array | None = None
    final: bool = False
    iterations: Array | None = None
    products: Callable[[Array], tuple[Array, Array, Array]] | None = None
    gap: Callable[[Array, Array], Array] | None = None
    rounding_error: Array | None = None

    def in_units(self, scale: Array) -> UncheckedSolution:
        """The same for the columns times `scale`, of shape (features, 1)."""
        invert = self.invert
        assert invert is not None
        return self._replace(coef=self.coef / scale, invert=lambda gradient: invert(gradient / scale) / scale)


class RidgeDual(NamedTuple):
    """A point a of the dual of ridge regression for targets y, and A'a:   alpha (2 y'a - alpha |a|^2 - |A'a|^2).

    No objective |y - Aw|^2 + alpha |w|^2 is below this; they are equal where w = A'a and (AA' + alpha) a = y. Unlike
    the gradient it stays accurate where residuals are nothing but rounding.
    """

    point: Array
    image: Array
    target: Array
    alpha: float

    def gap(self, rss: Array, penalty: Array) -> Array:
        """The duality gap, given squared residuals and penalties."""
        value = 2 * _squares(self.target, self.point) - self.alpha * _squares(self.point) - _squares(self.image)
        return np.abs(rss + penalty - self.alpha * value)


def _squares(first: Array, second: Array | None = None) -> Array:
    """Products of the columns of two matrices, or of one with itself."""
    return np.asarray(np.einsum("ij,ij->j", first, first if second is None else second))


class NormalEquations:
    """(G + alpha I) w = c by Cholesky, after scaling every diagonal entry to one.

    `condition` is that of the scaled matrix; if it is infinite, the matrix is singular and `inverse` means nothing.
    """

    def __init__(self, gram: Array, alpha: float) -> None:
        small = 0 < len(gram) <= MAX_COMPILED_INVERSE
        self.inverse, self.condition = (
            kernels.invert_symmetric(gram, alpha) if small else interruptibly(_inverted, gram, alpha)
        )

    def solve(self, right: Array) -> Array:
        """The solution for one or several right-hand sides."""
        solution: Array = self.inverse @ right
        return solution


def _inverted(gram: Array, alpha: float) -> tuple[Array, float]:
    diagonal = gram.diagonal() + alpha
    if not (diagonal > 0).all():
        return gram, np.inf
    scale = 1 / np.sqrt(diagonal)
    system = gram * scale[:, None] * scale
    np.fill_diagonal(system, 1.0)
    try:
        root = np.linalg.inv(np.linalg.cholesky(system))
    except np.linalg.LinAlgError:
        return gram, np.inf
    inverse = root.T @ root
    condition = float(np.abs(system).sum(axis=0).max(initial=0.0) * np.abs(inverse).sum(axis=0).max(initial=0.0))
    return inverse * scale[:, None] * scale, condition


@dataclass(frozen=True, slots=True)
class PrimalEquations:
    """(X'SX + alpha) w = X'S y, for rows for every coefficient; the condition is known before they are solved."""

    moments: Moments
    system: NormalEquations
    alpha: float

    name: ClassVar[Factorisation] = "cholesky"

    @classmethod
    def of(cls, moments: Moments, alpha: float) -> PrimalEquations:
        return cls(moments, NormalEquations(moments.gram, alpha), alpha)

    def solve(self) -> UncheckedSolution:
        """The solution, with the factors of its standard errors."""
        moments, system, columns = self.moments, self.system, len(self.moments.gram)
        root, trace, variance_at_mean = kernels.coefficient_spread(system.inverse, moments.mean_x, self.alpha)
        return UncheckedSolution(
            coef=system.solve(moments.cross),
            invert=system.solve,
            rank=columns,
            condition=system.condition,
            freedom=columns - self.alpha * trace,
            method=self.name,
            root_inverse=root,
            intercept_root=math.sqrt(1 / moments.weight + max(variance_at_mean, 0.0)),
        )


@dataclass(frozen=True, slots=True)
class DualEquations:
    """(A A' + alpha) a = y and w = A'a, for fewer rows than coefficients; A is centred and root-weighted.

    `right` is the target, prepared likewise, and `kernel` holds the products of all pairs of rows.
    """

    X: Matrix
    mean_x: Array
    root: Array
    contrasts: Contrasts
    right: Array
    kernel: Array
    system: NormalEquations
    alpha: float

    name: ClassVar[Factorisation] = "dual cholesky"

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> DualEquations:
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        contrasts = Contrasts.of(root, middle.centred)
        kernel = contrasts.of_pairs(matrix_products.centred_kernel(X, middle.mean_x) * root[:, None] * root)
        right = (y - middle.mean_y) * root[:, None]
        return cls(X, middle.mean_x, root, contrasts, right, kernel, NormalEquations(kernel, alpha), alpha)

    def solve(self) -> UncheckedSolution:
        """The minimum-norm solution."""
        system, right, alpha, size = self.system, self.right, self.alpha, len(self.system.inverse)
        dual = self.contrasts.rows(system.solve(self.contrasts.coordinates(right)))
        coef = matrix_products.centred_transposed_product(self.X, self.mean_x, dual * self.root[:, None])
        freedom = size - alpha * float(np.trace(system.inverse))
        gap = RidgeDual(dual, coef, right, alpha).gap if alpha > 0 else None
        return UncheckedSolution(coef, None, size, system.condition, freedom, self.name, gap=gap)
