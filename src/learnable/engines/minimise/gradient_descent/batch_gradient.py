"""Gradient descent on a linear model, as taught: on all rows, on one row or on a few rows at a time.

    minimise over w, b    sum_i s_i loss(y_i, x_i w + b)  +  penalty(w)

A step goes against the gradient averaged over its rows; all derivatives are known before any weight moves. A penalty
that has no gradient acts by its proximal map. An epoch sees every row once, in an order drawn from (seed, epoch).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ....core.numeric import EPSILON
from ....core.runtime.random import generator
from ....core.validate.features import Array, Matrix
from ....parts.losses import Loss
from ....parts.penalties import Penalty
from ....parts.schedules import Schedule
from ... import matrix_products
from ...iterate import Progress, State

HOPELESS = 1e12  # times worse than at the start
MOST_TURNS = 100


@dataclass(frozen=True, slots=True)
class LinearProblem:
    """Rows, loss and penalty; `share` are the weights of the rows, which sum to one."""

    X: Matrix
    y: Array
    share: Array
    loss: Loss
    penalty: Penalty
    intercept: bool

    def objective(self, coef: Array, z: Array) -> float:
        """Mean loss at the scores z, plus penalty."""
        return float(self.share @ self.loss.value(self.y, z)) + self.penalty.value(coef)

    def slopes(self, z: Array) -> tuple[Array, float]:
        """Derivatives of the mean loss by the weights and by the intercept, at the scores z."""
        pull = self.share * self.loss.gradient(self.y, z)
        return matrix_products.pullback(self.X, pull), float(pull.sum()) if self.intercept else 0.0

    def part(self, rows: Array) -> LinearProblem:
        """The problem of some rows alone, whose shares are raised so that its gradient is right in the mean."""
        share = self.share[rows] * (len(self.y) / len(rows))
        return LinearProblem(self.X[rows], self.y[rows], share, self.loss, self.penalty, self.intercept)

    def curvature(self) -> float:
        """The largest curvature of the mean loss in any direction; infinite for a loss that has no bound.

        The top eigenvalue of sum_i s_i (x_i, 1)(x_i, 1)', by the power method, times the largest curvature of the loss.
        """
        if self.loss.curvature_bound is None:
            return np.inf
        direction = generator(0).standard_normal(self.X.shape[1] + 1)
        direction[-1] *= self.intercept
        top = 0.0
        for _ in range(MOST_TURNS):
            before, direction = top, direction / np.linalg.norm(direction)
            z = self.share * matrix_products.scores(self.X, direction[:-1], direction[-1])
            turned = np.append(matrix_products.pullback(self.X, z), z.sum() * self.intercept)
            top = float(np.linalg.norm(turned))
            if top <= before * (1 + 1e-12) or top == 0:
                break
            direction = turned
        return self.loss.curvature_bound * top

    def row_curvature(self) -> float:
        """The largest curvature of a single row, when it stands for all."""
        if self.loss.curvature_bound is None:
            return np.inf
        squares = self.X.multiply(self.X).tocsr() if matrix_products.is_sparse(self.X) else self.X * self.X
        lengths = matrix_products.scores(squares, np.ones(self.X.shape[1]), float(self.intercept))
        return self.loss.curvature_bound * float((self.share * lengths).max()) * len(self.y)


def batch_curvature(problem: LinearProblem, batch: int | None) -> float:
    """Curvature that steps on `batch` random rows meet in the mean: between that of all rows and that of one row.

    The largest stable rate is 2 over it. [Gower et al., SGD: general analysis and improved rates, 2019]
    """
    whole, n = problem.curvature(), len(problem.y)
    if batch is None or batch >= n:
        return whole
    many = n * (batch - 1) / (batch * (n - 1))
    return many * whole + (1 - many) * problem.row_curvature()


@dataclass(frozen=True, slots=True)
class GradientDescent:
    """The epochs of gradient descent with steps on `batch` rows (None: all), from the given weights and intercept.

    It has converged when no column, and not the constant, correlates with the slopes of the rows by more than `tol`;
    `size` is the length of these slopes that counts as one, `middle` what of each column the constant can take over and
    `norm` the length of the rest.
    """

    problem: LinearProblem
    schedule: Schedule
    batch: int | None
    seed: int
    tol: float
    coef: Array
    constant: float
    middle: Array
    norm: Array
    size: float
    keep_path: bool = False

    @property
    def whole(self) -> bool:
        """Whether every step sees all rows."""
        return self.batch is None or self.batch >= len(self.problem.y)

    def start(self) -> State:
        first = {"step": 0, "epoch": 0, "stalls": 0, "best": np.inf, "path": []}
        return self._arrived(first, self.coef, self.constant, 0, 0.0)

    def step(self, state: State) -> State:
        coef, constant, step, rate = state["coef"], state["constant"], state["step"], 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            for part in self._batches(state["epoch"]):
                step += 1
                rate = self.schedule.rate(step, state["stalls"])
                if part is self.problem:
                    slope, by_constant = state["slope"], state["by_constant"]
                else:
                    slope, by_constant = part.slopes(matrix_products.scores(part.X, coef, constant))
                coef, constant = self._moved(coef, slope, rate), constant - rate * by_constant
            return self._arrived(state, coef, constant, step, rate)

    def progress(self, state: State) -> Progress:
        more = {"rmse": state["rmse"], "rate": state["rate"]}
        blown = not state["objective"] <= HOPELESS * (abs(state["first"]) + self.size * self.size)
        return Progress(state["objective"], self.criterion(state), self.tol, more, diverged=blown)

    def _batches(self, epoch: int) -> Iterator[LinearProblem]:
        rows = len(self.problem.y)
        size = self.batch or rows
        if size >= rows:
            yield self.problem
            return
        order = generator(self.seed, epoch).permutation(rows)
        for begin in range(0, rows, size):
            yield self.problem.part(order[begin : begin + size])

    def _moved(self, coef: Array, slope: Array, rate: float) -> Array:
        penalty = self.problem.penalty
        if penalty.smooth:
            return coef - rate * (slope + penalty.gradient(coef))
        return penalty.prox(coef - rate * slope, rate)

    def _arrived(self, before: State, coef: Array, constant: float, step: int, rate: float) -> State:
        """The state at new weights, or the old weights with an infinite objective if the new ones overflowed."""
        problem = self.problem
        z = matrix_products.scores(problem.X, coef, constant).astype(np.float64)
        objective = problem.objective(coef, z)
        if not np.isfinite(objective) or not np.isfinite(coef).all():
            return {**before, "objective": np.inf, "step": step, "rate": rate, "epoch": before["epoch"] + 1}
        slope, by_constant = problem.slopes(z)
        path = [*before["path"], np.append(coef, constant)] if self.keep_path else []
        return {
            "coef": coef,
            "constant": constant,
            "slope": slope,
            "by_constant": by_constant,
            "objective": objective,
            "first": before.get("first", objective),
            "rmse": float(np.sqrt(problem.share @ (problem.y - problem.loss.predict(z)) ** 2)),
            "best": min(before["best"], objective),
            "step": step,
            "rate": rate,
            "epoch": before["epoch"] + (step > 0),
            "stalls": before["stalls"] + (objective >= before["best"]),
            "path": path,
        }

    def criterion(self, state: State) -> float:
        """The largest correlation that is left, with what the penalty allows taken off."""
        slope = state["slope"] - self.middle * state["by_constant"]
        apart = self.problem.penalty.distance(state["coef"], slope)
        varies = self.norm > EPSILON * np.abs(self.middle)
        share = np.divide(apart, self.norm, out=np.zeros_like(apart), where=varies)
        return float(max(share.max(initial=0.0), abs(state["by_constant"]))) / self.size
