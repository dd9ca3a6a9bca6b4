"""Newton's method for linear support vector machines, on the few rows whose dual variables still move."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array
from ...algebra.interruptible_lapack import interruptibly
from ...iterate import Progress, State
from ..duality import relative_gap
from .bounded_dual import BoundedDual

BAND_SHRINKAGE = 0.15  # factor by which the band is narrowed once its problem is solved
INNER_GAP_FRACTION = 0.1  # fraction of the gap to which the smoothed problem is solved
MIN_BAND = 1e-13  # width, of the first one, below which a band is rounding
PATIENCE = 12  # steps without any progress that end a fit
MAX_DUAL = 1e6  # dual variables, times squared lengths of rows: larger costs make a band too thin for residuals
FALL = 1e-11  # fraction of the objective by which a step must lower it


@dataclass(frozen=True, slots=True)
class ActiveSetNewton:
    """A proximal method on the dual, each of whose problems Newton's method solves in the primal.

    Losses with a kink are smoothed within a band of residuals around the kink; the band narrows as the gap does, and
    the solution does not depend on it. Only rows inside the band have curvature, so after the first steps a step costs
    one product X v and the products of columns over few rows, those that have entered or left. Squared losses need no
    band: one problem, solved in a finite number of steps. [Li, Sun and Toh, 2018]
    Converged when the duality gap is at most `tolerance` of the objective.
    """

    problem: BoundedDual
    tolerance: float
    unit: Array = field(init=False)
    hopeless: float = field(init=False)
    smooth: bool = field(init=False)  # whether the losses have no kink

    def __post_init__(self) -> None:
        problem, hopeless = self.problem, np.inf
        smooth = bool((problem.curvature > 0).all())
        if smooth:
            reach = 1 / problem.curvature
        elif problem.is_hard:
            norms = problem.norms()
            hopeless = problem.hopeless(norms)
            reach = np.full(len(norms), 1 / (float(norms.mean()) or 1.0))
        else:
            reach = np.maximum(problem.high, -problem.low)
            reach = np.where(
                reach > 0, np.minimum(reach, MAX_DUAL / problem.typical_norm()), 1.0
            )  # any, if nothing moves
        object.__setattr__(self, "unit", reach)
        object.__setattr__(self, "smooth", smooth)
        object.__setattr__(self, "hopeless", hopeless)

    def start(self) -> State:
        """All weights zero, and a band as wide as the residuals are large."""
        problem = self.problem
        n, size = len(problem.target), problem.size
        width = 0.0 if self.smooth else float(np.abs(problem.target).mean()) or 1.0
        state: State = {
            "w": np.zeros(size),
            "residual": problem.target.astype(np.float64),
            "centre": np.zeros(n),
            "dual": np.zeros(n),
            "piece": np.zeros(n, dtype=np.uint8),
            "combined": np.zeros(size),
            "products": np.zeros((size, size)),
            "width": width,
            "first": width,
            "solved": False,
            "best": np.inf,
            "idle": 0,
        }
        return self._evaluate(state)

    def step(self, state: State) -> State:
        """One step of Newton's, after narrowing the band if the last problem is solved."""
        if state["solved"] and not self.smooth:
            state = self._narrow(state)
        w, residual, products = state["w"].copy(), state["residual"].copy(), state["products"]
        smoothed_system = np.empty_like(products)
        kernels.band_system(products, state["width"], smoothed_system)
        try:
            move = interruptibly(np.linalg.solve, smoothed_system, state["combined"] - w)
        except np.linalg.LinAlgError:  # the band has become too thin for these columns
            return state | {"idle": PATIENCE}
        self.problem.rows.advance(move, self.unit, state["centre"], state["width"], w, residual)
        after = self._evaluate(state | {"w": w, "residual": residual})
        progressed = after["gap"] < 0.9 * state["best"] or after["lower"] > state["lower"] * (1 + 1e-3)
        progressed = progressed or after["objective"] < (1 - FALL) * state["objective"] or self._descends(state, after)
        after["best"] = min(state["best"], after["gap"])
        after["idle"] = 0 if progressed else state["idle"] + 1
        return after

    def progress(self, state: State) -> Progress:
        """The gap relative to the objective."""
        objective = state["objective"] if state["objective"] < np.inf else state["lower"]
        return Progress(
            objective,
            relative_gap(state["gap"], state["objective"]),
            self.tolerance,
            {"moving": float(state["inside"])},
            stalled=state["idle"] >= PATIENCE,
            diverged=state["lower"] > self.hopeless or not state["finite"],
        )

    def _descends(self, before: State, after: State) -> bool:
        """Whether a step has lowered the smoothed objective, even if the original one has not improved yet."""
        return not after["solved"] and self._smoothed(after) < self._smoothed(before) - FALL * after["objective"]

    def _smoothed(self, state: State) -> float:
        """The objective of the problem within the present band."""
        problem, w, dual = self.problem, state["w"], state["dual"]
        dual_terms = dual * state["residual"] - problem.epsilon * np.abs(dual) - problem.curvature * dual * dual / 2
        away = 0.0 if self.smooth else state["width"] / self.unit * (dual - state["centre"]) ** 2 / 2
        return float(w @ w / 2 + (dual_terms - away).sum())

    def _narrow(self, state: State) -> State:
        """The next problem: a narrower band around the present dual variables."""
        width = max(BAND_SHRINKAGE * state["width"], MIN_BAND * state["first"])
        return self._evaluate(state | {"centre": state["dual"], "width": width})

    def _evaluate(self, state: State) -> State:
        """`state` with the dual variables of its weights and band, their products and the gap."""
        problem, w, residual = self.problem, state["w"], state["residual"]
        dual, piece = np.empty(len(residual)), np.empty(len(residual), dtype=np.uint8)
        combined, products = state["combined"].copy(), state["products"].copy()
        cost, short, owed, inside, finite = problem.rows.evaluate(
            w, residual, self.unit, state["centre"], state["width"], state["dual"], state["piece"],
            dual, piece, combined, products,
        )  # fmt: skip
        objective, gap, lower = float(w @ w) / 2 + cost, owed + short, 0.0
        short = min(short, float(np.abs(dual * residual - problem.epsilon * np.abs(dual)).sum()))
        if problem.is_hard:
            objective, gap = problem.hard_gap(w, residual, dual, combined)
            lower = problem.dual_value(dual, combined)
        return state | {
            "dual": dual,
            "piece": piece,
            "combined": combined,
            "products": products,
            "objective": objective,
            "gap": gap,
            "lower": lower,
            "solved": owed <= INNER_GAP_FRACTION * short,
            "inside": inside,
            "finite": finite,
        }
