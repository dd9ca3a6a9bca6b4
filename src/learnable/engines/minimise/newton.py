"""Newton's method: the minimum of the quadratic model, found by Cholesky, and a line search."""

from __future__ import annotations

from dataclasses import dataclass

from ..iterate import Progress, State
from .line_search import LineValue, line_search, objective_rounding
from .problem import Model, Point, Problem, with_stall_check

SHORT_STEP = 0.5  # a step shorter than this makes the next model cautious


@dataclass(frozen=True, slots=True)
class Newton:
    """Iterated reweighted least squares: one pass over the design for gradient and curvature, one for the new scores.

    Where the losses have a majorizing parabola (`Terms.majorizer`), the first step and any step after a short one use
    it: it lowers the objective from anywhere, and Newton's own curvature takes over near the minimum. `model` is made
    at `first` with full caution. Converged when no entry of the gradient exceeds `tolerance` times its terms.
    """

    problem: Problem
    tolerance: float
    first: Point
    model: Model

    def start(self) -> State:
        """The state before the first step: the quadratic model where the search begins."""
        return self._state(self.first, self.model, 1.0)

    def step(self, state: State) -> State:
        """Go to the minimum of the quadratic model, or as far towards it as the objective falls."""
        move, shift = state["move"], state["shift"]
        line = self.problem.line(state, move, shift, self.problem.scores(move, shift))
        height = LineValue(state["objective"], state["descent"])
        found = line_search(line, height, objective_rounding(height.value))
        if found is None:
            return self._retry_cautiously(state)
        length, point = found
        caution = 0.0 if length >= SHORT_STEP else min(1.0, max(2 * state["caution"], 0.25))
        return with_stall_check(state, self._state(point, Model(self.problem, point, caution), caution))

    def progress(self, state: State) -> Progress:
        """The relative norm of the gradient."""
        return Progress(state["objective"], state["criterion"], self.tolerance, stalled=state["stalled"])

    def _retry_cautiously(self, state: State) -> State:
        """No step lowers the objective: try the majorizing model, and stall if that was it."""
        terms = self.problem.rows.terms(state["scores"])
        if terms.majorizer is None or state["caution"] == 1.0:
            return state | {"stalled": True}
        point = Point(state["coef"], state["intercept"], state["scores"], terms)
        return self._state(point, Model(self.problem, point, 1.0), 1.0)

    def _state(self, point: Point, model: Model, caution: float) -> State:
        problem = self.problem
        move, shift = model.step()
        return {
            "coef": point.coef,
            "intercept": point.intercept,
            "scores": point.scores,
            "objective": point.terms.value + problem.penalty.value(point.coef),
            "move": move,
            "shift": shift,
            "descent": float(model.gradient @ move) + model.by_intercept * shift,
            "criterion": problem.optimality_violation(point, model.gradient, model.by_intercept, self.tolerance),
            "caution": caution,
            "stalled": False,
        }
