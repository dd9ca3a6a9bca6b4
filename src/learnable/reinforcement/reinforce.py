"""Policy gradients: REINFORCE with linear features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, declaring, generator, learned, param, seed_of
from ..engines.iterate import Progress, State
from ..engines.procedure import Procedure
from ._protocol import outcome_of, state_of

BLOCK = 20  # episodes of a step
MAX_EPISODE_STEPS = 1000


@declaring
class Reinforce(Procedure):
    """REINFORCE: a softmax policy of linear features, improved along the gradient of the expected return.

    pi(a | s) proportional to exp(theta_a . phi(s))
    theta <- theta + alpha discount^t (G_t - b(s_t)) grad log pi(a_t | s_t)

    with the return G_t from step t on and a linear baseline b learned along (`alpha_baseline`, 0: none). `features`
    is a function of a state that gives a vector; without it discrete states are one-hot encoded, and vectors taken with
    a constant. The environment has gymnasium's protocol and discrete actions. [Williams, 1992]

    >>> from learnable.reinforcement import GridWorld
    >>> model = Reinforce(n_episodes=300, alpha=0.5, discount=0.9, random_state=0).fit(GridWorld(["S..G"]))
    >>> [int(model.predict(s)) for s in range(3)]
    [2, 2, 2]
    """

    features: Any = param(None, "function of a state that gives a vector", accepts=lambda v: v is None or callable(v),
                          says="a function or None")  # fmt: skip
    n_episodes: int = param(1000, "number of episodes", at_least=1)
    alpha: float = param(0.01, "step size of the policy", above=0)
    alpha_baseline: float = param(0.1, "step size of the baseline (0: no baseline)", at_least=0)
    discount: float = param(0.99, "discount factor of future rewards", at_least=0, at_most=1)
    max_steps: int | None = param(None, "longest episode (None: that of the environment)", at_least=1)
    random_state: RandomState = param(None, "seed of the episodes")

    coef_: Array = learned("weights of the features, a row for each action", shape="actions features")
    baseline_: Array = learned("weights of the baseline", shape="features")
    returns_: Array = learned("sum of the rewards of each episode", shape="episodes")
    lengths_: Array = learned("number of steps of each episode", shape="episodes")

    title = "REINFORCE"
    reference = "Williams, Simple statistical gradient-following algorithms, 1992"

    def fit(self, environment: Any) -> Self:
        """Learn from episodes in an environment."""
        if not hasattr(getattr(environment, "action_space", None), "n"):
            raise DataError("Reinforce: the environment must have a discrete action_space, with the number `n`")
        states = getattr(environment.observation_space, "n", None)
        self._encode = self.features or (OneHot(int(states)) if states is not None else _with_constant)
        method = _PolicyGradient(self, environment, int(environment.action_space.n))
        state, trace = self._run(
            lambda: method.seeded(seed_of(self.random_state)), -(-self.n_episodes // BLOCK), type(environment).__name__
        )
        self.coef_, self.baseline_ = state["theta"], state["baseline"]
        self.returns_, self.lengths_ = state["returns"], state["lengths"]
        trace.certify(
            "episodes left", float(self.n_episodes - len(self.returns_)), 0.0,
            "all episodes were played; how near the policy is to the optimum was not tested",
        )  # fmt: skip
        self.trace_, self.certificate_ = trace, trace.certificate  # type: ignore[assignment]  # it was stated above
        return self

    def predict_proba(self, state: Any) -> Array:
        """The probability of each action in a state."""
        self._require_fit()
        return softmax(self.coef_ @ self._features_of(state, self.coef_.shape[1]))

    def _features_of(self, state: Any, size: int | None = None) -> Array:
        """The features of a state, of which each state has the same number."""
        given = self._encode(state)
        try:
            phi = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            phi = np.empty(())
        if phi.ndim != 1 or not np.isfinite(phi).all() or (size is not None and len(phi) != size):
            raise ParameterError(
                "Reinforce: features must give a vector of finite numbers, of one length for all states; got "
                f"{given!r:.40} for {state!r:.40}"
            )
        return phi

    def predict(self, state: Any) -> int:
        """The most probable action in a state."""
        return int(self.predict_proba(state).argmax())

    def act(self, state: Any, rng: np.random.Generator) -> int:
        """An action drawn from the policy."""
        return int(rng.choice(len(self.coef_), p=self.predict_proba(state)))


def softmax(scores: Array) -> Array:
    """Probabilities proportional to the exponentials of scores."""
    powers = np.exp(scores - scores.max())
    found: Array = powers / powers.sum()
    return found


@dataclass(frozen=True)
class OneHot:
    """The features of numbered states: one for each."""

    n: int

    def __call__(self, state: Any) -> Array:
        """The unit vector of a state."""
        phi = np.zeros(self.n)
        phi[state_of("Reinforce", state, self.n)] = 1.0
        return phi


def _with_constant(state: Any) -> Array:
    return np.append(np.asarray(state, dtype=np.float64).ravel(), 1.0)


@dataclass(frozen=True)
class _PolicyGradient:
    """Blocks of episodes as a method of `iterate`."""

    model: Reinforce
    environment: Any
    actions: int
    seed: int = 0

    def seeded(self, seed: int) -> _PolicyGradient:
        return _PolicyGradient(self.model, self.environment, self.actions, seed)

    def start(self) -> State:
        """Equally probable actions."""
        first = self.environment.reset(seed=0)[0]
        phi = self.model._features_of(first)
        return {
            "theta": np.zeros((self.actions, len(phi))), "baseline": np.zeros(len(phi)), "returns": np.empty(0),
            "lengths": np.empty(0, np.int64),
        }  # fmt: skip

    def step(self, state: State) -> State:
        """A block of episodes."""
        theta, baseline = state["theta"].copy(), state["baseline"].copy()
        begun = len(state["returns"])
        returns, lengths = [], []
        for episode in range(begun, min(begun + BLOCK, self.model.n_episodes)):
            phis, chosen, rewards = self._played(theta, generator(self.seed, episode))
            self._improve(theta, baseline, phis, chosen, rewards)
            returns.append(float(rewards.sum()))
            lengths.append(len(rewards))
        return {
            "theta": theta, "baseline": baseline, "returns": np.concatenate([state["returns"], returns]),
            "lengths": np.concatenate([state["lengths"], np.array(lengths, np.int64)]),
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The mean return of the block."""
        done = len(state["returns"])
        left = float(self.model.n_episodes - done)
        return Progress(float(state["returns"][-BLOCK:].mean()), left, 0.0, {"episodes": float(done)})

    def _played(self, theta: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Features, actions and rewards of an episode."""
        spec = getattr(getattr(self.environment, "spec", None), "max_episode_steps", None)
        longest = self.model.max_steps or spec or getattr(self.environment, "max_steps", None) or MAX_EPISODE_STEPS
        phis, chosen, rewards = [], [], []
        observed = self.environment.reset(seed=int(rng.integers(2**31)))[0]
        for _ in range(int(longest)):
            phi = self.model._features_of(observed, theta.shape[1])
            action = min(int(np.searchsorted(np.cumsum(softmax(theta @ phi)), rng.random(), "right")), self.actions - 1)
            observed, reward, terminated, truncated = outcome_of("Reinforce", self.environment.step(action))
            phis.append(phi)
            chosen.append(action)
            rewards.append(reward)
            if terminated or truncated:
                break
        return np.array(phis), np.array(chosen), np.array(rewards)

    def _improve(self, theta: Array, baseline: Array, phis: Array, chosen: Array, rewards: Array) -> None:
        """A gradient step for each step of the episode, by the policy at its end."""
        gains, total = np.empty(len(rewards)), 0.0
        for t in range(len(rewards) - 1, -1, -1):
            total = rewards[t] + self.model.discount * total
            gains[t] = total
        weight = self.model.discount ** np.arange(len(rewards))
        for t, (phi, action) in enumerate(zip(phis, chosen, strict=True)):
            ahead = gains[t] - (baseline @ phi if self.model.alpha_baseline else 0.0)
            if self.model.alpha_baseline:
                baseline += self.model.alpha_baseline * ahead * phi / max(float(phi @ phi), 1.0)
            gradient = -np.outer(softmax(theta @ phi), phi)
            gradient[action] += phi
            theta += self.model.alpha * weight[t] * ahead * gradient
