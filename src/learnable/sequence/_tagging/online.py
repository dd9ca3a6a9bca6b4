"""Online training of linear-chain models as an iterative method: an epoch is a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...core import Array, Trace, generator
from ...core.runtime.native import kernels
from ...engines.iterate import Progress, State
from .features import Features
from .objective import TrainingSet

Rule = Literal["perceptron", "passive_aggressive", "arow", "gradient"]
RULES: tuple[Rule, ...] = ("perceptron", "passive_aggressive", "arow", "gradient")


@dataclass(frozen=True)
class OnlineTraining:
    """Epochs over shuffled sentences, each followed by a step of `rule`.

    `c` bounds the steps of passive-aggressive training by `slack` 1 or 2; `gamma` and `variance` are of AROW;
    `regularisation` and `first` give the stochastic gradient steps of 1 / (regularisation (first + t)). The objective
    is the number of wrong labels per token summed over sentences; for the stochastic gradient the regularised negative
    log likelihood, as it was before each step. Converged when the former is at most `tolerance` per sentence.
    """

    data: TrainingSet
    features: Features
    rule: Rule
    averaging: bool
    tolerance: float
    seed: int
    slack: int = 0
    error_sensitive: bool = False
    c: float = 1.0
    gamma: float = 1.0
    variance: float = 1.0
    regularisation: float = 1.0
    first: float = 1.0
    period: int = 10
    min_gain: float = 0.0
    before: State | None = None

    def start(self) -> State:
        """Weights of zero, or those of the training before."""
        if self.before is not None:
            return dict(self.before)
        size = self.features.size + self.features.classes**2
        second = np.full(size, self.variance) if self.rule == "arow" else np.zeros(size)
        return {
            "weight": np.zeros(size),
            "second": second,
            "count": 0.0,
            "epoch": 0,
            "loss": 0.0,
            "values": np.zeros(0),
        }

    def step(self, state: State) -> State:
        """An epoch."""
        order = generator(self.seed, state["epoch"]).permutation(len(self.data.tokens.lengths))
        weight, second = state["weight"].copy(), state["second"].copy()
        loss, count = self._visit(order.astype(np.int64), weight, second, state["count"])
        if self.rule == "gradient":
            loss += 0.5 * self.regularisation * len(order) * float(weight @ weight)
        values = np.append(state["values"], state["loss"])[-self.period :] if state["epoch"] else state["values"]
        return {
            "weight": weight,
            "second": second,
            "count": count,
            "epoch": state["epoch"] + 1,
            "loss": loss,
            "values": values,
        }

    def progress(self, state: State) -> Progress:
        """The loss of the epoch."""
        loss, values = state["loss"], state["values"]
        if self.rule == "gradient":
            gain = values[0] - loss if len(values) == self.period else np.inf
            criterion = max(float(gain), 0.0) / max(abs(loss), 1e-300) if np.isfinite(gain) else 1e300
            return Progress(loss, criterion, self.min_gain)
        return Progress(loss, loss / max(len(self.data.tokens.lengths), 1), self.tolerance)

    def result(self, state: State) -> Array:
        """The weights, averaged over all steps if that was chosen."""
        weight: Array = state["weight"]
        if self.rule in ("perceptron", "passive_aggressive") and self.averaging and state["count"]:
            return np.asarray(weight - state["second"] / state["count"])
        return weight

    def certify(self, state: State, trace: Trace) -> None:
        """State what the end of the training proves."""
        here = self.progress(state)
        if trace.stopped == "limit":
            trace.certify("epochs left", 0.0, 0.0, "all epochs were done; online training does not measure its optimum")
        elif self.rule == "gradient":
            trace.certify("decrease", here.criterion, here.tolerance, "relative decrease of the loss over a period")
        else:
            trace.certify("errors", here.criterion, here.tolerance, "wrong labels per token in the last epoch")

    def _visit(self, order: Array, weight: Array, second: Array, count: float) -> tuple[float, float]:
        data, features = self.data, self.features
        settings = np.array([self.c, self.gamma, self.regularisation, self.first])
        return kernels.online_tagging_epoch(
            *data.tokens[:3], data.tokens.offset, data.labels, data.weight, features.offset, features.label,
            features.transitions, order, RULES.index(self.rule), self.slack, self.error_sensitive, settings, count,
            weight, None if self.rule == "gradient" else second,
        )  # fmt: skip

    def loss_of(self, sentences: Array) -> float:
        """The regularised loss of one pass over some sentences from weights of zero: to calibrate the first step."""
        state = self.start()
        weight = state["weight"]
        loss, _ = self._visit(sentences, weight, state["second"], 0.0)
        return loss + 0.5 * self.regularisation * len(sentences) * float(weight @ weight)
