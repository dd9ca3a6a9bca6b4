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
from .line_search import Height, rounding
from .optimality import Pull, Pulls, doubt, far_columns
from .row_losses import Rows, Terms, lengths, raised
from .spd_solve import PositiveSystem

PATIENCE = 10
NOTABLE = 0.9  # of the least criterion so far: what is below it has moved
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
        """What the gradient would be if nothing in it cancelled."""
        ...


@dataclass(frozen=True, slots=True)
class Problem:
    """minimise over w, b    rows(Xw + b) + penalty(w),   b free or zero."""

    X: Matrix
    rows: Rows
    penalty: QuadraticPenalty
    intercept: bool
    norm: Array

    @classmethod
    def of(cls, X: Matrix, rows: Rows, penalty: QuadraticPenalty, intercept: bool) -> Problem:
        """The problem, with the root mean square of each column."""
        return cls(X, rows, penalty, intercept, np.sqrt(matrix_products.squared_norms(X, rows.share)))

    def scores(self, coef: Array, intercept: float) -> Array:
        """Xw + b; where a search begins, w is often zero, which takes no pass over X."""
        if not coef.any():
            return np.full(self.X.shape[0], float(intercept))
        return matrix_products.precise_scores(self.X, coef, intercept)

    def ridge(self) -> Array:
        """The second derivative of the penalty: its gradient is linear."""
        return self.penalty.gradient(np.eye(self.X.shape[1]))

    def gradient(self, terms: Terms, coef: Array) -> tuple[Array, float]:
        """Derivatives by the coefficients and by the intercept."""
        by_intercept = float(terms.slope.sum()) if self.intercept else 0.0
        return matrix_products.pullback(self.X, terms.slope) + self.penalty.gradient(coef), by_intercept

    def line(self, start: State, move: Array, shift: float, along: Array) -> Callable[[float], tuple[Height, Point]]:
        """The objective on the line from `start` along a move of coefficients and intercept, `along` that of scores."""
        coef, intercept, z = start["coef"], start["intercept"], start["scores"]

        def at(length: float) -> tuple[Height, Point]:
            scores, there = z + length * along, coef + length * move
            terms = self.rows.terms(scores)
            with np.errstate(over="ignore"):  # a step that goes far too far has an infinite slope, and is shortened
                slope = float(terms.slope @ along) + float(self.penalty.gradient(there) @ move)
            height = Height(terms.value + self.penalty.value(there), slope)
            return height, Point(there, intercept + length * shift, scores, terms)

        return at

    def misfit(self, point: Point, slope: Array, by_intercept: float, tolerance: float) -> float:
        """The largest entry of the gradient, each against what it would be if nothing in it cancelled: 1 at worst.

        `slope` is the gradient by the coefficients. Scaling a column, the target or the loss changes nothing. Judged by
        the lengths of columns first, and only by their terms if that is passed.
        """
        length, change = lengths(point.terms, point.scores, self.rows.share)
        size = max(length, point.terms.least) + doubt(tolerance) * change
        if not np.isfinite(size):
            return np.inf
        scale = self.norm * size + self.penalty.magnitude(point.coef)
        share = np.divide(np.abs(slope), scale, out=np.zeros_like(scale), where=scale > 0)
        worst = float(max(share.max(initial=0.0), abs(by_intercept) / size if size > 0 else 0.0))
        if worst > tolerance or not (far := far_columns(self.X, self.norm)).any():
            return worst
        sizes = np.abs(point.terms.slope) + doubt(tolerance) * np.abs(point.terms.bend * point.scores)
        sizes *= max(1.0, point.terms.least / length) if length > 0 else 1.0
        faint = tolerance * size * self.rows.share
        pull = Pull.of(self.penalty, point.coef)
        pulls = Pulls(self.X, point.terms.slope, sizes, pull, self.intercept, tolerance, faint, far)
        return max(worst, pulls.largest_share())


def advanced(before: State, after: State) -> State:
    """The state after a step, with the word that it stalled if `PATIENCE` steps in a row moved no more than rounding.

    A step moves if it takes the objective below the `lowest` so far, or the criterion well below the `best`: a method
    that creeps on below the rounding of the objective is left to do so, but not one that goes to and fro.
    """
    best, lowest = (min(before.get(kept, np.inf), before[name]) for kept, name in KEPT.items())
    moved = after["objective"] < lowest - rounding(lowest) or after["criterion"] <= NOTABLE * best
    idle = 0 if moved else before.get("idle", 0) + 1
    return after | {"best": best, "lowest": lowest, "idle": idle, "stalled": idle >= PATIENCE}


@dataclass(frozen=True, slots=True)
class Point:
    """Where a search stands: coefficients, intercept, their scores and what the rows say of them."""

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

    Each row is replaced by a parabola, so that the model is a least squares with weights `bend` and working residual
    -slope / bend; centring its columns eliminates the intercept.
    """

    def __init__(self, problem: Problem, point: Point, caution: float = 0.0) -> None:
        terms = point.terms
        bend = terms.bend if terms.safe is None else terms.bend + caution * (terms.safe - terms.bend)
        bend = raised(bend, terms.slope)
        parts = [-terms.slope / bend]
        if terms.twist is not None and caution < 1:
            parts.append(np.sqrt(1 - caution) * terms.twist / bend)
        moments = Moments.of(
            problem.X, parts[0][:, None] if len(parts) == 1 else np.stack(parts, axis=1), bend, problem.intercept
        )
        self.moments, self.pull = moments, problem.penalty.gradient(point.coef)
        self.by_intercept = -moments.weight * float(moments.mean_y[0]) if problem.intercept else 0.0
        self.gradient = self.pull - moments.cross[:, 0] + moments.mean_x * self.by_intercept
        self._ridge = problem.ridge()

    def step(self) -> tuple[Array, float]:
        """The move of coefficients and intercept to the minimum of the model."""
        moments = self.moments
        right = moments.cross.copy()
        right[:, 0] -= self.pull
        moves = PositiveSystem(moments.gram + self._ridge).solve(right)
        shifts = moments.mean_y - moments.mean_x @ moves
        if moves.shape[1] == 1:
            return moves[:, 0], float(shifts[0])
        return self._untwisted(moves, shifts)

    def inverse(self) -> Array:
        """The inverse of the curvature by the coefficients, the intercept eliminated and the twist left out."""
        return PositiveSystem(self.moments.gram + self._ridge).inverse()

    def _untwisted(self, moves: Array, shifts: Array) -> tuple[Array, float]:
        """The move for curvature H - tt', from those for H alone (Sherman and Morrison)."""
        moments = self.moments
        along = moments.cross[:, 1] @ moves + moments.weight * moments.mean_y[1] * moments.mean_y
        gain = float(along[0]) / max(1 - float(along[1]), 1e-8)
        return moves[:, 0] + gain * moves[:, 1], float(shifts[0] + gain * shifts[1])
