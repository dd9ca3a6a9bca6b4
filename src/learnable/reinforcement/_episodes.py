"""Learning by trial and error in plain Python, for environments that are not a table.

The compiled kernel follows the same rules; on the same random numbers it gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..core import Array, DataError
from ._protocol import outcome_of, state_of

Q_LEARNING, SARSA_RULE, EXPECTED_SARSA, DOUBLE_Q, MONTE_CARLO = range(5)
FADED = 1e-12  # eligibility traces below are forgotten


class Draws(Protocol):
    """A stream of random numbers."""

    def uniform(self) -> float: ...
    def below(self, count: int) -> int: ...


class World(Protocol):
    """What a learner acts in."""

    def first(self, draws: Draws) -> int: ...
    def act(self, state: int, action: int, draws: Draws) -> tuple[int, float, bool, bool]: ...


@dataclass(frozen=True)
class Learning:
    """Rule and step sizes of a learner."""

    rule: int
    alpha: float
    alpha_power: float
    discount: float
    trace_decay: float
    replacing: bool
    planning: int
    longest: int


@dataclass
class Tables:
    """What is learned and kept from episode to episode."""

    q: Array
    second: Array
    visits: Array
    model_next: Array
    model_reward: Array
    model_done: Array
    known: Array
    known_count: int = 0

    @classmethod
    def empty(cls, states: int, actions: int, initial: float, learning: Learning) -> Tables:
        """Tables of a learner that knows nothing."""
        twice, kept = learning.rule == DOUBLE_Q, states if learning.planning else 0
        return cls(
            np.full((states, actions), initial), np.full((states if twice else 0, actions), initial),
            np.zeros((states, actions), np.int64), np.zeros((kept, actions), np.int64), np.zeros((kept, actions)),
            np.zeros((kept, actions), np.uint8), np.zeros(kept * actions, np.int64),
        )  # fmt: skip

    @property
    def values(self) -> Array:
        """The action values."""
        return (self.q + self.second) / 2 if len(self.second) else self.q


class GeneratorDraws:
    """A generator of NumPy as a stream."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def uniform(self) -> float:
        """A number between 0 and 1."""
        return float(self.rng.random())

    def below(self, count: int) -> int:
        """A whole number below `count`."""
        return min(int(self.uniform() * count), count - 1)


class Environment:
    """An environment with gymnasium's protocol, whose states are whole numbers."""

    def __init__(self, environment: Any, owner: str) -> None:
        self.environment, self.owner = environment, owner
        self.states, self.actions = (
            self._size(getattr(environment, name, None), name) for name in ("observation_space", "action_space")
        )

    def _size(self, space: Any, name: str) -> int:
        if not hasattr(space, "n"):
            raise DataError(
                f"{self.owner}: the environment must have a discrete {name}, with the number `n`; use Reinforce with "
                "`features` where states are vectors"
            )
        return int(space.n)

    def first(self, draws: Draws) -> int:
        """Begin an episode."""
        return state_of(self.owner, self.environment.reset(seed=draws.below(2**31))[0], self.states)

    def act(self, state: int, action: int, draws: Draws) -> tuple[int, float, bool, bool]:
        """The outcome of an action."""
        after, reward, terminated, truncated = outcome_of(self.owner, self.environment.step(action))
        return state_of(self.owner, after, self.states), reward, terminated, truncated


@dataclass
class Learner:
    """Plays episodes and learns from each step."""

    world: World
    set: Learning
    tables: Tables
    epsilon: float = 0.0
    trace: dict[tuple[int, int], float] = field(default_factory=dict)

    def episode(self, draws: Draws, epsilon: float) -> tuple[float, int]:
        """One episode: the sum of its rewards, and its length."""
        self.epsilon, self.trace = epsilon, {}
        path: list[tuple[tuple[int, int], float]] = []
        total, steps, over, cut = 0.0, 0, False, False
        s = self.world.first(draws)
        a = self.action(s, draws)
        while not over and not cut and steps < self.set.longest:
            after, reward, over, cut = self.world.act(s, a, draws)
            total, steps = total + reward, steps + 1
            coming = 0 if over else self.action(after, draws)
            self.tables.visits[s, a] += 1
            if self.set.rule == MONTE_CARLO:
                path.append(((s, a), reward))
            else:
                self.learn((s, a), reward, after, coming, over, draws)
            if self.set.planning:
                self.plan((s, a), reward, after, over, draws)
            s = after
            a = coming if over or self.set.rule == SARSA_RULE else self.action(s, draws)
        gain = 0.0
        for pair, reward in reversed(path):
            gain = reward + self.set.discount * gain
            self.tables.q[pair] += self.step_size(pair) * (gain - self.tables.q[pair])
        return total, steps

    def action(self, s: int, draws: Draws) -> int:
        """Greedy with probability 1 - epsilon, else any; of equal actions each is as probable."""
        actions = self.tables.q.shape[1]
        if draws.uniform() < self.epsilon:
            return draws.below(actions)
        row = self.tables.q[s] + self.tables.second[s] if len(self.tables.second) else self.tables.q[s]
        chosen, ties = 0, 1
        for a in range(1, actions):
            if row[a] > row[chosen]:
                chosen, ties = a, 1
            elif row[a] == row[chosen]:
                ties += 1
                if draws.uniform() * ties < 1:
                    chosen = a
        return chosen

    def step_size(self, pair: tuple[int, int]) -> float:
        """The step size of a state and action, which may fall with its visits."""
        power = self.set.alpha_power
        return self.set.alpha / float(self.tables.visits[pair]) ** power if power > 0 else self.set.alpha

    def learn(self, pair: tuple[int, int], reward: float, after: int, coming: int, over: bool, draws: Draws) -> None:
        """Move the value of a pair towards its target."""
        q, alpha = self.tables.q, self.step_size(pair)
        if self.set.rule == DOUBLE_Q:
            first = draws.uniform() < 0.5
            own, other = (q, self.tables.second) if first else (self.tables.second, q)
            ahead = 0.0 if over else other[after, own[after].argmax()]
            own[pair] += alpha * (reward + self.set.discount * ahead - own[pair])
            return
        ahead = 0.0 if over else self._ahead(after, coming)
        error = reward + self.set.discount * ahead - q[pair]
        if self.set.trace_decay > 0:
            self.spread(pair, alpha * error)
        else:
            q[pair] += alpha * error

    def _ahead(self, after: int, coming: int) -> float:
        row = self.tables.q[after]
        if self.set.rule == Q_LEARNING:
            return float(row.max())
        if self.set.rule == SARSA_RULE:
            return float(row[coming])
        total = 0.0
        for value in row.tolist():
            total += value
        return self.epsilon * total / len(row) + (1 - self.epsilon) * float(row.max())

    def spread(self, pair: tuple[int, int], correction: float) -> None:
        """Eligibility traces: the error also corrects the pairs that led here."""
        self.trace[pair] = 1.0 if self.set.replacing else self.trace.get(pair, 0.0) + 1.0
        decay = self.set.discount * self.set.trace_decay
        for other in list(self.trace):
            self.tables.q[other] += correction * self.trace[other]
            self.trace[other] *= decay
            if self.trace[other] <= FADED:
                del self.trace[other]

    def plan(self, pair: tuple[int, int], reward: float, after: int, over: bool, draws: Draws) -> None:
        """Learn again from remembered outcomes."""
        tables, actions = self.tables, self.tables.q.shape[1]
        if tables.visits[pair] == 1:
            tables.known[tables.known_count] = pair[0] * actions + pair[1]
            tables.known_count += 1
        tables.model_next[pair], tables.model_reward[pair], tables.model_done[pair] = after, reward, over
        for _ in range(self.set.planning):
            old = divmod(int(tables.known[draws.below(tables.known_count)]), actions)
            ahead = 0.0 if tables.model_done[old] else tables.q[tables.model_next[old]].max()
            target = tables.model_reward[old] + self.set.discount * ahead
            tables.q[old] += self.step_size(old) * (target - tables.q[old])
