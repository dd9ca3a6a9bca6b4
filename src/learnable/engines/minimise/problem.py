"""The objective of a linear model: rows, penalty and design put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...core.validate.features import Array, Matrix
from .. import matrix_products
from ..iterate import State
from ..sufficient_statistics import Moments
from .line_search import LineValue, objective_rounding
from .optimality import GradientTerms, PenaltyGradient, far_columns, rounding_factor
from .row_losses import RowLoss, Terms, floored_curvature, gradient_norms
from .spd_solve import PositiveSystem

PATIENCE = 10
NOTABLE_PROGRESS = 0.9  # times the smallest criterion so far: a smaller one counts as progress
KEPT = {"best": "criterion", "lowest": "objective"}


class QuadraticPenalty(Protocol):
    """A penalty whose gradient is linear in the weights."""

    def value(self, w: Array) -> float:
        """Penalty of the weights."""
        ...

    def gradient(self, w: Array) -> Array:
        """Its gradient, or one for each column of w."""
        ...

    def magnitude(self, w: Array) -> Array:
        """The gradient with all terms replaced by their magnitudes."""
        ...


@dataclass(frozen=True, slots=True)
class Problem:
    """minimise over w, b    rows(Xw + b) + penalty(w),   b free or zero."""

    X: Matrix
    rows: RowLoss
    penalty: QuadraticPenalty
    fit_intercept: bool
    norm: Array

    @classmethod
    def of(cls, X: Matrix, rows: RowLoss, penalty: QuadraticPenalty, fit_intercept: bool) -> Problem:
        """The problem, with the root mean square of each column."""
        return cls(X, rows, penalty, fit_intercept, np.sqrt(matrix_products.squared_norms(X, rows.row_weight)))

    def scores(self, coef: Array, intercept: float) -> Array:
        """Xw + b; at the start of a search w is often zero, which takes no pass over X."""
        if not coef.any():
            return np.full(self.X.shape[0], float(intercept))
        return matrix_products.precise_scores(self.X, coef, intercept)

    def ridge(self) -> Array:
        """The second derivative of the penalty: its gradient is linear."""
        return self.penalty.gradient(np.eye(self.X.shape[1]))

    def gradient(self, terms: Terms, coef: Array) -> tuple[Array, float]:
        """Derivatives by the coefficients and by the intercept."""
        by_intercept = float(terms.gradient.sum()) if self.fit_intercept else 0.0
        return matrix_products.transposed_product(self.X, terms.gradient) + self.penalty.gradient(coef), by_intercept

    def line(self, start: State, move: Array, shift: float, along: Array) -> Callable[[float], tuple[LineValue, Point]]:
        """The objective on the line from `start` along a move of coefficients and intercept, `along` that of scores."""
        coef, intercept, z = start["coef"], start["intercept"], start["scores"]

        def at(length: float) -> tuple[LineValue, Point]:
            scores, there = z + length * along, coef + length * move
            terms = self.rows.terms(scores)
            with np.errstate(over="ignore"):  # a step far too long has an infinite derivative, and is shortened
                gradient = float(terms.gradient @ along) + float(self.penalty.gradient(there) @ move)
            height = LineValue(terms.value + self.penalty.value(there), gradient)
            return height, Point(there, intercept + length * shift, scores, terms)

        return at

    def optimality_violation(self, point: Point, gradient: Array, by_intercept: float, tolerance: float) -> float:
        """The largest entry of the gradient, relative to the sum of the magnitudes of its terms: 1 at worst.

        `gradient` is that by the coefficients. The result does not depend on the scale of a column, the target or the
        loss. Norms of columns are compared first, sums of the sizes of terms only if that passes.
        """
        length, change = gradient_norms(point.terms, point.scores, self.rows.row_weight)
        size = max(length, point.terms.noise_floor) + rounding_factor(tolerance) * change
        if not np.isfinite(size):
            return np.inf
        scale = self.norm * size + self.penalty.magnitude(point.coef)
        relative = np.divide(np.abs(gradient), scale, out=np.zeros_like(scale), where=scale > 0)
        worst = float(max(relative.max(initial=0.0), abs(by_intercept) / size if size > 0 else 0.0))
        if worst > tolerance or not (far := far_columns(self.X, self.norm)).any():
            return worst
        sizes = np.abs(point.terms.gradient) + rounding_factor(tolerance) * np.abs(point.terms.curvature * point.scores)
        sizes *= max(1.0, point.terms.noise_floor / length) if length > 0 else 1.0
        negligible = tolerance * size * self.rows.row_weight
        penalty_gradient = PenaltyGradient.of(self.penalty, point.coef)
        gradient_terms = GradientTerms(
            self.X, point.terms.gradient, sizes, penalty_gradient, self.fit_intercept, tolerance, negligible, far
        )
        return max(worst, gradient_terms.largest_violation())


def with_stall_check(before: State, after: State) -> State:
    """The state after a step, marked as stalled if `PATIENCE` steps in a row made no more progress than rounding.

    A step makes progress if it takes the objective below the `lowest` so far, or the criterion well below the `best`:
    slow progress below the rounding of the objective is allowed, oscillation is not.
    """
    best, lowest = (min(before.get(kept, np.inf), before[name]) for kept, name in KEPT.items())
    moved = after["objective"] < lowest - objective_rounding(lowest) or after["criterion"] <= NOTABLE_PROGRESS * best
    idle = 0 if moved else before.get("idle", 0) + 1
    return after | {"best": best, "lowest": lowest, "idle": idle, "stalled": idle >= PATIENCE}


@dataclass(frozen=True, slots=True)
class Point:
    """An iterate: coefficients, intercept, their scores, and value and derivatives of the row losses there."""

    coef: Array
    intercept: float
    scores: Array
    terms: Terms

    @classmethod
    def of(cls, problem: Problem, coef: Array, intercept: float) -> Point:
        """The point of the given coefficients."""
        z = problem.scores(coef, intercept)
        return cls(coef, float(intercept), z, problem.rows.terms(z))


class Model:
    """The quadratic model of a problem at scores z, from one pass over the design.

    Each row loss is replaced by a parabola, so that the model is a least-squares problem with weights `curvature` and
    working residuals -gradient / curvature; centring its columns eliminates the intercept.
    """

    def __init__(self, problem: Problem, point: Point, caution: float = 0.0) -> None:
        terms = point.terms
        curvature = (
            terms.curvature
            if terms.majorizer is None
            else terms.curvature + caution * (terms.majorizer - terms.curvature)
        )
        curvature = floored_curvature(curvature, terms.gradient)
        targets = [-terms.gradient / curvature]
        if terms.rank_one is not None and caution < 1:
            targets.append(np.sqrt(1 - caution) * terms.rank_one / curvature)
        moments = Moments.of(
            problem.X,
            targets[0][:, None] if len(targets) == 1 else np.stack(targets, axis=1),
            curvature,
            problem.fit_intercept,
        )
        self.moments, self.penalty_gradient = moments, problem.penalty.gradient(point.coef)
        self.by_intercept = -moments.weight * float(moments.mean_y[0]) if problem.fit_intercept else 0.0
        self.gradient = self.penalty_gradient - moments.cross[:, 0] + moments.mean_x * self.by_intercept
        self._ridge = problem.ridge()

    def step(self) -> tuple[Array, float]:
        """The move of coefficients and intercept to the minimum of the model."""
        moments = self.moments
        right = moments.cross.copy()
        right[:, 0] -= self.penalty_gradient
        moves = PositiveSystem(moments.gram + self._ridge).solve(right)
        shifts = moments.mean_y - moments.mean_x @ moves
        if moves.shape[1] == 1:
            return moves[:, 0], float(shifts[0])
        return self._with_rank_one(moves, shifts)

    def inverse(self) -> Array:
        """The inverse Hessian by the coefficients, with the intercept eliminated and without the rank-one term."""
        return PositiveSystem(self.moments.gram + self._ridge).inverse()

    def _with_rank_one(self, moves: Array, shifts: Array) -> tuple[Array, float]:
        """The move for curvature H - tt', from those for H alone (Sherman and Morrison)."""
        moments = self.moments
        along = moments.cross[:, 1] @ moves + moments.weight * moments.mean_y[1] * moments.mean_y
        gain = float(along[0]) / max(1 - float(along[1]), 1e-8)
        return moves[:, 0] + gain * moves[:, 1], float(shifts[0] + gain * shifts[1])
