"""Factorisation machines of order two, by stochastic steps or by setting each parameter in turn to its best value.

minimise    sum_i s_i loss(y_i, z_i)  +  (shrink_0 w0^2 + shrink_1 |w|^2 + shrink_2 |V|^2) / 2,    sum_i s_i = 1
z_i = w0 + x_i w + sum over j < l of (v_j . v_l) x_ij x_il
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ...iterate import Progress, State
from .epoch_order import shuffle

EMPTY = np.empty(0)
LOGISTIC_CURVATURE = 0.25  # of the majorizing parabola of the logistic loss


@dataclass(frozen=True, slots=True)
class Factors:
    """What both ways share: rows (by row for steps, by column for sweeps), targets, shares of the weight, shrinkage."""

    X: Matrix
    by_column: Matrix
    y: Array
    row_weight: Array
    logistic: bool
    penalties: Array
    initial: State
    tolerance: float

    def scores(self, state: State) -> Array:
        """z of every row."""
        out = np.empty(len(self.y))
        kernels.factor_scores(self.X, float(state["constant"][0]), state["w"], state["v"], out)
        return out

    def objective(self, state: State, scores: Array) -> float:
        """Mean loss and penalty."""
        cost = np.logaddexp(0, -self.y * scores) if self.logistic else np.square(self.y - scores) / 2
        parts = [
            float(state["constant"] @ state["constant"]),
            float(state["w"] @ state["w"]),
            float((state["v"] ** 2).sum()),
        ]
        return float(self.row_weight @ cost) + float(self.penalties @ parts) / 2

    def moved(self, state: State) -> State:
        """Copies of the parameters, which the kernels change in place."""
        return {name: state[name].copy() for name in ("constant", "w", "v")}

    def evaluated(self, state: State, after: State) -> State:
        """`after` with its objective, and the decrease of the last step relative to the first objective."""
        value = self.objective(after, self.scores(after))
        gain = (state["objective"] - value) / state["first"] if state["first"] > 0 else 0.0
        return state | after | {"objective": value, "gain": gain, "round": state["round"] + 1}

    def first(self) -> State:
        """The state before the first step."""
        value = self.objective(self.initial, self.scores(self.initial))
        return self.initial | {"objective": value, "first": value, "gain": np.inf, "round": 0, "idle": 0}


@dataclass(frozen=True, slots=True)
class FactorSweeps:
    """Alternating least squares: a sweep sets every parameter to its best value given all others and never
    increases the objective. The logistic loss is replaced by a majorizing parabola in every sweep. [Rendle, 2011]"""

    factors: Factors

    def start(self) -> State:
        return self.factors.first()

    def step(self, state: State) -> State:
        factors, after = self.factors, self.factors.moved(state)
        scores = factors.scores(state)
        row_weight = factors.row_weight
        residual = factors.y - scores
        if factors.logistic:
            residual = factors.y / (1 + np.exp(np.clip(factors.y * scores, -700, 700))) / LOGISTIC_CURVATURE
            row_weight = LOGISTIC_CURVATURE * row_weight
        kernels.factor_sweep(factors.by_column, row_weight, factors.penalties, np.ascontiguousarray(residual), **after)
        return factors.evaluated(state, after)

    def progress(self, state: State) -> Progress:
        return Progress(state["objective"], max(state["gain"], 0.0), self.factors.tolerance)


@dataclass(frozen=True, slots=True)
class FactorSteps:
    """Stochastic gradient steps, an epoch at a time; the rate halves after epochs that raise the objective.

    Ends when `patience` epochs in a row lower it by less than the tolerance times the first objective.
    """

    factors: Factors
    rate: float
    patience: int
    seed: int

    def start(self) -> State:
        return self.factors.first() | {"rate": self.rate}

    def step(self, state: State) -> State:
        factors, after = self.factors, self.factors.moved(state)
        order = np.flatnonzero(factors.row_weight)
        shuffle(order, self.seed, state["round"])
        weight = factors.row_weight * np.count_nonzero(factors.row_weight)
        total = kernels.factor_epoch(
            factors.X, factors.y, weight, order, factors.logistic, state["rate"], factors.penalties, **after
        )
        if not np.isfinite(total):
            return state | {"rate": state["rate"] / 4, "round": state["round"] + 1, "gain": np.inf}
        with np.errstate(over="ignore", invalid="ignore"):
            evaluated = factors.evaluated(state, after)
        if not evaluated["gain"] >= 0:  # too long a step: back to the state before, with shorter steps
            evaluated = state | {"rate": state["rate"] / 2, "round": state["round"] + 1, "gain": 0.0}
        idle = state["idle"] + 1 if evaluated["gain"] <= factors.tolerance else 0
        return evaluated | {"idle": idle}

    def progress(self, state: State) -> Progress:
        done = state["idle"] >= self.patience
        gain = max(state["gain"], 0.0)
        shown = gain if done else max(gain, np.nextafter(self.factors.tolerance, np.inf))
        return Progress(state["objective"], shown, self.factors.tolerance, {"rate": state["rate"]})
