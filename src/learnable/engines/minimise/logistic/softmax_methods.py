"""Newton's method and L-BFGS for a logistic model of several classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array
from ...iterate import Progress, State
from ...sufficient_statistics import Moments
from ..lbfgs import MEMORY, two_loops
from ..line_search import LineValue, line_search, objective_rounding
from ..problem import with_stall_check
from ..spd_solve import PositiveSystem
from .softmax_objective import SoftmaxPoint, SoftmaxProblem


@dataclass(frozen=True, slots=True)
class SoftmaxNewton:
    """Newton's method with the whole matrix of second derivatives: all classes move together.

    Its block for classes k and l is -X' diag(s p_k p_l) X, and a block on the diagonal is minus the sum of the others
    in its row, so K (K - 1) / 2 weighted Gram matrices make it. Converged when no entry of the gradient exceeds
    `tolerance` times its terms.
    """

    problem: SoftmaxProblem
    tolerance: float
    first: Array

    def start(self) -> State:
        """The state before the first step."""
        problem = self.problem
        return self._state(problem.at(self.first, problem.scores(self.first)))

    def step(self, state: State) -> State:
        """Go to the minimum of the quadratic model, or as far towards it as the objective falls."""
        found = descend(self.problem, state, state["move"], 0.9)
        if found is None:
            return state | {"stalled": True}
        return with_stall_check(state, self._state(found))

    def progress(self, state: State) -> Progress:
        """The relative norm of the gradient."""
        return Progress(state["objective"], state["criterion"], self.tolerance, stalled=state["stalled"])

    def _state(self, point: SoftmaxPoint) -> State:
        state = state_at(self.problem, point, self.tolerance)
        move = -PositiveSystem(self.curvature(point)).solve(state["gradient"].T.ravel())
        return state | {"move": move.reshape(self.problem.classes, -1).T}

    def curvature(self, point: SoftmaxPoint) -> Array:
        """Second derivatives by the weights, class by class, each with its intercept last."""
        problem, probability = self.problem, point.probability
        classes, size = problem.classes, len(point.weights)
        whole = np.zeros((classes, size, classes, size))
        for k in range(classes):
            for other in range(k):
                block = self._block(problem.row_weight * probability[:, k] * probability[:, other])
                whole[k, :, other] = whole[other, :, k] = -block
                whole[k, :, k] += block
                whole[other, :, other] += block
            whole[k, :-1, k, :-1] += problem.penalty.gradient(np.eye(size - 1))
        return whole.reshape(classes * size, -1)

    def _block(self, weight: Array) -> Array:
        """[X, 1]' diag(weight) [X, 1], without the ones if fit_intercept is False."""
        columns = self.problem.X.shape[1]
        block = np.zeros((columns + 1, columns + 1))
        moments = Moments.of(self.problem.X, np.ones(len(weight)), weight, False)
        block[:-1, :-1] = moments.gram
        if self.problem.fit_intercept:
            block[-1, :-1] = block[:-1, -1] = moments.cross
            block[-1, -1] = moments.spread
        return block


@dataclass(frozen=True, slots=True)
class SoftmaxLBFGS:
    """Two-loop recursion over the last ten steps; `first_inverse` is an inverse curvature known at the start.

    Two passes over the design a step: the line search works on the scores. Converged when no entry of the gradient
    exceeds `tolerance` of what it sums.
    """

    problem: SoftmaxProblem
    tolerance: float
    first: Array
    first_inverse: Callable[[Array], Array]

    def start(self) -> State:
        """The state before the first step."""
        problem = self.problem
        state = state_at(problem, problem.at(self.first, problem.scores(self.first)), self.tolerance)
        return state | {"steps": np.zeros((0, self.first.size)), "changes": np.zeros((0, self.first.size))}

    def step(self, state: State) -> State:
        """Go along the direction that the remembered curvature gives."""
        gradient = state["gradient"]
        move = -self._inverse(state, gradient.ravel()).reshape(gradient.shape)
        found = descend(self.problem, state, move, 0.5)
        if found is None:
            return self._restart(state)
        after = state | state_at(self.problem, found, self.tolerance)
        step, change = (found.weights - state["weights"]).ravel(), (after["gradient"] - gradient).ravel()
        if step @ change > 0:
            after["steps"] = np.vstack([state["steps"], step])[-MEMORY:]
            after["changes"] = np.vstack([state["changes"], change])[-MEMORY:]
        return with_stall_check(state, after)

    def progress(self, state: State) -> Progress:
        """The relative norm of the gradient."""
        return Progress(state["objective"], state["criterion"], self.tolerance, stalled=state["stalled"])

    def _inverse(self, state: State, vector: Array) -> Array:
        shape = state["gradient"].shape
        return two_loops(
            state["steps"], state["changes"], vector, lambda flat: self.first_inverse(flat.reshape(shape)).ravel()
        )

    def _restart(self, state: State) -> State:
        """No step lowers the objective: drop the remembered steps, and stall if there are none."""
        if not len(state["steps"]):
            return state | {"stalled": True}
        return state | {"steps": state["steps"][:0], "changes": state["changes"][:0]}


def state_at(problem: SoftmaxProblem, point: SoftmaxPoint, tolerance: float) -> State:
    """The state of a search at a point."""
    gradient = problem.gradient(point)
    return {
        "weights": point.weights,
        "scores": point.scores,
        "objective": problem.objective(point),
        "gradient": gradient,
        "criterion": problem.optimality_violation(point, gradient, tolerance),
        "stalled": False,
    }


def descend(problem: SoftmaxProblem, state: State, move: Array, steepest: float) -> SoftmaxPoint | None:
    """A point along `move` where the objective has fallen enough; None if there is none."""
    height = LineValue(state["objective"], float(np.vdot(state["gradient"], move)))
    if not height.derivative < 0:
        return None
    found = line_search(problem.line(state, move), height, objective_rounding(height.value), steepest)
    return None if found is None else found[1]
