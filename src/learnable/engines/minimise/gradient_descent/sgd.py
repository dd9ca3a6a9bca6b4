"""Stochastic gradient descent on a linear model: a step per row, a compiled pass per epoch.

Every epoch goes through the rows in an order drawn from (seed, epoch). The fit ends when the best value seen has not
fallen by `tol` for `patience` epochs in a row; the value is the mean objective along the way, or a validation error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ....parts.schedules import Adaptive
from ...iterate import Progress, State
from .epoch_order import shuffle

LOSSES = {
    "squared_error": 0, "huber": 1, "epsilon_insensitive": 2, "squared_epsilon_insensitive": 3, "hinge": 4,
    "perceptron": 4, "squared_hinge": 5, "modified_huber": 6, "log_loss": 7, "exponential": 8,
    "perceptron_zero_one": 9,
}  # fmt: skip
RATES = {"constant": 0, "adaptive": 0, "optimal": 1, "invscaling": 2, "pa1": 3, "pa2": 4}
EMPTY = np.empty(0)
DIVERGENCE_RATIO = 10.0  # times the loss of zero weights: divergence


@dataclass(frozen=True, slots=True)
class SgdSettings:
    """Settings of the steps of a fit; `average_from` is the first step that counts in the average (0: none)."""

    loss: str
    epsilon: float
    rate: str
    eta: float
    power: float
    strength: float
    l1: float
    l2: float
    intercept_step: float
    average_from: int
    intercept_cost: float = 0.0

    def for_kernel(self, stalls: int) -> dict[str, float]:
        """The settings for the kernel, with the learning rate after `stalls` periods without progress."""
        return {
            "loss": LOSSES[self.loss],
            "epsilon": self.epsilon,
            "rate": RATES[self.rate],
            "eta": self.rate_after(stalls),
            "power": self.power,
            "strength": self.strength,
            "l1": self.l1,
            "l2": self.l2,
            "intercept_step": self.intercept_step,
            "intercept_cost": self.intercept_cost,
            "average_from": self.average_from,
        }

    def rate_after(self, stalls: int) -> float:
        """The initial learning rate of the schedule."""
        return Adaptive(self.eta).rate(1, stalls)

    def may_slow_down(self, stalls: int) -> bool:
        """Whether a period without progress cuts the learning rate instead of ending the fit."""
        return self.rate == "adaptive" and not Adaptive(self.eta).finished(stalls)


def initial_state(
    settings: SgdSettings, coef: Array, intercept: float, average: Array | None = None, average_intercept: float = 0.0,
    t: float = 1.0,
) -> State:  # fmt: skip
    """The state in which a fit starts: weights, their average so far and the number `t` of the next step.

    A continued fit draws new orders: its first epoch is numbered by its steps.
    """
    p = len(coef)
    return {
        "coef": np.array(coef, dtype=np.float64),
        "average": np.zeros(p if settings.average_from else 0) if average is None else np.array(average, np.float64),
        "pulled": np.zeros(p if settings.l1 > 0 else 0),
        "numbers": np.array([intercept, average_intercept, t, 0.0, 0.0]),
        "epoch": int(t) if t > 1 else 0,
        "stalls": 0,
        "best": np.inf,
        "gains": [],
        "objective": np.nan,
        "merit": np.nan,
    }


@dataclass(frozen=True, slots=True)
class StochasticDescent:
    """The epochs of a fit on the `rows` of `X` (C-contiguous or CSR); `norms` are the squared norms of all rows.

    `reference` is the mean loss of weights that are all zero: a final loss far above it is called divergence, as the
    steps were too long. `seed` has 64 bits. `error(coef, intercept)`, if given, is monitored instead of the objective.
    """

    X: Matrix
    y: Array
    weight: Array | None
    rows: Array
    norms: Array
    settings: SgdSettings
    first: State
    reference: float
    tol: float
    patience: int
    shuffle: bool
    seed: int
    error: Callable[[Array, float], float] | None = None

    def start(self) -> State:
        return self.first

    def step(self, state: State) -> State:
        arrays = {name: state[name].copy() for name in ("coef", "average", "pulled", "numbers")}
        total = kernels.sgd_epoch(
            self.X,
            self.y,
            EMPTY if self.weight is None else self.weight,
            self._order(state["epoch"]),
            self.norms,
            self.settings.for_kernel(state["stalls"]),
            arrays["coef"],
            arrays["average"],
            arrays["pulled"],
            arrays["numbers"],
        )
        objective = total / len(self.rows)
        merit = objective if self.error is None else self.error(arrays["coef"], arrays["numbers"][0])
        gains = [*state["gains"], state["best"] - merit][-self.patience :]
        idle = largest_gain(gains, self.patience) <= self._tolerance
        slower = idle and self.settings.may_slow_down(state["stalls"])
        return {
            **arrays,
            "epoch": state["epoch"] + 1,
            "stalls": state["stalls"] + slower,
            "best": min(state["best"], merit),
            "gains": [] if slower else gains,
            "objective": objective,
            "merit": merit,
        }

    def progress(self, state: State) -> Progress:
        more = {"rate": self.settings.rate_after(state["stalls"]), "moves": float(state["numbers"][4])}
        if self.error is not None:
            more["validation"] = state["merit"]
        criterion, objective = largest_gain(state["gains"], self.patience), state["objective"]
        at_rest = criterion <= self._tolerance
        diverged = not math.isfinite(objective) or (at_rest and objective > DIVERGENCE_RATIO * self.reference)
        return Progress(objective, math.inf if diverged else criterion, self._tolerance, more, diverged=diverged)

    @property
    def _tolerance(self) -> float:
        """A gain of exactly `tol` still counts as one."""
        return math.nextafter(self.tol, -math.inf)

    def _order(self, epoch: int) -> Array:
        if not self.shuffle:
            return self.rows
        order = self.rows.copy()
        shuffle(order, self.seed, epoch)
        return order


def largest_gain(gains: list[float], patience: int) -> float:
    """The largest of the last gains over the best value before; infinite until there are `patience` of them."""
    return max(gains) if len(gains) >= patience and not math.isnan(sum(gains)) else math.inf


def row_norms(X: Matrix) -> Array:
    """The squared norm of every row of `X` (C-contiguous or CSR)."""
    norms = np.empty(X.shape[0])
    kernels.squared_row_norms(X, norms)
    return norms
