"""Least squares for sparse data too large for a Gram matrix, by products with the matrix alone (LSMR)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Marginals
from .normal_equations import UncheckedSolution

CORRECTION_TOLERANCE = 1e-6  # relative accuracy of the change computed from a gradient: it need not be corrected itself
MAX_CONDITION_UNCORRECTED = CORRECTION_TOLERANCE**-2  # condition up to which that change gives the error of a solution
NEGLIGIBLE = 1e-14  # a penalty beside the squares of a column that rounding hides
ALIKE = 100  # how much the squares of columns may differ that need no scaling


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float | Array) -> UncheckedSolution:
    """The minimum-norm solution, to a relative accuracy near rounding; centring is applied inside the products.

    A penalty adds as many rows, which make the solution unique: then columns are scaled to the same length, with which
    the iteration converges sooner, and another iteration can estimate the remaining error.
    """
    from scipy.sparse.linalg import lsmr

    system = _LsmrSystem(X, y, weight, middle, np.ravel(alpha))
    limit = 10 * max(X.shape)
    solutions = [
        lsmr(system.operator(), system.right[:, t], atol=1e-14, btol=1e-14, conlim=0, maxiter=limit)
        for t in range(y.shape[1])
    ]
    coef = np.column_stack([system.scale * solution[0] for solution in solutions])
    condition = float(max(solution[6] for solution in solutions)) ** 2
    steps = np.array([solution[2] for solution in solutions])
    invert = system.invert if system.penalised and condition < MAX_CONDITION_UNCORRECTED else None
    return UncheckedSolution(coef, invert, min(X.shape), condition, float(min(X.shape)), "lsmr", iterations=steps)


def _vanishes(alpha: Array, squares: Array, shape: tuple[int, int]) -> bool:
    """Whether a penalty is lost to rounding in a problem without a unique solution: the shortest one is meant then.

    Scaled columns would give another one, but columns of very different sizes need to be scaled.
    """
    least = float(squares.min(initial=np.inf))
    return shape[0] < shape[1] and alpha.max() < NEGLIGIBLE * least and squares.max() < ALIKE * least


class _LsmrSystem:
    """Centred, root-weighted rows and those of the penalty, for coefficients in units of columns."""

    def __init__(self, X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: Array) -> None:
        self.X, self.mean, self.alpha = X, middle.mean_x, alpha
        self.root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        self.penalised = bool(alpha.any()) and not _vanishes(alpha, middle.squares, X.shape)
        lengths = np.sqrt(middle.squares + alpha)
        unit = (
            lengths.max(initial=0.0) or 1.0
        )  # one for all keeps the minimum-norm solution; LSMR assumes that A has norm one
        self.scale = 1 / lengths if self.penalised else np.full(X.shape[1], 1 / unit)
        self.penalty = np.sqrt(alpha) * self.scale if alpha.any() else np.empty(0)
        self.right = np.zeros((len(y) + len(self.penalty), y.shape[1]))
        self.right[: len(y)] = (y - middle.mean_y) * self.root[:, None]

    def operator(self) -> Any:
        """The rows as a SciPy `LinearOperator`."""
        from scipy.sparse.linalg import LinearOperator

        shape = len(self.right), self.X.shape[1]
        return LinearOperator(shape, matvec=self._forward, rmatvec=self._backward, dtype=np.float64)

    def _forward(self, v: Array) -> Array:
        w = self.scale * v.ravel()
        fitted = self.root * (matrix_products.scores(self.X, w) - self.mean @ w)
        return np.concatenate([fitted, self.penalty * v.ravel()[: len(self.penalty)]])

    def _backward(self, r: Array) -> Array:
        n = len(self.root)
        weighted = self.root * r.ravel()[:n]
        product: Array = self.scale * (
            matrix_products.transposed_product(self.X, weighted) - self.mean * weighted.sum()
        )
        return product + self.penalty * r.ravel()[n:] if len(self.penalty) else product

    def invert(self, gradient: Array) -> Array:
        """The change that removes a gradient, roughly; where that is not found, the most that it can be."""
        from scipy.sparse.linalg import LinearOperator, cg

        side = len(gradient)
        squared = LinearOperator((side, side), matvec=lambda v: self._backward(self._forward(v)), dtype=np.float64)
        change = np.empty_like(gradient)
        for t, one in enumerate(gradient.T):
            found, unfinished = cg(squared, self.scale * one, rtol=CORRECTION_TOLERANCE, maxiter=10 * side)
            change[:, t] = one / self.alpha if unfinished else self.scale * found
        return change
