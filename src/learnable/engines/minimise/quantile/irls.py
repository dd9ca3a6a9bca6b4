"""Least absolute deviations and other quantiles by iterated reweighted least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array
from ...iterate import Progress, State
from .pinball import Pinball, WeightedRows
from .vertex_solution import move_to_vertex

MIN_FLOOR = 1e-15  # of the unit: where the floor ends


@dataclass(frozen=True, slots=True)
class ReweightedLeastSquares:
    """The absolute value of a residual is replaced by a parabola that touches it from above, again and again.

    |r| <= r^2 / (2 m) + m / 2 with equality at m = |r|:  so the weights are 1 / m with m = max(|r|, floor), and every
    step lowers the objective but for the floor, which sinks along with the duality gap. The weighted residuals are
    dual variables, so a gap is known at every step, and once they identify the rows with zero residual, the solution
    is moved to the vertex of these.  [Schlossmacher, 1973]
    """

    problem: Pinball
    tolerance: float
    unit: float
    coef: Array
    intercept: float

    def start(self) -> State:
        """The given coefficients."""
        residual = self.problem.target - self.problem.scores(self.coef, self.intercept)
        return {
            "coef": self.coef,
            "intercept": self.intercept,
            "residual": residual,
            "floor": float(np.abs(residual).mean()) or self.unit,
            "objective": self.problem.value(self.coef, residual),
            "bound": 0.0,
            "dual": np.zeros_like(residual),
        }

    def step(self, state: State) -> State:
        """One weighted least squares."""
        problem, residual = self.problem, state["residual"]
        weight = (problem.high - problem.low) / 2 / np.maximum(np.abs(residual), state["floor"])
        tilt = (problem.high + problem.low) / 2
        move, shift = WeightedRows(problem, weight).solve(weight * residual + tilt, state["coef"])
        coef, after = state["coef"] + move, residual - problem.scores(move, shift)
        dual = weight * after + tilt
        bound, objective = problem.bound(coef, dual), problem.value(coef, after)
        best = bound > state["bound"]
        gap = objective - max(bound, state["bound"])
        found = {
            "coef": coef,
            "intercept": state["intercept"] + shift,
            "residual": after,
            "floor": min(state["floor"], max(gap, MIN_FLOOR * self.unit)),
            "objective": objective,
            "bound": bound if best else state["bound"],
            "dual": dual if best else state["dual"],
        }
        return move_to_vertex(problem, found, self.unit)

    def progress(self, state: State) -> Progress:
        """Objective and duality gap."""
        gap = (state["objective"] - state["bound"]) / self.unit
        return Progress(state["objective"], gap, self.tolerance, {"bound": state["bound"]})
