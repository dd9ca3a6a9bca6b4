"""A primal-dual interior-point method for quantile regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array
from ...iterate import Progress, State
from .pinball import Pinball, WeightedRows
from .vertex_solution import move_to_vertex

LATE_GAP = 1e-6  # a gap that should shrink in every step
MIN_STEP = 1e-9  # steps that get nowhere
STEP_TO_BOUNDARY = 0.99995  # fraction of the way to its bound that a variable may go in a step


@dataclass(frozen=True, slots=True)
class InteriorPoint:
    """Mehrotra's predictor-corrector method on the dual, with the feasible start a = 0.  [Portnoy and Koenker, 1997]

    A step solves two weighted least squares with the same weights: four passes over the design. Rows on the regression
    quantile get ever larger weights. `over` and `under` are the distances of the dual variables to their upper and
    lower bounds; `up` and `down`, their multipliers, are the positive and negative parts of the residual. The last step
    goes to a vertex. Converged when the duality gap is at most `tolerance` times `unit`.
    """

    problem: Pinball
    tolerance: float
    unit: float

    def start(self) -> State:
        """All dual variables and coefficients zero, multipliers from the targets."""
        problem = self.problem
        residual = problem.target.copy()
        least = 0.1 * float(np.abs(residual).mean()) or self.unit
        return self._state(
            {
                "coef": np.zeros(problem.X.shape[1]),
                "intercept": 0.0,
                "residual": residual,
                "over": problem.high.copy(),
                "under": -problem.low,
                "up": np.maximum(residual, 0) + least,
                "down": np.maximum(-residual, 0) + least,
            }
        )

    def step(self, state: State) -> State:
        """One predictor, one corrector, and as far along it as all variables stay inside; none if numbers overflow."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            after = self._after(state)
        if after["stalled"] or not np.isfinite(after["objective"]):
            return state | {"stalled": True}
        return move_to_vertex(self.problem, after, self.unit)

    def _after(self, state: State) -> State:
        over, under = state["over"], state["under"]
        complementarity = state["up"] @ over + state["down"] @ under
        system = _NewtonSystem(self.problem, state)
        guess = system.direction(np.zeros_like(over), np.zeros_like(over))
        dual_length, primal_length = guess.step_lengths(state)
        left = (state["up"] + primal_length * guess.up) @ (over - dual_length * guess.dual)
        left += (state["down"] + primal_length * guess.down) @ (under + dual_length * guess.dual)
        centre = (left / complementarity) ** 3 * complementarity / (2 * len(over))
        move = system.direction(centre + guess.up * guess.dual, centre - guess.down * guess.dual)
        dual_length, primal_length = move.step_lengths(state)
        if self.problem.ridge > 0:  # what keeps X'a + t at ridge w
            dual_length = primal_length = min(dual_length, primal_length)
        after = self._state(
            {
                "coef": state["coef"] + primal_length * move.coef,
                "intercept": state["intercept"] + primal_length * move.intercept,
                "residual": state["residual"] - primal_length * move.scores,
                "over": over - dual_length * move.dual,
                "under": under + dual_length * move.dual,
                "up": state["up"] + primal_length * move.up,
                "down": state["down"] + primal_length * move.down,
            }
        )
        stuck = max(dual_length, primal_length) < MIN_STEP or LATE_GAP > self._gap(state) <= self._gap(after)
        return after | {"stalled": bool(stuck)}

    def progress(self, state: State) -> Progress:
        """Objective and duality gap."""
        more = {"bound": state["bound"]}
        return Progress(state["objective"], self._gap(state), self.tolerance, more, state["stalled"])

    def _gap(self, state: State) -> float:
        return float(state["objective"] - state["bound"]) / self.unit

    def _state(self, variables: State) -> State:
        over, under = variables["over"], variables["under"]
        dual = np.where(over < under, self.problem.high - over, self.problem.low + under)
        return variables | {
            "dual": dual,
            "objective": self.problem.value(variables["coef"], variables["residual"]),
            "bound": self.problem.bound(variables["coef"], dual),
            "stalled": False,
        }


@dataclass(frozen=True, slots=True)
class _Direction:
    """A direction of all variables, `scores` being what it does to the scores."""

    coef: Array
    intercept: float
    scores: Array
    dual: Array
    up: Array
    down: Array

    def step_lengths(self, state: State) -> tuple[float, float]:
        """The step lengths that the bounds of the dual variables and of their multipliers allow."""
        dual_length = min(_longest_step(state["over"], -self.dual), _longest_step(state["under"], self.dual))
        primal_length = min(_longest_step(state["up"], self.up), _longest_step(state["down"], self.down))
        return dual_length, primal_length


class _NewtonSystem:
    """The linear equations of a step: weighted least squares of the residuals."""

    def __init__(self, problem: Pinball, state: State) -> None:
        self.problem, self.state = problem, state
        self.weight = 1 / (state["up"] / state["over"] + state["down"] / state["under"])
        self.rows = WeightedRows(problem, self.weight)

    def direction(self, above: Array, below: Array) -> _Direction:
        """The move after which multipliers times distances to the bounds are `above` and `below`, to first order."""
        state, over, under = self.state, self.state["over"], self.state["under"]
        target = state["residual"] - above / over + below / under
        coef, intercept = self.rows.solve(self.weight * target + state["dual"], state["coef"])
        scores = self.problem.scores(coef, intercept)
        dual = self.weight * (target - scores)
        up = (above + state["up"] * dual) / over - state["up"]
        down = (below - state["down"] * dual) / under - state["down"]
        return _Direction(coef, intercept, scores, dual, up, down)


def _longest_step(room: Array, change: Array) -> float:
    """The longest step, at most one, that keeps all variables strictly inside their bounds."""
    shrinking = change < 0
    if not shrinking.any():
        return 1.0
    return min(1.0, STEP_TO_BOUNDARY * float(np.min(room[shrinking] / -change[shrinking])))
