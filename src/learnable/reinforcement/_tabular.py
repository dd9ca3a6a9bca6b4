"""What learners of action values share: episodes in blocks, compiled where the environment is a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..core import Array, ParameterError, RandomState, declaring, generator, learned, param, seed_of
from ..core.declare import params
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State
from ..engines.procedure import Procedure
from ._episodes import Environment, GeneratorDraws, Learner, Learning, Tables
from ._protocol import states_of
from .markov_decision_process import MarkovDecisionProcess, table_of

BLOCK = 50  # episodes of a step
MAX_EPISODE_STEPS = 10_000  # steps of an episode that neither ends nor is cut off
LEARNED = ("q", "second", "visits", "model_next", "model_reward", "model_done", "known")


@declaring
class EpisodeLearner(Procedure):
    """Base class of what learns values from episodes."""

    n_episodes: int = param(1000, "number of episodes", at_least=1)
    alpha: float = param(0.1, "step size", above=0, at_most=1)
    alpha_power: float = param(0.0, "power of the number of visits by which the step size is divided", at_least=0)
    discount: float = param(0.99, "discount factor of future rewards", at_least=0, at_most=1)
    max_steps: int | None = param(None, "longest episode (None: that of the environment)", at_least=1)
    random_state: RandomState = param(None, "seed of the episodes")

    returns_: Array = learned("sum of the rewards of each episode", shape="episodes")
    lengths_: Array = learned("number of steps of each episode", shape="episodes")

    rule: ClassVar[int]

    def epsilons(self, episodes: Array) -> Array:
        """The probability of a random action in each of the episodes."""
        return np.zeros(len(episodes))

    def _option(self, name: str, default: Any) -> Any:
        """A parameter that some of the learners have."""
        return getattr(self, name) if name in params.parameters(type(self)) else default

    def _learn_in(self, environment: Any) -> Tables:
        """Play the episodes."""
        world = self._world(environment)
        learning = Learning(
            self.rule, float(self.alpha), float(self.alpha_power), float(self.discount),
            float(self._option("trace_decay", 0.0)), self._option("traces", "replacing") == "replacing",
            int(self._option("planning_steps", 0)), self._longest(environment),
        )  # fmt: skip
        kind = TableEpisodes if isinstance(world, MarkovDecisionProcess) else PlayedEpisodes
        known = world if kind is TableEpisodes else type(environment).__name__
        state, trace = self._run(
            lambda: kind(self, learning, world, seed_of(self.random_state) % 2**63), -(-self.n_episodes // BLOCK), known
        )
        self.returns_, self.lengths_ = state["returns"], state["lengths"]
        trace.certify(
            "episodes left", float(self.n_episodes - len(self.returns_)), 0.0,
            "all episodes were played; how near the values are to the optimum was not tested",
        )  # fmt: skip
        self.trace_, self.certificate_ = trace, trace.certificate  # type: ignore[assignment]  # it was stated above
        return Tables(**{name: state[name] for name in LEARNED}, known_count=state["known_count"])

    def _world(self, environment: Any) -> Any:
        """The decision process of a table, or the environment as the learner needs it."""
        if not isinstance(environment, MarkovDecisionProcess) and table_of(environment) is None:
            return Environment(environment, type(self).__name__)
        process = environment if isinstance(environment, MarkovDecisionProcess) else MarkovDecisionProcess(environment)
        if not process.available.all():
            raise ParameterError(
                f"{type(self).__name__}: every state must have every action; the process lacks some: solve it by "
                "ValueIteration"
            )
        return process

    def _longest(self, environment: Any) -> int:
        if self.max_steps is not None:
            return int(self.max_steps)
        limit = getattr(getattr(environment, "spec", None), "max_episode_steps", None)
        return int(limit or getattr(environment, "max_steps", None) or MAX_EPISODE_STEPS)


@declaring
class TabularLearner(EpisodeLearner):
    """Base class of what learns action values by epsilon-greedy actions."""

    epsilon: float = param(0.1, "probability of a random action", at_least=0, at_most=1)
    epsilon_decay: float = param(1.0, "factor of epsilon after each episode", above=0, at_most=1)
    epsilon_min: float = param(0.0, "least epsilon", at_least=0, at_most=1)
    initial_q: float = param(0.0, "initial action value; a high one makes the learner try everything")

    q_: Array = learned("value of each state and action", shape="states actions")
    policy_: Array = learned("greedy action of each state", shape="states")
    visits_: Array = learned("how often each action was taken in each state", shape="states actions")

    def fit(self, environment: Any) -> Self:
        """Learn from episodes in an environment, from its table if it has one."""
        tables = self._learn_in(environment)
        self.q_, self.visits_ = tables.values, tables.visits
        self.policy_ = self.q_.argmax(axis=1)
        return self

    def epsilons(self, episodes: Array) -> Array:
        """The probability of a random action in each of the episodes."""
        found: Array = np.maximum(self.epsilon * self.epsilon_decay**episodes, min(self.epsilon_min, self.epsilon))
        return found

    def predict(self, states: Any) -> Array:
        """The greedy action in each of the states."""
        self._require_fit()
        chosen: Array = self.policy_[states_of(type(self).__name__, states, len(self.policy_))]
        return chosen

    @property
    def values_(self) -> Array:
        """The greedy value of each state."""
        self._require_fit()
        best: Array = self.q_.max(axis=1)
        return best


@dataclass(frozen=True)
class Episodes(ABC):
    """Blocks of episodes as a method of `iterate`."""

    model: EpisodeLearner
    learning: Learning
    world: Any
    seed: int = 0

    def sizes(self) -> tuple[int, int]:
        """The numbers of states and actions."""
        return self.world.states, self.world.actions

    def start(self) -> State:
        """Tables of a learner that knows nothing."""
        tables = Tables.empty(*self.sizes(), float(self.model._option("initial_q", 0.0)), self.learning)
        kept = {name: getattr(tables, name) for name in LEARNED}
        return {**kept, "known_count": 0, "returns": np.empty(0), "lengths": np.empty(0, np.int64)}

    def step(self, state: State) -> State:
        """A block of episodes."""
        begun = len(state["returns"])
        episodes = np.arange(begun, min(begun + BLOCK, self.model.n_episodes))
        epsilon = self.model.epsilons(episodes)
        tables = Tables(**{name: state[name].copy() for name in LEARNED}, known_count=state["known_count"])
        returns, lengths = np.empty(len(episodes)), np.empty(len(episodes), np.int64)
        self.play(tables, begun, epsilon, returns, lengths)
        kept = {name: getattr(tables, name) for name in LEARNED}
        return {
            **kept, "known_count": tables.known_count, "returns": np.concatenate([state["returns"], returns]),
            "lengths": np.concatenate([state["lengths"], lengths]),
        }  # fmt: skip

    @abstractmethod
    def play(self, tables: Tables, first: int, epsilon: Array, returns: Array, lengths: Array) -> None:
        """Play an episode for each entry of `epsilon`, and change the tables."""

    def progress(self, state: State) -> Progress:
        """The mean return of the block."""
        done, mean = len(state["returns"]), float(state["returns"][-BLOCK:].mean())
        more = {"episodes": float(done), "mean_length": float(state["lengths"][-BLOCK:].mean())}
        return Progress(mean, float(self.model.n_episodes - done), 0.0, more)


@dataclass(frozen=True)
class TableEpisodes(Episodes):
    """Episodes in a table, compiled."""

    @property
    def process(self) -> MarkovDecisionProcess:
        """The decision process."""
        found: MarkovDecisionProcess = self.world
        return found

    def sizes(self) -> tuple[int, int]:
        """The numbers of states and actions."""
        return self.process.n_states, self.process.n_actions

    def play(self, tables: Tables, first: int, epsilon: Array, returns: Array, lengths: Array) -> None:
        """Play an episode for each entry of `epsilon`, and change the tables."""
        known, set_ = self.process, self.learning
        numbers = np.array([set_.alpha, set_.alpha_power, set_.discount, set_.trace_decay])
        tables.known_count = kernels.tabular_learning(
            known.start, known.next, cumulated(known), known.outcome_reward, known.done.astype(np.uint8),
            np.cumsum(known.initial), set_.rule, numbers, set_.replacing, set_.planning, set_.longest, self.seed, first,
            epsilon, tables.q, tables.second, tables.visits, tables.model_next, tables.model_reward, tables.model_done,
            tables.known, tables.known_count, returns, lengths,
        )  # fmt: skip


@dataclass(frozen=True)
class PlayedEpisodes(Episodes):
    """Episodes in an environment that is not a table."""

    def play(self, tables: Tables, first: int, epsilon: Array, returns: Array, lengths: Array) -> None:
        """Play an episode for each entry of `epsilon`, and change the tables."""
        learner = Learner(self.world, self.learning, tables)
        for i, share in enumerate(epsilon.tolist()):
            draws = GeneratorDraws(generator(self.seed, first + i))
            returns[i], lengths[i] = learner.episode(draws, share)


def cumulated(process: MarkovDecisionProcess) -> Array:
    """The cumulated probabilities of the outcomes of each state and action."""
    total = np.cumsum(process.probability)
    before = np.concatenate([[0.0], total])[process.start[:-1]]
    found: Array = total - np.repeat(before, np.diff(process.start))
    return found
