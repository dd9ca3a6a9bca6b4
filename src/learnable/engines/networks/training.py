"""Minibatch training: epochs of compiled steps, with patience and a validation set.

A step of the loop is an epoch, or a slice of one if the epoch is long. The state is plain data: a fit that is stopped
inside an epoch resumes with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...core.errors import DataError
from ...core.validate.features import Array, Matrix
from ..iterate import Progress, State
from .dense_plan import NO_WEIGHT
from .divergence import divergence_message
from .network_plan import NetworkPlan

SLICE = 3e9  # products of weights and rows after which a slice of an epoch ends
NORMS_SHOWN = 5  # gradient norms that an error shows


class RowOrder(Protocol):
    """The rows in the order of each epoch."""

    def order(self, epoch: int) -> Array: ...


@dataclass(frozen=True, slots=True)
class Patience:
    """Training ends when more than `epochs` in a row have gained less than `tol`.

    `score` evaluates the weights after an epoch, greater is better; without it the training loss counts. With
    `restore` the best weights are the result. Where there is a `smallest_rate`, the learning rate is cut instead, until
    it is as small as that.
    """

    epochs: float
    tol: float
    score: Callable[[Array], float] | None = None
    restore: bool = False
    smallest_rate: float | None = None

    def may_slow_down(self, rate: float) -> bool:
        """Whether the learning rate is reduced when patience runs out."""
        return self.smallest_rate is not None and rate > self.smallest_rate


@dataclass(frozen=True, slots=True)
class NetworkTrainingSet:
    """Rows in a kernel's layout, targets as its loss takes them, weights (None: all one)."""

    X: Matrix
    y: Array
    weight: Array | None


@dataclass(frozen=True, slots=True)
class Minibatches:
    """Epochs over `count` rows in batches, from the state `first`; at most `epochs` in all."""

    owner: str
    plan: NetworkPlan
    data: NetworkTrainingSet
    rows: RowOrder
    count: int
    batch_size: int
    epochs: int
    patience: Patience
    rate_of: Callable[[State], float]
    first: State
    rate_at: Callable[[int], float] | None = None  # of a step, where the schedule goes by steps

    def start(self) -> State:
        return self.first

    @property
    def slices(self) -> int:
        """How many steps of the loop an epoch has."""
        return math.ceil(self.count / self._slice_rows)

    @property
    def _slice_rows(self) -> int:
        batches = max(1, int(SLICE / (self.batch_size * self.plan.work)))
        return min(batches * self.batch_size, self.count)

    def step(self, state: State) -> State:
        order = self.rows.order(state["epoch"])
        begin = state["position"]
        rows = order[begin : begin + self._slice_rows]
        weights, slots = state["weights"].copy(), state["slots"].copy()
        batches = math.ceil(len(rows) / self.batch_size)
        objective, squared_norm = np.zeros(batches), np.zeros(batches)
        done = self.plan.train(
            self.data.X, self.data.y, NO_WEIGHT if self.data.weight is None else self.data.weight, rows,
            self.batch_size, state["steps"], self._rates(state, batches), weights, slots, objective, squared_norm,
        )  # fmt: skip
        norms = [*state["norms"], *np.sqrt(squared_norm[:done][-NORMS_SHOWN:]).tolist()][-NORMS_SHOWN:]
        if done < batches or not np.isfinite(weights).all():
            return self._diverged(state, weights, rows[done * self.batch_size :][: self.batch_size], done, norms)
        sizes = np.diff(np.append(np.arange(0, len(rows), self.batch_size), len(rows)))
        after = state | {
            "weights": weights, "slots": slots, "steps": state["steps"] + batches, "norms": norms,
            "position": begin + len(rows), "loss_sum": state["loss_sum"] + float(objective @ sizes),
        }  # fmt: skip
        after["objective"] = after["loss_sum"] / after["position"]
        return self._after_epoch(after) if after["position"] == self.count else after

    def _rates(self, state: State, batches: int) -> Array:
        """The learning rates of the next steps."""
        if self.rate_at is None:
            return np.full(batches, self.rate_of(state))
        factor = self.rate_of(state)
        return np.array([factor * self.rate_at(state["steps"] + k) for k in range(batches)])

    def _after_epoch(self, state: State) -> State:
        """The state after a whole epoch: what it gained, the best weights, the rate of the next one."""
        loss, patience = state["objective"], self.patience
        score = None if patience.score is None else patience.score(state["weights"])
        merit = -loss if score is None else score
        stalls = state["stalls"] + 1 if merit < state["best"] + patience.tol else 0
        best = merit > state["best"]
        after = state | {
            "epoch": state["epoch"] + 1, "position": 0, "loss_sum": 0.0, "stalls": stalls,
            "curve": [*state["curve"], loss], "best": max(merit, state["best"]),
            "scores": state["scores"] if score is None else [*state["scores"], score],
            "best_weights": state["weights"] if best and patience.restore else state["best_weights"],
        }  # fmt: skip
        if stalls > patience.epochs:
            slower = patience.may_slow_down(self.rate_of(after))
            after |= {"cuts": state["cuts"] + 1, "stalls": 0} if slower else {"patience": True}
        return after

    def _diverged(self, state: State, weights: Array, rows: Array, done: int, norms: list[float]) -> State:
        """The best weights so far, if they are kept; else an error that names layer, step and remedy."""
        if len(state["best_weights"]):
            return state | {"diverged": True}
        rows = rows if len(rows) else self.rows.order(state["epoch"])[: self.batch_size]
        message = divergence_message(
            self.plan, self.data.X, rows, weights, state["epoch"] + 1, state["steps"] + done + 1, self.rate_of(state),
            norms,
        )  # fmt: skip
        raise DataError(f"{self.owner}: {message}")

    def progress(self, state: State) -> Progress:
        epochs = state["epoch"] + state["position"] / self.count
        more = {
            "epochs": epochs,
            "rate": self.rate_of(state),
            "gradient": state["norms"][-1] if state["norms"] else 0.0,
        }
        if state["scores"]:
            more["validation"] = state["scores"][-1]
        return Progress(
            state["objective"], math.inf, 0.0, more, diverged=state["diverged"], patience=state["patience"],
            exhausted=epochs >= self.epochs,
        )  # fmt: skip


def initial_state(plan: NetworkPlan, weights: Array, **known: object) -> State:
    """The state before the first epoch; `known` are entries of an earlier training that it continues."""
    if "slots" in known:
        known["slots"] = np.asarray(known["slots"], weights.dtype)  # the precision may be another one than before
    return {
        "weights": weights, "slots": np.zeros((plan.optimiser.slots, plan.size), weights.dtype), "epoch": 0,
        "position": 0, "steps": 0, "loss_sum": 0.0, "objective": math.nan, "stalls": 0, "cuts": 0, "curve": [],
        "scores": [], "best": -math.inf, "best_weights": weights[:0], "norms": [], "patience": False,
        "diverged": False,
    } | known  # fmt: skip


def result_of(state: State, patience: Patience) -> Array:
    """The weights that training ends with: the best ones where these are restored."""
    best: Array = state["best_weights"]
    last: Array = state["weights"]
    return best if patience.restore and len(best) else last
