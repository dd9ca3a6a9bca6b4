"""Linear support vector machines: losses of residuals written as maxima over bounded dual variables.

    minimise over w    |w|^2 / 2  +  sum_i loss_i(t_i - x_i w)
    loss_i(r) = max over low_i <= a <= high_i of  a r - epsilon |a| - curvature_i a^2 / 2

Dual variables a certify a solution w: primal and dual objective differ by the duality gap
|w - X'a|^2 / 2 + sum_i (loss_i(r_i) - (a_i r_i - epsilon |a_i| - curvature_i a_i^2 / 2)), whose terms are never
negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ..duality import gap_between

SAMPLED_ROWS = 1000


@dataclass(frozen=True, slots=True)
class BoundedDual:
    """Rows `X` (C-contiguous or CSR) and `intercept_scaling` (0: no intercept); arrays have an entry per row."""

    X: Matrix
    target: Array
    low: Array
    high: Array
    curvature: Array
    epsilon: float
    intercept_scaling: float
    is_hard: bool = False  # hard margin: residuals must be zero, so that there may be no solution
    rows: kernels.BoundedProblem = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = kernels.BoundedProblem(
            self.X, self.intercept_scaling, self.target, self.low, self.high, self.curvature, self.epsilon
        )
        object.__setattr__(self, "rows", rows)

    @property
    def size(self) -> int:
        """The number of weights, that of the intercept included."""
        return int(self.X.shape[1]) + (self.intercept_scaling != 0)

    def scores(self, w: Array) -> Array:
        """x_i w for every row."""
        p = self.X.shape[1]
        return matrix_products.precise_scores(
            self.X, w[:p], self.intercept_scaling * w[p] if self.intercept_scaling else 0.0
        )

    def residuals(self, w: Array) -> Array:
        """t_i - x_i w for every row."""
        return np.asarray(self.target - self.scores(w))

    def transposed_product(self, dual: Array) -> Array:
        """X'a."""
        combined = np.empty(self.size)
        combined[: self.X.shape[1]] = matrix_products.transposed_product(self.X, dual)
        if self.intercept_scaling:
            combined[-1] = self.intercept_scaling * np.add.reduce(dual)
        return combined

    def gap(self, w: Array, dual: Array) -> tuple[float, float]:
        """The objective at `w`, and the duality gap."""
        if self.is_hard:
            return self.hard_gap(w, self.residuals(w), dual, self.transposed_product(dual))
        return self.rows.gap(w, dual)

    def hard_gap(self, w: Array, residual: Array, dual: Array, combined: Array) -> tuple[float, float]:
        """The same for a hard margin: of `w` scaled so that the smallest margin is one."""
        stretch = self.least_margin(residual)
        objective = float(w @ w / 2) / stretch**2 if stretch > 0 else np.inf
        return objective, gap_between(objective, self.dual_value(dual, combined))

    def least_margin(self, residual: Array) -> float:
        """The smallest of x_i w / t_i, which is y_i x_i w for targets y_i of -1 and 1."""
        return float((1 - residual / self.target).min())

    def separates(self, w: Array) -> bool:
        """Whether all margins of `w` are positive by more than rounding."""
        least = self.least_margin(self.residuals(w)) if np.isfinite(w).all() else 0.0
        return least > 0 and float(w @ w) / 2 / least**2 < self.hopeless(self.norms())

    def dual_value(self, dual: Array, combined: Array) -> float:
        """The dual objective, a lower bound of every objective."""
        dual_terms = dual * self.target - self.epsilon * np.abs(dual) - self.curvature * dual * dual / 2
        return float(dual_terms.sum() - combined @ combined / 2)

    def norms(self) -> Array:
        """x_i . x_i plus the square of `intercept_scaling`."""
        norms = np.empty(self.X.shape[0])
        kernels.squared_row_norms(self.X, norms)
        return norms + self.intercept_scaling**2

    def typical_norm(self) -> float:
        """The mean of x_i . x_i plus the square of `intercept_scaling`, over a sample of rows; 1 if these are zero."""
        some = self.X[:: max(1, self.X.shape[0] // SAMPLED_ROWS)]
        norms = np.empty(some.shape[0])
        kernels.squared_row_norms(some if matrix_products.is_sparse(some) else np.ascontiguousarray(some), norms)
        return float(norms.mean()) + self.intercept_scaling**2 or 1.0

    def hopeless(self, norms: Array) -> float:
        """The lower bound beyond which a hard margin is called infeasible: the margins of its rows are rounding."""
        margins = norms / self.target**2 if self.is_hard else norms
        nearest = float(margins[margins > 0].min(initial=np.inf))
        return 0.5e14 / nearest if self.is_hard and nearest < np.inf else np.inf


def classification_problem(
    X: Matrix, sign: Array, limit: Array, squared: bool, intercept_scaling: float
) -> BoundedDual:
    """Classification: targets -1 and 1, and a hinge, squared or not, with cost `limit` per row (inf: hard margin)."""
    low, high, curvature, hard = kernels.hinge_bounds(sign, limit, squared)
    if not hard:
        return BoundedDual(X, sign, low, high, curvature, 0.0, intercept_scaling)
    rows, targets = _with_unit_rows(X, sign, intercept_scaling)
    return BoundedDual(rows, targets, low, high, curvature, 0.0, 0.0, is_hard=True)


def _with_unit_rows(X: Matrix, sign: Array, intercept_scaling: float) -> tuple[Matrix, Array]:
    """Rows, each followed by `intercept_scaling`, and their targets, both divided by the length of the row.

    The constraints of a hard margin stay the same, but rows far from the origin do not dominate the rounding.
    """
    rows = matrix_products.with_column(X, intercept_scaling) if intercept_scaling else X
    norms = np.empty(len(sign))
    kernels.squared_row_norms(rows, norms)
    lengths = np.sqrt(np.where(norms > 0, norms, 1.0))
    if matrix_products.is_sparse(rows):
        return rows.multiply((1 / lengths)[:, None]).tocsr(), sign / lengths
    return np.ascontiguousarray(rows / lengths[:, None]), sign / lengths


def regression_problem(
    X: Matrix, y: Array, limit: Array, epsilon: float, squared: bool, intercept_scaling: float
) -> BoundedDual:
    """Regression: targets `y` with an epsilon-insensitive loss, squared or not."""
    high, curvature = (
        np.where(limit > 0, np.inf if squared else limit, 0.0),
        _curvatures(limit) if squared else np.zeros(len(y)),
    )
    return BoundedDual(X, y, -high, high, curvature, epsilon, intercept_scaling)


def _curvatures(limit: Array) -> Array:
    """The curvature of the squared losses; arbitrary in rows of cost zero, whose dual variables are fixed."""
    return 0.5 / np.where(limit > 0, limit, 1.0)
