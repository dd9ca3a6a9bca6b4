"""Returns of a policy: episodes played, runs compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError, cloned, generator, seed_of
from ..core.declare.checked_functions import checked, limits
from ..engines.evolution.selection import Seed
from ..parts.confidence_intervals import mean_intervals
from ._protocol import outcome_of, state_of
from .markov_decision_process import NEAR_ONE

SOME = limits(at_least=1)


@dataclass(frozen=True)
class PolicyReturns:
    """Returns of the episodes of a policy, their mean and a confidence interval."""

    returns: Array
    confidence: float = 0.95

    @property
    def mean(self) -> float:
        """The mean return."""
        return float(self.returns.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the mean, by Student's t."""
        low, high = mean_intervals(self.returns[:, None], self.confidence)
        return float(low[0]), float(high[0])

    def __str__(self) -> str:
        low, high = self.interval
        return f"mean return {self.mean:.4g} ({100 * self.confidence:g} % interval {low:.4g} to {high:.4g})"


@checked(n_episodes=SOME, max_steps=SOME, discount=limits(at_least=0, at_most=1), confidence=limits(above=0, below=1))
def evaluate_policy(
    environment: Any,
    policy: Any,
    *,
    n_episodes: int = 100,
    discount: float = 1.0,
    max_steps: int = 1000,
    confidence: float = 0.95,
    random_state: Seed = None,
) -> PolicyReturns:
    """Policy evaluation by simulation: returns of episodes in an environment with gymnasium's protocol.

    G = r_1 + discount r_2 + discount^2 r_3 + ...

    `policy` is an action for each state, a matrix of probabilities, a function of a state, or a fitted learner.

    >>> from learnable.reinforcement import CliffWalking, ValueIteration
    >>> world = CliffWalking()
    >>> print(evaluate_policy(world, ValueIteration(discount=1.0).fit(world), n_episodes=3, random_state=0))
    mean return -13 (95 % interval -13 to -13)
    """
    if not hasattr(environment, "reset") or not hasattr(environment, "step"):
        raise ParameterError(f"evaluate_policy: environment must have reset and step; got {environment!r:.60}")
    act, seed, returns = _acting(policy, environment), seed_of(random_state), np.empty(n_episodes)
    for episode in range(n_episodes):
        rng = generator(seed, episode)
        state, total, weight = environment.reset(seed=int(rng.integers(2**31)))[0], 0.0, 1.0
        for _ in range(max_steps):
            state, reward, terminated, truncated = outcome_of("evaluate_policy", environment.step(act(state, rng)))
            total, weight = total + weight * reward, weight * discount
            if terminated or truncated:
                break
        returns[episode] = total
    return PolicyReturns(returns, confidence)


def _acting(policy: Any, environment: Any) -> Any:
    """A policy as a function of a state and a generator."""
    if hasattr(policy, "act"):
        return policy.act
    if callable(policy):
        return lambda state, rng: policy(state)
    given = _numbers(policy.policy_ if hasattr(policy, "policy_") else policy)
    states = getattr(getattr(environment, "observation_space", None), "n", len(given) if given.ndim else 0)
    if len(given.shape) in (1, 2) and len(given) == states:
        if given.ndim == 1 and given.dtype.kind in "iu":
            return lambda state, rng: int(given[state_of("evaluate_policy", state, states)])
        if given.ndim == 2 and given.dtype.kind in "iuf" and _are_probabilities(given):
            return lambda state, rng: int(
                rng.choice(given.shape[1], p=given[state_of("evaluate_policy", state, states)])
            )
    raise ParameterError(
        f"evaluate_policy: policy must be an action for each state, probabilities, or a function; got {policy!r:.60}"
    )


def _are_probabilities(rows: Array) -> bool:
    """Whether each row sums to 1 and has nothing below 0."""
    return bool((rows >= 0).all() and (np.abs(rows.sum(axis=1) - 1) <= NEAR_ONE).all())


def _numbers(policy: Any) -> Array:
    """The policy as an array; none at all of what is not one."""
    try:
        return np.asarray(policy)
    except ValueError:  # lists of different lengths
        return np.empty(0)


@checked(n_runs=SOME)
def return_curves(learner: Any, environment: Any, *, n_runs: int = 10, random_state: Seed = None) -> Array:
    """Return curves: the return of each episode in several runs of a learner, a row for each run.

    The runs differ in their seed alone; the environment is used again by each.

    >>> from learnable.reinforcement import GridWorld, QLearning
    >>> return_curves(QLearning(n_episodes=30), GridWorld(["S.G"]), n_runs=3, random_state=0).shape
    (3, 30)
    """
    if not hasattr(learner, "n_episodes") or not hasattr(learner, "fit"):
        raise ParameterError(
            f"return_curves: learner must be one of this family, such as QLearning(); got {learner!r:.60}"
        )
    seed = seed_of(random_state)
    seeds = [int(generator(seed, run).integers(2**31)) for run in range(n_runs)]
    return np.array([cloned(learner).set_params(random_state=one).fit(environment).returns_ for one in seeds])
