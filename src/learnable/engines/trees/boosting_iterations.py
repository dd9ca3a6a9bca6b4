"""Boosting as a method of the common loop, whatever trees it grows: stages of trees, and their certificates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import ConvergenceWarning, warn
from ...core.runtime.trace import Trace
from ...core.validate.features import Array
from ..iterate import State, iterate
from .tree import Tree


class BoostingIterations:
    """Trees whose sum is the score: a row of scores for each output, a column for each row of the data.

    The state holds the trees alone. Scores follow from them, and are kept here while stages follow one another.
    """

    def __init__(self, loss: Any, baseline: Array, trees: Sequence[Tree] = ()) -> None:
        self.loss, self.baseline, self.score = loss, baseline, np.array(baseline)
        self.initial_trees = list(trees)
        self.stages = -1  # of the scores: none before the loop starts

    @property
    def outputs(self) -> int:
        """Number of trees per stage."""
        return len(self.baseline)

    def initial_state(self, loss: float) -> State:
        """The state of the initial trees, of a known mean loss."""
        self.stages = len(self.initial_trees) // self.outputs
        return {"trees": list(self.initial_trees), "stages": self.stages, "loss": loss, "first": loss, "rise": 0.0}

    def next_state(self, state: State, trees: list[Tree], loss: float) -> State:
        """The state after one more stage: all its trees, and their mean loss."""
        self.stages += 1
        rise = max(state["rise"], loss - state["loss"])
        return {"trees": trees, "stages": self.stages, "loss": loss, "first": state["first"], "rise": rise}

    def recompute_scores(self, trees: Sequence[Tree], X: Array) -> None:
        """Scores of the rows by some trees, summed one by one as if they had just been grown."""
        self.score = np.array(self.baseline)
        for k, tree in enumerate(trees):
            self.score[k % self.outputs] += tree.predict(X)[:, 0, 0]
        self.stages = len(trees) // self.outputs


def run_stages(method: Any, limit: int, trace: Trace) -> State:
    """Run `limit` more stages."""
    if limit > 0:
        return iterate(method, limit, trace)
    state: State = method.start()
    trace.record(state["loss"])
    trace.stopped = "limit"
    return state


def certify_stages(trace: Trace, state: State, left: int, measure: str = "training loss") -> None:
    """Certify that no stage raised the mean of a measure, or else that all stages were done."""
    if not math.isfinite(state["loss"]):
        _report_divergence(trace, measure)
        return
    slack = 1e-9 * max(abs(state["first"]), abs(state["loss"]))
    now = f"the mean {measure} went from {state['first']:.4g} to {state['loss']:.4g}"
    if state["rise"] <= slack and left == 0:
        sentence = f"no stage raised the mean {measure} by more than this; {now}"
        trace.certify("rise of the loss", max(state["rise"], 0.0), slack, sentence)
        return
    rise = f", and rose by up to {state['rise']:.3g} in a stage" if state["rise"] > slack else ""
    trace.certify("stages left", float(left), 0.0, f"number of stages not done; {now}{rise}")


def _report_divergence(trace: Trace, measure: str) -> None:
    """Warn and certify that the loss overflowed."""
    trace.stopped = "diverged"
    sentence = f"the mean {measure} diverged to infinity: the steps are too large; lower learning_rate"
    warn(f"{type(trace.owner).__name__}: {sentence}", ConvergenceWarning)
    trace.certify("rise of the loss", math.inf, 0.0, sentence)
