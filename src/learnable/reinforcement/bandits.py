"""Bandits: which arm to pull while the rewards of the arms are learned."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, cloned, declaring, generator, param, seed_of
from ..core.declare import params
from ..core.declare.checked_functions import checked, limits
from ..engines.evolution.selection import Seed
from ..engines.procedure import Procedure
from ..parts.confidence_intervals import mean_intervals


@declaring
class Bandit(Procedure):
    """Base class of bandit policies: `select` an arm, `update` it with the reward."""

    n_arms: int = param(10, "number of arms", kw_only=False, at_least=1)
    random_state: RandomState = param(None, "seed of the choices")

    def begin(self) -> None:
        """Forget everything; the first `select` does it by itself."""
        params.check(self)
        self.counts_, self.means_ = np.zeros(self.n_arms, np.int64), np.zeros(self.n_arms)
        self._rng = generator(seed_of(self.random_state))
        self._prepare()

    def select(self, context: Any = None) -> int:
        """The arm to pull; contextual bandits take the features of the situation."""
        if "counts_" not in self.__dict__:
            self.begin()
        return int(self._select(context))

    def update(self, arm: int, reward: float, context: Any = None) -> None:
        """Learn the reward of an arm."""
        if "counts_" not in self.__dict__:
            self.begin()
        if not 0 <= arm < self.n_arms or not np.isfinite(reward):
            raise DataError(
                f"{type(self).__name__}: an arm is 0..{self.n_arms - 1}, a reward finite; got {arm}, {reward}"
            )
        self.counts_[arm] += 1
        self.means_[arm] += (reward - self.means_[arm]) / self.counts_[arm]
        self._learn(arm, float(reward), context)

    def _prepare(self) -> None:
        """Set up what a policy keeps besides counts and means."""

    def _learn(self, arm: int, reward: float, context: Any) -> None:
        """Learn beyond counts and means."""

    @abstractmethod
    def _select(self, context: Any) -> int: ...

    def _best(self, scores: Array) -> int:
        """The arm with the highest score; of equals one at random."""
        return int(self._rng.choice(np.flatnonzero(scores == scores.max())))


@declaring
class EpsilonGreedy(Bandit):
    """Epsilon-greedy bandit: the arm with the best mean so far, or with probability epsilon a random one.

    >>> bandit = EpsilonGreedy(2, epsilon=0.0, random_state=0)
    >>> bandit.update(0, 0.0); bandit.update(1, 1.0); bandit.select()
    1
    """

    epsilon: float = param(0.1, "probability of a random arm", at_least=0, at_most=1)
    title, reference = "epsilon-greedy bandit", "Sutton and Barto, Reinforcement Learning, 2018"

    def _select(self, context: Any) -> int:
        if self._rng.random() < self.epsilon:
            return int(self._rng.integers(self.n_arms))
        return self._best(self.means_)


@declaring
class UCB(Bandit):
    """Upper confidence bound (UCB1): the arm with the highest optimistic mean.

    argmax over arms of   mean + c sqrt(2 ln t / n)

    For rewards in [0, 1] and c = 1 the regret grows like ln t. [Auer, Cesa-Bianchi and Fischer, 2002]

    >>> bandit = UCB(3, random_state=0)
    >>> arms = []
    >>> for _ in range(3):
    ...     arms.append(bandit.select()); bandit.update(arms[-1], 0.0)
    >>> sorted(arms)
    [0, 1, 2]
    """

    c: float = param(1.0, "width of the bound", at_least=0)
    title, reference = "upper confidence bound bandit", "Auer et al., Finite-time analysis of the bandit problem, 2002"

    def _select(self, context: Any) -> int:
        if (self.counts_ == 0).any():
            return self._best(np.where(self.counts_ == 0, 1.0, 0.0))
        return self._best(self.means_ + self.c * np.sqrt(2 * np.log(self.counts_.sum()) / self.counts_))


@declaring
class ThompsonSampling(Bandit):
    """Thompson sampling: an arm with the probability that it is the best, by draws from the posterior.

    Beta(1 + successes, 1 + failures) for rewards 0 and 1; normal with variance sigma^2 / (n + 1) for real rewards.

    [Thompson, 1933]

    >>> bandit = ThompsonSampling(2, rewards="binary", random_state=0)
    >>> for _ in range(100):
    ...     bandit.update(1, 1.0); bandit.update(0, 0.0)
    >>> bandit.select()
    1
    """

    rewards: str = param(
        "binary", "kind of rewards", accepts=lambda v: v in ("binary", "normal"), says="binary or normal"
    )
    noise: float = param(1.0, "standard deviation of normal rewards", above=0)
    title, reference = (
        "Thompson sampling",
        "Thompson, On the likelihood that one unknown probability exceeds another, 1933",
    )

    def _select(self, context: Any) -> int:
        if self.rewards == "binary":
            wins = self.means_ * self.counts_
            return self._best(self._rng.beta(1 + wins, 1 + np.maximum(self.counts_ - wins, 0)))
        scale = self.noise / np.sqrt(self.counts_ + 1)
        return self._best(
            self.means_ * self.counts_ / (self.counts_ + 1) + scale * self._rng.standard_normal(self.n_arms)
        )

    def _learn(self, arm: int, reward: float, context: Any) -> None:
        if self.rewards == "binary" and reward not in (0.0, 1.0):
            raise DataError(f"ThompsonSampling: binary rewards are 0 or 1; got {reward:g}; set rewards='normal'")


@declaring
class EXP3(Bandit):
    """EXP3: exponential weights for rewards in [0, 1] that an adversary may choose.

    p = (1 - gamma) w / sum w + gamma / K;   w_arm <- w_arm exp(gamma r / (p_arm K))

    [Auer et al., 2002]

    >>> bandit = EXP3(4, random_state=0)
    >>> bandit.select() in range(4), bandit.probabilities().tolist()
    (True, [0.25, 0.25, 0.25, 0.25])
    """

    gamma: float = param(0.1, "fraction of random arms", above=0, at_most=1)
    title, reference = "EXP3", "Auer et al., The nonstochastic multiarmed bandit problem, 2002"

    def _prepare(self) -> None:
        self._weights = np.zeros(self.n_arms)

    def probabilities(self) -> Array:
        """The probability of each arm."""
        if "counts_" not in self.__dict__:
            self.begin()
        weights = np.exp(self._weights - self._weights.max())
        found: Array = (1 - self.gamma) * weights / weights.sum() + self.gamma / self.n_arms
        return found

    def _select(self, context: Any) -> int:
        return int(self._rng.choice(self.n_arms, p=self.probabilities()))

    def _learn(self, arm: int, reward: float, context: Any) -> None:
        if not 0 <= reward <= 1:
            raise DataError(f"EXP3: rewards must be between 0 and 1; got {reward:g}; scale them")
        self._weights[arm] += self.gamma * reward / (self.probabilities()[arm] * self.n_arms)


@declaring
class LinUCB(Bandit):
    """LinUCB: a contextual bandit whose arms have rewards that are linear in the context.

    argmax over arms of   theta . x + alpha sqrt(x' A^-1 x),   A = I + sum x x', theta = A^-1 sum r x

    [Li et al., 2010]

    >>> bandit = LinUCB(2, random_state=0)
    >>> for _ in range(50):
    ...     bandit.update(0, 1.0, [1.0, 0.0]); bandit.update(1, 1.0, [0.0, 1.0])
    >>> bandit.select([1.0, 0.0]), bandit.select([0.0, 1.0])
    (0, 1)
    """

    alpha: float = param(1.0, "width of the bound", at_least=0)
    title, reference = "LinUCB", "Li et al., A contextual-bandit approach to personalized news recommendation, 2010"

    def _prepare(self) -> None:
        self._inverse: Array | None = None

    def _features(self, context: Any) -> Array:
        x = np.asarray(context, dtype=np.float64) if context is not None else np.empty((0, 0))
        if x.ndim != 1 or not len(x) or not np.isfinite(x).all():
            raise DataError(f"LinUCB: a context is a vector of finite numbers; got {context!r:.40}")
        if self._inverse is None:
            self._inverse = np.tile(np.eye(len(x)), (self.n_arms, 1, 1))
            self._sums = np.zeros((self.n_arms, len(x)))
        if self._inverse.shape[1] != len(x):
            raise DataError(f"LinUCB: the context must have {self._inverse.shape[1]} features; got {len(x)}")
        return x

    def _select(self, context: Any) -> int:
        x = self._features(context)
        assert self._inverse is not None
        spread = self._inverse @ x
        theta = np.einsum("aij,aj->ai", self._inverse, self._sums)
        return self._best(theta @ x + self.alpha * np.sqrt(np.maximum(spread @ x, 0)))

    def _learn(self, arm: int, reward: float, context: Any) -> None:
        x = self._features(context)
        assert self._inverse is not None
        turned = self._inverse[arm] @ x
        self._inverse[arm] -= np.outer(turned, turned) / (1 + x @ turned)
        self._sums[arm] += reward * x


@dataclass(frozen=True)
class BanditProblem:
    """Arms with known mean rewards: normal with `noise`, or 0 and 1 if `noise` is None.

    >>> BanditProblem(np.array([0.1, 0.9]), None).best
    0.9
    """

    means: Array
    noise: float | None = 1.0

    def __post_init__(self) -> None:
        try:
            means = np.asarray(self.means, dtype=np.float64)
        except (TypeError, ValueError):
            means = np.empty(0)
        if means.ndim != 1 or not len(means) or not np.isfinite(means).all():
            raise DataError(f"BanditProblem: means must be a row of finite numbers; got {self.means!r:.60}")

    @property
    def best(self) -> float:
        """The mean of the best arm."""
        return float(np.max(self.means))

    def reward(self, arm: int, rng: np.random.Generator) -> float:
        """A reward of an arm."""
        mean = float(self.means[arm])
        return float(rng.random() < mean) if self.noise is None else mean + self.noise * float(rng.standard_normal())


@dataclass(frozen=True)
class BanditRuns:
    """Runs of a bandit policy: rewards, regrets and whether the best arm was pulled, a row for each run."""

    rewards: Array
    regrets: Array
    optimal: Array
    confidence: float = 0.95

    def regret_interval(self) -> tuple[Array, Array]:
        """Confidence intervals of the mean cumulated regret after each step."""
        return mean_intervals(np.cumsum(self.regrets, axis=1), self.confidence)


@checked(n_steps=limits(at_least=1), n_runs=limits(at_least=1), n_arms=limits(at_least=2))
def run_bandit(
    bandit: Any,
    problem: Any = None,
    *,
    n_steps: int = 1000,
    n_runs: int = 100,
    n_arms: int = 10,
    random_state: Seed = None,
) -> BanditRuns:
    """Bandit testbed: a bandit policy in many runs; without a problem each has new normal arms.

    regret of a step = mean of the best arm - mean of the arm that was pulled

    The arms are those of the ten-armed testbed: means standard normal, noise 1. [Sutton and Barto, Reinforcement
    Learning, 2018]

    >>> runs = run_bandit(EpsilonGreedy(10), n_steps=50, n_runs=4, random_state=0)
    >>> runs.rewards.shape, bool((runs.regrets >= 0).all())
    ((4, 50), True)
    """
    if not isinstance(bandit, Bandit):
        raise ParameterError(f"run_bandit: bandit must be a policy such as UCB(10); got {bandit!r:.60}")
    if problem is not None and not isinstance(problem, BanditProblem):
        raise ParameterError(f"run_bandit: problem must be a BanditProblem; got {problem!r:.60}")
    seed, shape = seed_of(random_state), (n_runs, n_steps)
    rewards, regrets, optimal = np.empty(shape), np.empty(shape), np.empty(shape, dtype=bool)
    for run in range(n_runs):
        rng = generator(seed, run)
        here = problem or BanditProblem(rng.standard_normal(n_arms))
        policy = cloned(bandit).set_params(random_state=int(rng.integers(2**31)), n_arms=len(here.means))
        policy.begin()
        for t in range(n_steps):
            arm = policy.select()
            rewards[run, t] = here.reward(arm, rng)
            policy.update(arm, rewards[run, t])
            regrets[run, t] = here.best - here.means[arm]
            optimal[run, t] = here.means[arm] == here.best
    return BanditRuns(rewards, regrets, optimal)
