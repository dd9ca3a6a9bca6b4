"""Limited-memory BFGS: Newton's method for many columns, with curvature learned from past steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core.validate.features import Array
from .. import matrix_products
from ..iterate import Progress, State
from .line_search import LineValue, line_search, objective_rounding
from .problem import Model, Point, Problem, with_stall_check
from .row_losses import floored_curvature

MEMORY = 10
MIN_CURVATURE = 1e-250  # of a step times the change of the gradient: a smaller one would underflow
MAX_FULL_CURVATURE = 300  # columns up to which the search starts from the full curvature; beyond, from its diagonal


@dataclass(frozen=True, slots=True)
class LBFGS:
    """Two-loop recursion over the last ten steps, on a curvature known at the start.  [Nocedal, 1980]

    The initial curvature is that of the problem at its starting point: that of `model`, or a diagonal if there is none,
    so neither the scale of the columns nor the intercept slows the search. Two passes over the design a step: the
    line search works on the scores. Converged when no entry of the gradient exceeds `tolerance` times its terms.
    """

    problem: Problem
    tolerance: float
    first: Point
    model: Model | None

    def start(self) -> State:
        """The state before the first step: gradient and curvature where the search begins."""
        empty = np.zeros((0, len(self.first.coef) + 1))
        return {"steps": empty, "changes": empty} | self._curvature(self.first) | self._state_at(self.first)

    def step(self, state: State) -> State:
        """Go along the direction that the remembered curvature gives."""
        direction = -self._inverse_curvature(state, state["gradient"])
        move, shift = direction[:-1], float(direction[-1])
        height = LineValue(state["objective"], float(state["gradient"] @ direction))
        line = self.problem.line(state, move, shift, self.problem.scores(move, shift))
        found = (
            line_search(line, height, objective_rounding(height.value), steepest=0.5) if height.derivative < 0 else None
        )
        if found is None:
            return self._restart(state)
        after = self._state_at(found[1])
        change = after["gradient"] - state["gradient"]
        step = np.append(after["coef"] - state["coef"], after["intercept"] - state["intercept"])  # after rounding
        if step @ change > MIN_CURVATURE:
            after["steps"] = np.vstack([state["steps"], step])[-MEMORY:]
            after["changes"] = np.vstack([state["changes"], change])[-MEMORY:]
        return with_stall_check(state, state | after)

    def progress(self, state: State) -> Progress:
        """The relative norm of the gradient."""
        return Progress(state["objective"], state["criterion"], self.tolerance, stalled=state["stalled"])

    def _restart(self, state: State) -> State:
        """No step lowers the objective: drop the remembered steps, and stall if there are none."""
        if not len(state["steps"]):
            return state | {"stalled": True}
        return state | {"steps": state["steps"][:0], "changes": state["changes"][:0]}

    def _state_at(self, point: Point) -> State:
        problem = self.problem
        gradient, by_intercept = problem.gradient(point.terms, point.coef)
        return {
            "coef": point.coef,
            "intercept": point.intercept,
            "scores": point.scores,
            "objective": point.terms.value + problem.penalty.value(point.coef),
            "gradient": np.append(gradient, by_intercept),
            "criterion": problem.optimality_violation(point, gradient, by_intercept, self.tolerance),
            "stalled": False,
        }

    def _curvature(self, point: Point) -> State:
        """The inverse curvature by the coefficients, with the intercept eliminated: full or diagonal."""
        problem, model = self.problem, self.model
        columns = problem.X.shape[1]
        if model is not None:
            return {"mean": model.moments.mean_x, "weight": model.moments.weight, "inverse": model.inverse()}
        curvature = floored_curvature(point.terms.curvature, point.terms.gradient)
        weight = float(curvature.sum())
        mean = matrix_products.column_means(problem.X, curvature) if problem.fit_intercept else np.zeros(columns)
        squares = matrix_products.squared_norms(problem.X, curvature)
        spread = np.maximum(squares - weight * mean**2, 1e-10 * squares) + problem.penalty.gradient(np.ones(columns))
        inverse = np.divide(1, spread, out=np.zeros_like(spread), where=spread > 0)
        return {"mean": mean, "weight": weight, "inverse": inverse}

    def _inverse_curvature(self, state: State, gradient: Array) -> Array:
        return two_loops(state["steps"], state["changes"], gradient, lambda vector: self._first_inverse(state, vector))

    def _first_inverse(self, state: State, vector: Array) -> Array:
        """The inverse of the curvature at the start times a vector."""
        by_intercept = vector[-1] / state["weight"] if self.problem.fit_intercept else 0.0
        centred = vector[:-1] - state["mean"] * vector[-1]
        inverse = state["inverse"]
        coef = inverse @ centred if inverse.ndim == 2 else inverse * centred
        return np.append(coef, by_intercept - state["mean"] @ coef if self.problem.fit_intercept else 0.0)


def two_loops(steps: Array, changes: Array, gradient: Array, first: Callable[[Array], Array]) -> Array:
    """The L-BFGS inverse Hessian times a gradient, by the two-loop recursion.

    `steps` and `changes` have a row per remembered step; `first` is the inverse curvature known at the start.
    """
    rates = 1 / np.einsum("ij,ij->i", steps, changes)
    step_products = np.zeros(len(steps))
    vector = gradient.copy()
    for k in range(len(steps) - 1, -1, -1):
        step_products[k] = rates[k] * (steps[k] @ vector)
        vector -= step_products[k] * changes[k]
    vector = first(vector)
    if len(steps):
        vector *= (steps[-1] @ changes[-1]) / (changes[-1] @ first(changes[-1]))
    for k in range(len(steps)):
        vector += (step_products[k] - rates[k] * (changes[k] @ vector)) * steps[k]
    return vector
