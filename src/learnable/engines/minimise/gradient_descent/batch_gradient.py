"""Gradient descent on a linear model: batch, stochastic or mini-batch.

    minimise over w, b    sum_i s_i loss(y_i, x_i w + b)  +  penalty(w)

A step goes against the gradient averaged over its rows; all derivatives are computed before any weight moves. A penalty
without gradient is applied by its proximal map. An epoch uses every row once, in an order drawn from (seed, epoch).
Scores may be several for each row; w is then (scores, features) and b (scores,), and all change in the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.numeric import EPSILON
from ....core.runtime.random import generator
from ....core.validate.features import Array, Matrix
from ....parts.losses import Loss
from ....parts.penalties import Penalty
from ....parts.schedules import Schedule
from ... import matrix_products
from ...iterate import Progress, State

DIVERGENCE_RATIO = 1e12  # times the first objective: divergence
MAX_POWER_ITERATIONS = 100


@dataclass(frozen=True, slots=True)
class LinearProblem:
    """Rows, loss and penalty; `row_weight` are the weights of the rows, which sum to one.

    `decide` maps scores to classes as the loss takes them, None for numbers.
    """

    X: Matrix
    y: Array
    row_weight: Array
    loss: Loss
    penalty: Penalty
    fit_intercept: bool
    decide: Callable[[Array], Array] | None = None

    def objective(self, coef: Array, z: Array) -> float:
        """Mean loss at the scores z, plus penalty."""
        return float(self.row_weight @ self.loss.value(self.y, z)) + self.penalty.value(coef)

    def error(self, z: Array) -> dict[str, float]:
        """The root mean squared error of predicted numbers, or the error rate of predicted classes."""
        if self.decide is not None:
            return {"error_rate": float(self.row_weight @ (self.decide(z) != self.y))}
        return {"rmse": float(np.sqrt(self.row_weight @ (self.y - self.loss.predict(z)) ** 2))}

    def gradient(self, z: Array) -> tuple[Array, Any]:
        """Derivatives of the mean loss by the weights and by the intercept, at the scores z."""
        row_gradient = (self.loss.gradient(self.y, z).T * self.row_weight).T
        by_weights = matrix_products.transposed_product(self.X, np.ascontiguousarray(row_gradient)).T
        total = row_gradient.sum(axis=0)
        return np.ascontiguousarray(by_weights), total if self.fit_intercept else 0 * total

    def batch_problem(self, rows: Array) -> LinearProblem:
        """The problem of some rows, with weights scaled so that its gradient is an unbiased estimate."""
        row_weight = self.row_weight[rows] * (len(self.y) / len(rows))
        return replace(self, X=self.X[rows], y=self.y[rows], row_weight=row_weight)

    def curvature(self) -> float:
        """The largest curvature of the mean loss in any direction; infinite for a loss that has no bound.

        The top eigenvalue of sum_i s_i (x_i, 1)(x_i, 1)', by the power method, times the largest curvature of the loss.
        """
        if self.loss.curvature_bound is None:
            return np.inf
        direction = generator(0).standard_normal(self.X.shape[1] + 1)
        direction[-1] *= self.fit_intercept
        top = 0.0
        for _ in range(MAX_POWER_ITERATIONS):
            before, direction = top, direction / np.linalg.norm(direction)
            z = self.row_weight * matrix_products.scores(self.X, direction[:-1], direction[-1])
            product = np.append(matrix_products.transposed_product(self.X, z), z.sum() * self.fit_intercept)
            top = float(np.linalg.norm(product))
            if top <= before * (1 + 1e-12) or top == 0:
                break
            direction = product
        return self.loss.curvature_bound * top

    def row_curvature(self) -> float:
        """The largest curvature of the loss of a single row, scaled to all rows."""
        if self.loss.curvature_bound is None:
            return np.inf
        squares = self.X.multiply(self.X).tocsr() if matrix_products.is_sparse(self.X) else self.X * self.X
        lengths = matrix_products.scores(squares, np.ones(self.X.shape[1]), float(self.fit_intercept))
        return self.loss.curvature_bound * float((self.row_weight * lengths).max()) * len(self.y)


def batch_curvature(problem: LinearProblem, batch_size: int | None) -> float:
    """The expected curvature of steps on `batch_size` random rows: between that of all rows and that of one row.

    The largest stable rate is 2 over it. [Gower et al., SGD: general analysis and improved rates, 2019]
    """
    whole, n = problem.curvature(), len(problem.y)
    if batch_size is None or batch_size >= n:
        return whole
    weight_of_full = n * (batch_size - 1) / (batch_size * (n - 1))
    return weight_of_full * whole + (1 - weight_of_full) * problem.row_curvature()


@dataclass(frozen=True, slots=True)
class GradientDescent:
    """The epochs of gradient descent with steps on `batch_size` rows (None: all), from the given weights and intercept.

    It has converged when the correlation of the row gradients with each column, and with the intercept, is at most
    `tol`; `size` is the norm of the row gradients that counts as one, `middle` the mean of each column that the
    intercept can take over and `norm` the length of the rest.
    """

    problem: LinearProblem
    schedule: Schedule
    batch_size: int | None
    seed: int
    tol: float
    coef: Array
    intercept: Any
    middle: Array
    norm: Array
    size: float
    keep_path: bool = False

    @property
    def whole(self) -> bool:
        """Whether every step sees all rows."""
        return self.batch_size is None or self.batch_size >= len(self.problem.y)

    def start(self) -> State:
        first = {"step": 0, "epoch": 0, "stalls": 0, "best": np.inf, "path": []}
        return self._state_at(first, self.coef, self.intercept, 0, 0.0)

    def step(self, state: State) -> State:
        coef, intercept, step, rate = state["coef"], state["intercept"], state["step"], 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            for batch_problem in self._batches(state["epoch"]):
                step += 1
                rate = self.schedule.rate(step, state["stalls"])
                if batch_problem is self.problem:
                    gradient, by_intercept = state["gradient"], state["by_intercept"]
                else:
                    gradient, by_intercept = batch_problem.gradient(
                        matrix_products.scores(batch_problem.X, coef, intercept)
                    )
                coef, intercept = self._update(coef, gradient, rate), intercept - rate * by_intercept
            return self._state_at(state, coef, intercept, step, rate)

    def progress(self, state: State) -> Progress:
        more = {**state["error"], "rate": state["rate"]}
        blown = not state["objective"] <= DIVERGENCE_RATIO * (abs(state["first"]) + self.size * self.size)
        return Progress(state["objective"], self.criterion(state), self.tol, more, diverged=blown)

    def _batches(self, epoch: int) -> Iterator[LinearProblem]:
        rows = len(self.problem.y)
        size = self.batch_size or rows
        if size >= rows:
            yield self.problem
            return
        order = generator(self.seed, epoch).permutation(rows)
        for begin in range(0, rows, size):
            yield self.problem.batch_problem(order[begin : begin + size])

    def _update(self, coef: Array, gradient: Array, rate: float) -> Array:
        penalty = self.problem.penalty
        if penalty.smooth:
            return coef - rate * (gradient + penalty.gradient(coef))
        return penalty.prox(coef - rate * gradient, rate)

    def _state_at(self, before: State, coef: Array, intercept: Any, step: int, rate: float) -> State:
        """The state at new weights, or the old weights with an infinite objective if the new ones overflowed."""
        problem = self.problem
        z = matrix_products.scores(problem.X, coef, intercept).astype(np.float64)
        objective = problem.objective(coef, z)
        if not np.isfinite(objective) or not np.isfinite(coef).all():
            return {**before, "objective": np.inf, "step": step, "rate": rate, "epoch": before["epoch"] + 1}
        gradient, by_intercept = problem.gradient(z)
        path = [*before["path"], np.append(coef, intercept)] if self.keep_path else []
        return {
            "coef": coef,
            "intercept": intercept,
            "gradient": gradient,
            "by_intercept": by_intercept,
            "objective": objective,
            "first": before.get("first", objective),
            "error": problem.error(z),
            "best": min(before["best"], objective),
            "step": step,
            "rate": rate,
            "epoch": before["epoch"] + (step > 0),
            "stalls": before["stalls"] + (objective >= before["best"]),
            "path": path,
        }

    def criterion(self, state: State) -> float:
        """The largest violation of the optimality conditions, as a correlation."""
        gradient = state["gradient"] - np.multiply.outer(state["by_intercept"], self.middle)
        apart = self.problem.penalty.distance(state["coef"], gradient)
        varies = self.norm > EPSILON * np.abs(self.middle)
        correlation = np.divide(apart, self.norm, out=np.zeros_like(apart), where=varies)
        return float(max(correlation.max(initial=0.0), np.abs(state["by_intercept"]).max())) / self.size
