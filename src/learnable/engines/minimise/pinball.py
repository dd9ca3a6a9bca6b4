"""Quantile regression with an absolute penalty, and the duality that certifies its answers.

    minimise over w, b   sum_i s_i rho(y_i - x_i w - b) + sum_j alpha_j |w_j|,   rho(r) = level r, (level - 1) r below 0
    maximise over a      sum_i a_i y_i   where  (level - 1) s_i <= a_i <= level s_i,  |x_j . a| <= alpha_j,  sum a = 0

Every such a proves that no coefficients do better than its value (its sum is free where there is no intercept).
A penalised coefficient is one more row, with target 0 and score w_j: the methods here know only rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Moments
from .factor import Factor


@dataclass(frozen=True)
class Pinball:
    """The problem: design, target, shares, level, penalty of each column, and whether there is an intercept."""

    X: Matrix
    y: Array
    share: Array
    level: float
    alpha: Array
    intercept: bool

    @cached_property
    def penalised(self) -> Array:
        """The columns whose coefficients cost something."""
        return np.flatnonzero(self.alpha)

    @cached_property
    def target(self) -> Array:
        """The targets of all rows, those of the penalty included."""
        return np.append(self.y, np.zeros(len(self.penalised)))

    @cached_property
    def high(self) -> Array:
        """What a positive residual costs, and the largest value of each dual variable."""
        return np.append(self.level * self.share, self.alpha[self.penalised])

    @cached_property
    def low(self) -> Array:
        """Minus what a negative residual costs, and the least value of each dual variable."""
        return np.append((self.level - 1) * self.share, -self.alpha[self.penalised])

    def scores(self, coef: Array, constant: float) -> Array:
        """Xw + b, then the penalised coefficients."""
        return np.append(design.scores(self.X, coef, constant), coef[self.penalised])

    def value(self, residual: Array) -> float:
        """The objective, of the residuals of all rows."""
        return float(np.maximum(self.high * residual, self.low * residual).sum())

    def pull(self, dual: Array) -> tuple[Array, float]:
        """What the dual must keep at zero: one sum a column, and the sum over rows if there is an intercept."""
        rows = dual[: len(self.y)]
        sums = design.pullback(self.X, rows)
        sums[self.penalised] += dual[len(self.y) :]
        return sums, float(rows.sum()) if self.intercept else 0.0

    def bound(self, dual: Array) -> float:
        """A value that no coefficients go below: that of dual variables that keep `pull` at zero.

        They are shrunk until they are between their bounds, which keeps the sums at zero.
        """
        excess = float(np.max(dual / np.where(dual > 0, self.high, self.low), initial=1.0))
        return float(dual @ self.target) / excess


class WeightedRows:
    """The normal equations of all rows with the given weights, in one pass; the intercept is eliminated."""

    def __init__(self, problem: Pinball, weight: Array) -> None:
        rows = len(problem.y)
        moments = Moments.of(problem.X, np.zeros((rows, 1)), weight[:rows], problem.intercept)
        gram = moments.gram.copy()
        gram[problem.penalised, problem.penalised] += weight[rows:]
        self._problem, self._total, self._mean = problem, moments.weight, moments.mean_x
        self._factor = Factor(gram)

    def solve(self, dual: Array) -> tuple[Array, float]:
        """The coefficients and the intercept whose scores, weighted, have the same `pull` as `dual`."""
        sums, total = self._problem.pull(dual)
        coef = self._factor.solve(sums - self._mean * total)
        constant = total / self._total - float(self._mean @ coef) if self._problem.intercept else 0.0
        return coef, constant
