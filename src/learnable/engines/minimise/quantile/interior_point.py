"""A primal-dual interior-point method for quantile regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array
from ...iterate import Progress, State
from .pinball import Pinball, WeightedRows
from .vertex_solution import finished

LATE = 1e-6  # a gap that should shrink in every step
SHORTEST = 1e-9  # steps that get nowhere
CLOSEST = 0.99995  # how much of the way to its bound a variable may go in a step


@dataclass(frozen=True, slots=True)
class Interior:
    """Mehrotra's predictor and corrector on the dual, whose start a = 0 is always allowed.  [Portnoy and Koenker, 1997]

    A step solves two weighted least squares with the same weights: four passes over the design. Rows that the quantile
    will pass through get ever larger weights. `over` and `under` are the distances of the dual variables to their upper
    and lower bounds; `up` and `down`, the prices of these, are the parts of the residual above and below zero.
    The last step goes to a vertex. Converged when the duality gap is within `tolerance` of `unit`.
    """

    problem: Pinball
    tolerance: float
    unit: float

    def start(self) -> State:
        """All dual variables and coefficients zero, prices from the targets."""
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
        return finished(self.problem, after, self.unit)

    def _after(self, state: State) -> State:
        over, under = state["over"], state["under"]
        prices = state["up"] @ over + state["down"] @ under
        system = _System(self.problem, state)
        guess = system.direction(np.zeros_like(over), np.zeros_like(over))
        far, dear = guess.reach(state)
        left = (state["up"] + dear * guess.up) @ (over - far * guess.dual)
        left += (state["down"] + dear * guess.down) @ (under + far * guess.dual)
        centre = (left / prices) ** 3 * prices / (2 * len(over))
        move = system.direction(centre + guess.up * guess.dual, centre - guess.down * guess.dual)
        far, dear = move.reach(state)
        if self.problem.ridge > 0:  # what keeps X'a + t at ridge w
            far = dear = min(far, dear)
        after = self._state(
            {
                "coef": state["coef"] + dear * move.coef,
                "intercept": state["intercept"] + dear * move.constant,
                "residual": state["residual"] - dear * move.scores,
                "over": over - far * move.dual,
                "under": under + far * move.dual,
                "up": state["up"] + dear * move.up,
                "down": state["down"] + dear * move.down,
            }
        )
        stuck = max(far, dear) < SHORTEST or LATE > self._gap(state) <= self._gap(after)
        return after | {"stalled": bool(stuck)}

    def progress(self, state: State) -> Progress:
        """How large the duality gap is."""
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
class _Move:
    """A direction of all variables, `scores` being what it does to the scores."""

    coef: Array
    constant: float
    scores: Array
    dual: Array
    up: Array
    down: Array

    def reach(self, state: State) -> tuple[float, float]:
        """How far the dual variables and their prices may go."""
        far = min(_longest(state["over"], -self.dual), _longest(state["under"], self.dual))
        dear = min(_longest(state["up"], self.up), _longest(state["down"], self.down))
        return far, dear


class _System:
    """The linear equations of a step: weighted least squares of the residuals."""

    def __init__(self, problem: Pinball, state: State) -> None:
        self.problem, self.state = problem, state
        self.weight = 1 / (state["up"] / state["over"] + state["down"] / state["under"])
        self.rows = WeightedRows(problem, self.weight)

    def direction(self, above: Array, below: Array) -> _Move:
        """The move after which prices times distances to the bounds are `above` and `below`, to first order."""
        state, over, under = self.state, self.state["over"], self.state["under"]
        requested = state["residual"] - above / over + below / under
        coef, constant = self.rows.solve(self.weight * requested + state["dual"], state["coef"])
        scores = self.problem.scores(coef, constant)
        dual = self.weight * (requested - scores)
        up = (above + state["up"] * dual) / over - state["up"]
        down = (below - state["down"] * dual) / under - state["down"]
        return _Move(coef, constant, scores, dual, up, down)


def _longest(room: Array, change: Array) -> float:
    """The longest step, at most one, that leaves a little of all the room that there is."""
    shrinking = change < 0
    if not shrinking.any():
        return 1.0
    return min(1.0, CLOSEST * float(np.min(room[shrinking] / -change[shrinking])))
