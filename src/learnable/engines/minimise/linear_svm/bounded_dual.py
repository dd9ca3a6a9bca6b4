"""Linear support vector machines: a price of residuals that is a maximum over bounded dual variables.

    minimise over w    |w|^2 / 2  +  sum_i price_i(t_i - x_i w)
    price_i(r) = max over low_i <= a <= high_i of  a r - epsilon |a| - bend_i a^2 / 2

With w = X'a the dual variables prove how good an answer is: the two sides differ by the duality gap
|w - X'a|^2 / 2 + sum_i (price_i(r_i) - (a_i r_i - epsilon |a_i| - bend_i a_i^2 / 2)), whose terms are never negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ..duality import gap_between

SOME_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Bounded:
    """Rows `X` (C-contiguous or CSR), each followed by `constant` (0: there is none); all else has an entry per row."""

    X: Matrix
    target: Array
    low: Array
    high: Array
    bend: Array
    epsilon: float
    constant: float
    is_hard: bool = False  # residuals are forbidden, not charged for: then there may be no answer
    rows: kernels.BoundedProblem = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = kernels.BoundedProblem(self.X, self.constant, self.target, self.low, self.high, self.bend, self.epsilon)
        object.__setattr__(self, "rows", rows)

    @property
    def size(self) -> int:
        """How many weights there are, that of the constant included."""
        return int(self.X.shape[1]) + (self.constant != 0)

    def scores(self, w: Array) -> Array:
        """x_i w for every row."""
        p = self.X.shape[1]
        return matrix_products.precise_scores(self.X, w[:p], self.constant * w[p] if self.constant else 0.0)

    def residuals(self, w: Array) -> Array:
        """t_i - x_i w for every row."""
        return np.asarray(self.target - self.scores(w))

    def transposed_product(self, dual: Array) -> Array:
        """X'a."""
        pulled = np.empty(self.size)
        pulled[: self.X.shape[1]] = matrix_products.transposed_product(self.X, dual)
        if self.constant:
            pulled[-1] = self.constant * np.add.reduce(dual)
        return pulled

    def gap(self, w: Array, dual: Array) -> tuple[float, float]:
        """The objective at `w`, and by how much it can at most be above the least."""
        if self.is_hard:
            return self.hard_gap(w, self.residuals(w), dual, self.transposed_product(dual))
        return self.rows.gap(w, dual)

    def hard_gap(self, w: Array, residual: Array, dual: Array, pulled: Array) -> tuple[float, float]:
        """The same for classes that must be separated: of `w` made just so long that all margins are at least one."""
        stretch = self.least_margin(residual)
        objective = float(w @ w / 2) / stretch**2 if stretch > 0 else np.inf
        return objective, gap_between(objective, self.dual_value(dual, pulled))

    def least_margin(self, residual: Array) -> float:
        """The smallest of x_i w / t_i, which is y_i x_i w for targets y_i of -1 and 1."""
        return float((1 - residual / self.target).min())

    def separates(self, w: Array) -> bool:
        """Whether all margins of `w` are positive by more than rounding."""
        least = self.least_margin(self.residuals(w)) if np.isfinite(w).all() else 0.0
        return least > 0 and float(w @ w) / 2 / least**2 < self.hopeless(self.norms())

    def dual_value(self, dual: Array, pulled: Array) -> float:
        """The lower bound that dual variables prove."""
        earned = dual * self.target - self.epsilon * np.abs(dual) - self.bend * dual * dual / 2
        return float(earned.sum() - pulled @ pulled / 2)

    def norms(self) -> Array:
        """x_i . x_i with the square of the constant."""
        norms = np.empty(self.X.shape[0])
        kernels.squared_row_norms(self.X, norms)
        return norms + self.constant**2

    def typical_norm(self) -> float:
        """The mean of x_i . x_i with the square of the constant, over some of the rows; 1 if these are zero."""
        some = self.X[:: max(1, self.X.shape[0] // SOME_ROWS)]
        norms = np.empty(some.shape[0])
        kernels.squared_row_norms(some if matrix_products.is_sparse(some) else np.ascontiguousarray(some), norms)
        return float(norms.mean()) + self.constant**2 or 1.0

    def hopeless(self, norms: Array) -> float:
        """The lower bound beyond which a hard problem is called unsolvable: the margins of its rows are rounding."""
        margins = norms / self.target**2 if self.is_hard else norms
        nearest = float(margins[margins > 0].min(initial=np.inf))
        return 0.5e14 / nearest if self.is_hard and nearest < np.inf else np.inf


def classes(X: Matrix, sign: Array, limit: Array, squared: bool, constant: float) -> Bounded:
    """Targets -1 and 1, and a hinge, squared or not, that costs `limit` in each row (infinity: it is forbidden)."""
    low, high, bend, hard = kernels.hinge_bounds(sign, limit, squared)
    if not hard:
        return Bounded(X, sign, low, high, bend, 0.0, constant)
    rows, targets = _of_length_one(X, sign, constant)
    return Bounded(rows, targets, low, high, bend, 0.0, 0.0, is_hard=True)


def _of_length_one(X: Matrix, sign: Array, constant: float) -> tuple[Matrix, Array]:
    """Rows, each followed by the constant, and their targets, both over the length of the row.

    What is asked of a hard margin stays the same, but a row that is far away counts no more than others in rounding.
    """
    rows = matrix_products.with_column(X, constant) if constant else X
    norms = np.empty(len(sign))
    kernels.squared_row_norms(rows, norms)
    lengths = np.sqrt(np.where(norms > 0, norms, 1.0))
    if matrix_products.is_sparse(rows):
        return rows.multiply((1 / lengths)[:, None]).tocsr(), sign / lengths
    return np.ascontiguousarray(rows / lengths[:, None]), sign / lengths


def tube(X: Matrix, y: Array, limit: Array, epsilon: float, squared: bool, constant: float) -> Bounded:
    """The machine with targets `y` that may be missed by `epsilon` for nothing."""
    far, bend = np.where(limit > 0, np.inf if squared else limit, 0.0), _bends(limit) if squared else np.zeros(len(y))
    return Bounded(X, y, -far, far, bend, epsilon, constant)


def _bends(limit: Array) -> Array:
    """What squared prices bend; rows without a price may have any, as their dual variables cannot move."""
    return 0.5 / np.where(limit > 0, limit, 1.0)
