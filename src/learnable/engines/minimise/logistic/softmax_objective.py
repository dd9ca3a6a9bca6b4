"""The objective of a logistic model of several classes: rows, penalty and design put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....core.numeric import TINY
from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ...iterate import State
from ..line_search import Height
from ..optimality import Pull, Pulls, doubt, far_columns
from ..problem import QuadraticPenalty
from .logistic_rows import PERFECT


@dataclass(frozen=True, slots=True)
class SoftmaxPoint:
    """Where a search stands: weights (features + 1, classes), their scores, and what the rows say of them.

    The last row of the weights holds the constants. `slope` is the derivative by each score, `chance` the probability.
    For each class, `squares` sums the squared slopes of the rows, and `changes` what rounding of scores can do to them.
    """

    weights: Array
    scores: Array
    value: float
    chance: Array
    slope: Array
    squares: Array
    changes: Array


@dataclass(frozen=True, slots=True)
class SoftmaxProblem:
    """minimise over W, b    sum_i share_i (log sum_k e^z_ik - z_i,code(i)) + penalty(W),   z = XW + b,   b may be 0."""

    X: Matrix
    code: Array
    share: Array
    penalty: QuadraticPenalty
    intercept: bool
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
        return SoftmaxPoint(weights, scores, *kernels.softmax_terms(scores, self.code, self.share))

    def objective(self, point: SoftmaxPoint) -> float:
        """Mean loss plus penalty."""
        return point.value + self.penalty.value(point.weights[:-1])

    def gradient(self, point: SoftmaxPoint) -> Array:
        """Derivatives by the weights; that of the constants is zero where there are none."""
        by_weight = kernels.rmatvec(self.X, point.slope) + self.penalty.gradient(point.weights[:-1])
        by_constant = point.slope.sum(axis=0) if self.intercept else np.zeros(self.classes)
        return np.vstack([by_weight, by_constant])

    def misfit(self, point: SoftmaxPoint, gradient: Array, tolerance: float) -> float:
        """The largest entry of the gradient, each against what it would be if nothing in it cancelled: 1 at worst."""
        size = np.maximum(np.sqrt(point.squares), PERFECT) + doubt(tolerance) * np.sqrt(point.changes)
        if not np.isfinite(size).all():
            return np.inf
        pull = Pull.of(self.penalty, point.weights[:-1])
        scale = np.vstack([self.norm[:, None] * size + pull.magnitude, size])
        share = np.divide(np.abs(gradient), scale, out=np.zeros_like(scale), where=scale > 0)
        worst = float(share.max())
        if worst > tolerance or not (far := far_columns(self.X, self.norm)).any():
            return worst
        sizes, faint = self._sizes(point, tolerance), tolerance * float(size.min()) * self.share
        pulls = Pulls(self.X, point.slope, sizes, pull, self.intercept, tolerance, faint, far)
        return max(worst, pulls.largest_share())

    def _sizes(self, point: SoftmaxPoint, tolerance: float) -> Array:
        """How large the slopes of the rows are, with what rounding of their scores can add."""
        bend = self.share[:, None] * point.chance * (1 - point.chance)
        sizes: Array = np.abs(point.slope) + doubt(tolerance) * np.abs(bend * point.scores)
        return sizes * np.maximum(1.0, PERFECT / np.maximum(np.sqrt(point.squares), TINY))

    def line(self, state: State, move: Array) -> Callable[[float], tuple[Height, SoftmaxPoint]]:
        """The objective on the line from the weights of `state` along `move`."""
        weights, z, along = state["weights"], state["scores"], self.scores(move)

        def at(length: float) -> tuple[Height, SoftmaxPoint]:
            there = weights + length * move
            point = self.at(there, z + length * along)
            slope = float(np.vdot(point.slope, along)) + float(np.vdot(self.penalty.gradient(there[:-1]), move[:-1]))
            return Height(self.objective(point), slope), point

        return at
