"""Coordinate descent on the dual of a linear support vector machine, for rows that are many, long and sparse."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array
from ...iterate import Progress, State
from ..duality import relative_gap
from ..gradient_descent.epoch_order import shuffle
from .bounded_dual import BoundedDual

FIRST_AIM = 0.1  # violation at which all rows are evaluated for the first time
PASSES_PER_CHECK = 10  # passes after which the gap is evaluated anyway


@dataclass(frozen=True, slots=True)
class DualDescent:
    """A pass sets the dual variable of each active row to its own optimum, in an order drawn from (`seed`, pass).

    Rows at a bound whose gradient points outwards are left out (shrinking); when the others have settled all come back.
    Converged when the duality gap is at most `tolerance` of the objective. [Hsieh et al., 2008]
    """

    problem: BoundedDual
    tolerance: float
    seed: int
    norms: Array = field(init=False)
    hopeless: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "norms", self.problem.norms())
        object.__setattr__(self, "hopeless", self.problem.hopeless(self.norms))

    def start(self) -> State:
        """All dual variables zero."""
        problem = self.problem
        n = len(problem.target)
        dual = np.zeros(n)
        costs = np.inf if problem.is_hard else problem.rows.sum_losses(problem.target, dual)[0]
        return {
            "w": np.zeros(problem.size),
            "dual": dual,
            "active": np.arange(n),
            "count": n,
            "patience": np.inf,
            "aim": FIRST_AIM * (float(np.abs(problem.target).mean()) or 1.0),
            "pass": 0,
            "objective": costs,
            "gap": costs,
            "lower": 0.0,
        }

    def step(self, state: State) -> State:
        """One pass over the active rows, and an evaluation of the gap when they have settled."""
        problem = self.problem
        dual, w, active = state["dual"].copy(), state["w"].copy(), state["active"].copy()
        number, size = state["pass"], state["count"]
        shuffle(active[:size], self.seed, number)
        violation, count = kernels.dual_pass(
            problem.X, problem.target, problem.low, problem.high, problem.curvature, self.norms, problem.epsilon,
            problem.intercept_scaling, state["patience"], size, active, dual, w,
        )  # fmt: skip
        settled, whole = violation <= state["aim"], size == len(dual)
        after = state | {"dual": dual, "w": w, "active": active, "count": count, "pass": number + 1}
        after["patience"] = violation if violation > 0 else np.inf
        if settled or count == 0:
            after |= {"count": len(dual), "patience": np.inf}
        if (settled and whole) or number % PASSES_PER_CHECK == PASSES_PER_CHECK - 1:
            after |= self._evaluate(dual, state["aim"])
        return after

    def _evaluate(self, dual: Array, aim: float) -> State:
        """Weights recomputed from the dual variables, their gap, and the next aim if that is too wide."""
        problem = self.problem
        w = problem.transposed_product(dual)
        residual = problem.residuals(w)
        if problem.is_hard:
            objective, gap = problem.hard_gap(w, residual, dual, w)
        else:
            cost, gap = problem.rows.sum_losses(residual, dual)
            objective = float(w @ w / 2) + cost
        factor = 0.5 * self.tolerance / relative_gap(gap, objective) if 0 < gap < np.inf else 1.0
        return {
            "w": w,
            "objective": objective,
            "gap": gap,
            "aim": aim * float(np.clip(factor, 0.05, 0.7)),
            "lower": problem.dual_value(dual, w),
        }

    def progress(self, state: State) -> Progress:
        """The gap relative to the objective, when last evaluated."""
        return Progress(
            state["objective"] if state["objective"] < np.inf else state["lower"],
            relative_gap(state["gap"], state["objective"]),
            self.tolerance,
            {"active": float(state["count"])},
            diverged=state["lower"] > self.hopeless,
        )
