"""Policy iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import declaring, param
from ..engines.iterate import Progress, State
from ._planning import Planner, as_process
from .markov_decision_process import MarkovDecisionProcess

BETTER = 1e-12  # relative gain above which an action replaces that of the policy


@declaring
class PolicyIteration(Planner):
    """Policy iteration: a policy evaluated exactly and improved greedily, until no action is better.

    solve V = r_pi + discount P_pi V;   pi(s) <- argmax over a of r(s, a) + discount sum_s' P(s' | s, a) V(s')

    Few steps, each a sparse linear system. With a discount of 1 every policy on the way must end its episodes. After
    `fit`: `values_`, `q_`, `policy_`. [Howard, 1960]

    >>> from learnable.reinforcement import FrozenLake
    >>> round(float(PolicyIteration(discount=0.99).fit(FrozenLake()).values_[0]), 6)
    0.542026
    """

    max_iter: int = param(1000, "maximum number of improvements", at_least=1)

    title = "policy iteration"
    reference = "Howard, Dynamic Programming and Markov Processes, 1960"

    def fit(self, environment: Any) -> Self:
        """Solve a decision process, or an environment that has a table `P`."""
        process = as_process(environment)
        state, trace = self._run(lambda: PolicyImprovement(process, self), self.max_iter, process)
        self._conclude(process, state["values"], trace, state["policy"])
        return self


@dataclass(frozen=True)
class PolicyImprovement:
    """Policy evaluation and improvement as a method of `iterate`."""

    process: MarkovDecisionProcess
    settings: PolicyIteration

    def start(self) -> State:
        """The first policy, greedy for immediate rewards; without a discount, for the rewards of some updates."""
        process = self.process
        q = process.q_values(np.zeros(process.n_states))
        if self.settings.discount == 1:
            for _ in range(2 * process.n_states):
                q = process.q_values(q.max(axis=1))
        return {"policy": q.argmax(axis=1), "values": np.zeros(process.n_states), "changed": process.n_states}

    def step(self, state: State) -> State:
        """The values of the policy, and the policy that is greedy for them."""
        values = self.process.evaluate(state["policy"], self.settings.discount)
        q = self.process.q_values(values, self.settings.discount)
        rows = np.arange(len(q))
        gain = q.max(axis=1) - q[rows, state["policy"]]
        changed = gain > BETTER * (1 + np.abs(values))
        policy = np.where(changed, q.argmax(axis=1), state["policy"])
        return {"policy": policy, "values": values, "changed": int(changed.sum())}

    def progress(self, state: State) -> Progress:
        """The mean value, and how many states changed their action."""
        return Progress(float(state["values"].mean()), float(state["changed"]), 0.0)
