"""Quantile regression with an l1 penalty, and its dual problem, which certifies solutions.

    minimise over w, b    sum_i s_i rho(y_i - x_i w - b) + sum_j alpha_j |w_j| + ridge |w|^2 / 2
                          rho(r) = level r where r >= 0, else (level - 1) r
    maximise over a, t    sum_i a_i y_i - |X'a + t|^2 / (2 ridge),   or X'a + t = 0 where ridge is 0
                          (level - 1) s_i <= a_i <= level s_i,  |t_j| <= alpha_j,  sum a = 0

Every such a, t gives a lower bound of the objective (the sum of a is free if there is no intercept).
A coefficient with an absolute penalty is one more row, with target 0 and score w_j: the methods here know only rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Moments
from ..spd_solve import PositiveSystem

ROUNDING = 1e-13  # of the sum of the sizes of terms that cancel: rounding


@dataclass(frozen=True)
class Pinball:
    """The problem: design, target, row weights, level, penalties, and whether there is an intercept."""

    X: Matrix
    y: Array
    row_weight: Array
    level: float
    alpha: Array
    fit_intercept: bool
    ridge: float = 0.0

    @cached_property
    def penalised(self) -> Array:
        """The columns with a penalty."""
        return np.flatnonzero(self.alpha)

    @cached_property
    def target(self) -> Array:
        """The targets of all rows, those of the penalty included."""
        return np.append(self.y, np.zeros(len(self.penalised)))

    @cached_property
    def high(self) -> Array:
        """The cost of a positive residual, which is the upper bound of each dual variable."""
        return np.append(self.level * self.row_weight, self.alpha[self.penalised])

    @cached_property
    def low(self) -> Array:
        """Minus the cost of a negative residual, which is the lower bound of each dual variable."""
        return np.append((self.level - 1) * self.row_weight, -self.alpha[self.penalised])

    def scores(self, coef: Array, intercept: float) -> Array:
        """Xw + b, then the penalised coefficients."""
        return np.append(matrix_products.precise_scores(self.X, coef, intercept), coef[self.penalised])

    def value(self, coef: Array, residual: Array) -> float:
        """The objective, given also the residuals of all rows."""
        rows = np.maximum(self.high * residual, self.low * residual)
        return float(rows.sum()) + self.ridge / 2 * float(coef @ coef)

    def column_sums(self, dual: Array) -> tuple[Array, float]:
        """X'a + t, and the sum of a if there is an intercept and that must be zero."""
        rows = dual[: len(self.y)]
        sums = matrix_products.transposed_product(self.X, rows)
        sums[self.penalised] += dual[len(self.y) :]
        return sums, float(rows.sum()) if self.fit_intercept else 0.0

    def balance_dual(self, coef: Array, dual: Array) -> Array:
        """Dual variables near these with `column_sums` of ridge times `coef`: rows move by their slack.

        The remainder goes to the penalties: small beside the terms of the sums, for columns far from zero for example,
        it may be large beside a penalty. Where a penalty is small beside the rounding of these sums, the rounding is
        left.
        """
        count, room = len(self.y), np.minimum(self.high - dual, dual - self.low).clip(0)
        if room[:count].any():
            dual = dual - room * self.scores(*WeightedRows(self, room).solve(dual, coef))
        left = (self.ridge * coef - matrix_products.transposed_product(self.X, dual[:count]))[self.penalised]
        beyond = left - left.clip(self.low[count:], self.high[count:])
        felt = np.abs(beyond) > ROUNDING * self._sizes(dual)[self.penalised]
        return np.append(dual[:count], np.where(felt, left, left - beyond))

    def _sizes(self, dual: Array) -> Array:
        """The sums of the magnitudes of the terms of `column_sums`."""
        size = matrix_products.magnitudes(self.X, np.abs(dual[: len(self.y)]), np.zeros(len(self.alpha)))
        size[self.penalised] += np.abs(dual[len(self.y) :])
        return size

    def bound(self, coef: Array, dual: Array) -> float:
        """A lower bound of the objective: the value of dual variables whose `column_sums` is ridge times `coef`.

        They are scaled until they are within their bounds, which keeps their sum at zero.
        """
        excess = float(np.max(dual / np.where(dual > 0, self.high, self.low), initial=1.0))
        return float(dual @ self.target) / excess - self.ridge / 2 * float(coef @ coef) / excess**2


class WeightedRows:
    """The normal equations of all rows with the given weights, in one pass; the intercept is eliminated."""

    def __init__(self, problem: Pinball, weight: Array) -> None:
        rows = len(problem.y)
        moments = Moments.of(problem.X, np.zeros((rows, 1)), weight[:rows], problem.fit_intercept)
        gram = moments.gram.copy()
        gram[problem.penalised, problem.penalised] += weight[rows:]
        gram += problem.ridge * np.eye(len(gram))
        self._problem, self._total, self._mean = problem, moments.weight, moments.mean_x
        self._factor = PositiveSystem(gram)

    def solve(self, dual: Array, coef: Array) -> tuple[Array, float]:
        """The move whose weighted scores, plus its ridge term, have the column sums of `dual`.

        The column sums of ridge times the present `coef` are subtracted first.
        """
        sums, total = self._problem.column_sums(dual)
        return self.solve_sums(sums - self._problem.ridge * coef, total)

    def solve_sums(self, sums: Array, total: float) -> tuple[Array, float]:
        """The move whose weighted scores have these `column_sums`."""
        move = self._factor.solve(sums - self._mean * total)
        shift = total / self._total - float(self._mean @ move) if self._problem.fit_intercept else 0.0
        return move, shift
