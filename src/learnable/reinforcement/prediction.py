"""Values of a given policy, learned from episodes."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, declaring, learned, param
from ._episodes import MONTE_CARLO, SARSA_RULE, Draws, Environment
from ._tabular import EpisodeLearner
from .markov_decision_process import MarkovDecisionProcess


@declaring
class PredictionLearner(EpisodeLearner):
    """Base class of what learns the values of states under a policy."""

    policy: Any = param(None, "action of each state, or a row of probabilities (None: every action is as probable)")

    values_: Array = learned("value of each state", shape="states")
    visits_: Array = learned("how often each state was visited", shape="states")

    def fit(self, environment: Any) -> Self:
        """Learn from episodes in an environment, from its table if it has one."""
        tables = self._learn_in(environment)
        self.values_, self.visits_ = tables.q[:, 0], tables.visits[:, 0]
        return self

    def _world(self, environment: Any) -> Any:
        """The world in which the policy acts, so that there is one action."""
        world = super()._world(environment)
        if isinstance(world, MarkovDecisionProcess):
            return following(world, self.policy)
        return _Following(world, self.policy)


@declaring
class TDLambda(PredictionLearner):
    """TD(lambda): the values of a policy learned from differences between successive predictions.

    V <- V + alpha (r + discount V(s') - V(s)) E,   E(s) <- E(s) + 1 (accumulating) or 1, decays by discount lambda

    with lambda = `trace_decay`: 0 is TD(0), 1 comes close to Monte Carlo. [Sutton, 1988]

    >>> from learnable.reinforcement import RandomWalk
    >>> model = TDLambda(alpha=0.5, alpha_power=0.6, n_episodes=5000, discount=1.0, random_state=0).fit(RandomWalk())
    >>> bool(np.abs(model.values_ - np.arange(1, 6) / 6).max() < 0.05)
    True
    """

    trace_decay: float = param(0.0, "decay lambda of eligibility traces", at_least=0, at_most=1)
    traces: Literal["replacing", "accumulating"] = param("accumulating", "what a visit does to a trace")

    title = "TD(lambda)"
    reference = "Sutton, Learning to predict by the methods of temporal differences, 1988"
    rule = SARSA_RULE


@declaring
class MonteCarloPrediction(PredictionLearner):
    """Monte Carlo prediction: the values of a policy as means of the returns that followed, every visit.

    V(s) <- V(s) + alpha (G - V(s)),   G = r_1 + discount r_2 + ...

    `alpha=1, alpha_power=1` gives the mean of all returns. [Sutton and Barto, Reinforcement Learning, 2018]

    >>> from learnable.reinforcement import RandomWalk
    >>> model = MonteCarloPrediction(alpha=1.0, alpha_power=1.0, n_episodes=5000, discount=1.0, random_state=0)
    >>> bool(np.abs(model.fit(RandomWalk()).values_ - np.arange(1, 6) / 6).max() < 0.03)
    True
    """

    title = "Monte Carlo prediction"
    reference = "Sutton and Barto, Reinforcement Learning, 2018"
    rule = MONTE_CARLO


def following(process: MarkovDecisionProcess, policy: Any) -> MarkovDecisionProcess:
    """The decision process with one action, which is that of the policy."""
    k = process.n_actions
    uniform = process.available / process.available.sum(axis=1, keepdims=True)
    weights = process.policy_matrix(uniform if policy is None else policy)
    pairs = np.repeat(np.arange(len(process.start) - 1), np.diff(process.start))
    kept = weights.ravel()[pairs] > 0
    state = pairs[kept] // k
    table: dict[int, dict[int, list[Any]]] = {s: {0: []} for s in range(process.n_states)}
    columns = (
        state, (process.probability * weights.ravel()[pairs])[kept], process.next[kept], process.outcome_reward[kept],
        process.done[kept],
    )  # fmt: skip
    for s, probability, after, reward, done in zip(*(column.tolist() for column in columns), strict=True):
        table[s][0].append((probability, after, reward, done))
    return MarkovDecisionProcess(table, initial=process.initial)


class _Following:
    """An environment in which the policy acts."""

    def __init__(self, environment: Environment, policy: Any) -> None:
        self.environment, self.states, self.actions = environment, environment.states, 1
        n, k = environment.states, environment.actions
        weights = np.full((n, k), 1 / k) if policy is None else np.asarray(policy)
        self.cumulated = np.cumsum(np.eye(k)[weights] if weights.ndim == 1 else weights, axis=1)

    def first(self, draws: Draws) -> int:
        """Begin an episode."""
        return self.environment.first(draws)

    def act(self, state: int, action: int, draws: Draws) -> tuple[int, float, bool, bool]:
        """The outcome of the action of the policy."""
        chosen = int(np.searchsorted(self.cumulated[state], draws.uniform(), side="right"))
        return self.environment.act(state, min(chosen, self.environment.actions - 1), draws)
