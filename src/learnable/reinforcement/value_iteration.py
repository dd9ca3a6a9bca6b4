"""Value iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import declaring, param
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State
from ._planning import Planner, as_process
from .markov_decision_process import MarkovDecisionProcess


@declaring
class ValueIteration(Planner):
    """Value iteration: the optimal values of a Markov decision process by repeated Bellman updates.

    V(s) <- max over a of   r(s, a) + discount sum_s' P(s' | s, a) V(s')

    It stops as soon as the bounds of MacQueen enclose the optimum within `tol`, which is much earlier than the values
    settle where all states gain alike. The certificate is the Bellman bound |V - V*| <= discount / (1 - discount)
    |T V - V|. `n_evaluations` updates by the present policy between two updates make it modified policy iteration.
    After `fit`: `values_`, `q_`, `policy_`. [Bellman, 1957; MacQueen, 1966; Puterman and Shin, 1978]

    >>> from learnable.reinforcement import FrozenLake
    >>> round(float(ValueIteration(discount=0.99).fit(FrozenLake()).values_[0]), 6)
    0.542026
    """

    max_iter: int = param(100_000, "maximum number of updates of all states", at_least=1)
    n_evaluations: int = param(0, "updates by the present policy after each update", at_least=0)

    title = "value iteration"
    reference = "Bellman, Dynamic Programming, 1957"

    def fit(self, environment: Any) -> Self:
        """Solve a decision process, or an environment that has a table `P`."""
        process = as_process(environment)
        state, trace = self._run(lambda: ValueUpdates(process, self), self.max_iter, process)
        values = state["values"]
        if self.discount < 1 and process.continues:
            values = values + (state["least"] + state["most"]) / 2 * self.discount / (1 - self.discount)
        self._conclude(process, values, trace)
        return self


@dataclass(frozen=True)
class ValueUpdates:
    """Bellman updates as a method of `iterate`."""

    process: MarkovDecisionProcess
    settings: ValueIteration

    def start(self) -> State:
        """Values of 0."""
        n = self.process.n_states
        return {"values": np.zeros(n), "policy": np.zeros(n, dtype=np.int64), "least": -np.inf, "most": np.inf}

    def step(self, state: State) -> State:
        """An update of all states by the best actions, and some by the policy."""
        updated, policy = np.empty_like(state["values"]), np.empty_like(state["policy"])
        process, discount = self.process, self.settings.discount
        least, most = kernels.bellman_update(*process.ahead, process.reward, discount, state["values"], updated, policy)
        for _ in range(self.settings.n_evaluations if self._left(least, most) > self.settings.tol else 0):
            values, updated = updated, np.empty_like(updated)
            kernels.policy_update(*process.ahead, process.reward, discount, policy, values, updated)
        return {"values": updated, "policy": policy, "least": least, "most": most}

    def progress(self, state: State) -> Progress:
        """The mean value, and the bound of the error."""
        left = self._left(state["least"], state["most"])
        change = max(abs(state["least"]), abs(state["most"]))
        return Progress(float(state["values"].mean()), left, self.settings.tol, {"change": change})

    def _left(self, least: float, most: float) -> float:
        """The error that is left, if the values are shifted to the middle of their bounds where that is possible."""
        discount = self.settings.discount
        if discount == 1:
            return max(abs(least), abs(most))
        if self.process.continues:
            return (most - least) / 2 * discount / (1 - discount)
        return max(abs(least), abs(most)) * discount / (1 - discount)
