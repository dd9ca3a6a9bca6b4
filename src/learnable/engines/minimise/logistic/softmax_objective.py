"""The objective of a logistic model of several classes: rows, penalty and design put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....core.numeric import TINY
from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ...iterate import State
from ..line_search import LineValue
from ..optimality import GradientTerms, PenaltyGradient, far_columns, rounding_factor
from ..problem import QuadraticPenalty
from .logistic_rows import PERFECT


@dataclass(frozen=True, slots=True)
class SoftmaxPoint:
    """An iterate: weights (features + 1, classes), their scores, and value and derivatives of the mean loss there.

    The last row of the weights holds the intercepts. `row_gradient` is the derivative by each score. For each class,
    `squares` sums the squared row gradients, and `changes` how much rounding of the scores can change them.
    """

    weights: Array
    scores: Array
    value: float
    probability: Array
    row_gradient: Array
    squares: Array
    changes: Array


@dataclass(frozen=True, slots=True)
class SoftmaxProblem:
    """minimise over W, b    sum_i share_i (log sum_k e^z_ik - z_i,code(i)) + penalty(W),   z = XW + b,   b may be 0."""

    X: Matrix
    code: Array
    row_weight: Array
    penalty: QuadraticPenalty
    fit_intercept: bool
    norm: Array
    classes: int

    def scores(self, weights: Array) -> Array:
        """XW + b."""
        if not weights[:-1].any():
            return np.tile(weights[-1], (self.X.shape[0], 1))
        product: Array = kernels.matvec(self.X, weights[:-1], weights[-1])
        return product

    def at(self, weights: Array, scores: Array) -> SoftmaxPoint:
        """The point of the given weights, whose scores are known."""
        return SoftmaxPoint(weights, scores, *kernels.softmax_terms(scores, self.code, self.row_weight))

    def objective(self, point: SoftmaxPoint) -> float:
        """Mean loss plus penalty."""
        return point.value + self.penalty.value(point.weights[:-1])

    def gradient(self, point: SoftmaxPoint) -> Array:
        """Derivatives by the weights; that of the intercepts is zero if there are none."""
        by_weight = kernels.rmatvec(self.X, point.row_gradient) + self.penalty.gradient(point.weights[:-1])
        by_intercept = point.row_gradient.sum(axis=0) if self.fit_intercept else np.zeros(self.classes)
        return np.vstack([by_weight, by_intercept])

    def optimality_violation(self, point: SoftmaxPoint, gradient: Array, tolerance: float) -> float:
        """The largest entry of the gradient, each against what it would be if nothing in it cancelled: 1 at worst."""
        size = np.maximum(np.sqrt(point.squares), PERFECT) + rounding_factor(tolerance) * np.sqrt(point.changes)
        if not np.isfinite(size).all():
            return np.inf
        penalty_gradient = PenaltyGradient.of(self.penalty, point.weights[:-1])
        scale = np.vstack([self.norm[:, None] * size + penalty_gradient.magnitude, size])
        relative = np.divide(np.abs(gradient), scale, out=np.zeros_like(scale), where=scale > 0)
        worst = float(relative.max())
        if worst > tolerance or not (far := far_columns(self.X, self.norm)).any():
            return worst
        sizes, negligible = self._sizes(point, tolerance), tolerance * float(size.min()) * self.row_weight
        gradient_terms = GradientTerms(
            self.X, point.row_gradient, sizes, penalty_gradient, self.fit_intercept, tolerance, negligible, far
        )
        return max(worst, gradient_terms.largest_violation())

    def _sizes(self, point: SoftmaxPoint, tolerance: float) -> Array:
        """The magnitudes of the row gradients, including the effect of rounding of the scores."""
        curvature = self.row_weight[:, None] * point.probability * (1 - point.probability)
        sizes: Array = np.abs(point.row_gradient) + rounding_factor(tolerance) * np.abs(curvature * point.scores)
        return sizes * np.maximum(1.0, PERFECT / np.maximum(np.sqrt(point.squares), TINY))

    def line(self, state: State, move: Array) -> Callable[[float], tuple[LineValue, SoftmaxPoint]]:
        """The objective on the line from the weights of `state` along `move`."""
        weights, z, along = state["weights"], state["scores"], self.scores(move)

        def at(length: float) -> tuple[LineValue, SoftmaxPoint]:
            there = weights + length * move
            point = self.at(there, z + length * along)
            row_gradient = float(np.vdot(point.row_gradient, along)) + float(
                np.vdot(self.penalty.gradient(there[:-1]), move[:-1])
            )
            return LineValue(self.objective(point), row_gradient), point

        return at
