"""Reinforcement learning: value iteration of a large process, tabular Q-learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.task import AtMost, Contender, Data, Output, Quality, Task

DISCOUNT, TOL = 0.95, 1e-6


def process(states: int, actions: int, branches: int) -> Data:
    """Random sparse transitions, as rows of states and actions."""
    rng = np.random.default_rng(0)
    rows = states * actions
    after = rng.integers(0, states, (rows, branches))
    probability = rng.dirichlet(np.ones(branches), rows)
    return {
        "states": states, "actions": actions, "next": after, "probability": probability,
        "reward": rng.standard_normal((states, actions)),
    }  # fmt: skip


def by_ours(data: Data) -> Callable[[], Any]:
    from scipy.sparse import csr_array

    from learnable.reinforcement import MarkovDecisionProcess, ValueIteration

    n, k, branches = data["states"], data["actions"], data["next"].shape[1]
    parts = [
        csr_array((data["probability"][a::k].ravel(), (np.repeat(np.arange(n), branches), data["next"][a::k].ravel())),
                  shape=(n, n))
        for a in range(k)
    ]  # fmt: skip
    known = MarkovDecisionProcess(parts, data["reward"])
    return lambda: ValueIteration(discount=DISCOUNT, tol=TOL).fit(known).values_


def by_quantecon(data: Data) -> Callable[[], Any]:
    from quantecon.markov import DiscreteDP
    from scipy.sparse import csr_matrix

    n, k, branches = data["states"], data["actions"], data["next"].shape[1]
    index = np.repeat(np.arange(n * k), branches)
    Q = csr_matrix((data["probability"].ravel(), (index, data["next"].ravel())), shape=(n * k, n))
    s, a = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    known = DiscreteDP(data["reward"].ravel(), Q, DISCOUNT, s, a)

    def call() -> Any:
        return known.solve(method="value_iteration", epsilon=2 * TOL, max_iter=100_000).v

    call()  # compiled by the first call
    return call


def read_values(values: Any) -> Output:
    return {"values": np.asarray(values)}


def bellman_error(data: Data, output: Output) -> float:
    """The bound of the error by one more update."""
    values = output["values"]
    ahead = (data["probability"] * values[data["next"]]).sum(axis=1).reshape(data["states"], data["actions"])
    updated = (data["reward"] + DISCOUNT * ahead).max(axis=1)
    return float(np.abs(updated - values).max() * DISCOUNT / (1 - DISCOUNT))


def lake(episodes: int) -> Data:
    return {"episodes": episodes}


def q_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.reinforcement import FrozenLake, QLearning

    learner = QLearning(n_episodes=data["episodes"], alpha=0.1, epsilon=0.5, discount=0.99, random_state=0)
    return lambda: learner.fit(FrozenLake()).q_


def q_by_python(data: Data) -> Callable[[], Any]:
    """The loop that textbooks print, in an environment of gymnasium."""
    import gymnasium

    def call() -> Any:
        environment = gymnasium.make("FrozenLake-v1")
        rng, q = np.random.default_rng(0), np.zeros((16, 4))
        for episode in range(data["episodes"]):
            s, over = environment.reset(seed=episode)[0], False
            while not over:
                ties = np.flatnonzero(q[s] == q[s].max())
                a = int(rng.integers(4)) if rng.random() < 0.5 else int(rng.choice(ties))
                after, reward, terminated, truncated, _ = environment.step(a)
                over = terminated or truncated
                q[s, a] += 0.1 * (reward + 0.99 * (0 if terminated else q[after].max()) - q[s, a])
                s = after
        return q

    return call


def read_q(q: Any) -> Output:
    return {"q": np.asarray(q)}


def value_error(data: Data, output: Output) -> float:
    """The error of the value of the first state."""
    return float(abs(output["q"][0].max() - 0.542025931999))


TASKS = (
    Task(
        "value_iteration", __name__, "{states} states, {actions} actions, {branches} next states each", process,
        {"states": 100_000, "actions": 4, "branches": 5}, {"states": 50, "actions": 2, "branches": 2},
        (
            Contender("learnable", by_ours, read_values, kind="ours"),
            Contender("quantecon", by_quantecon, read_values, needs=("quantecon",)),
        ),
        Quality("error bound", bellman_error, AtMost(1.01 * TOL)),
    ),
    Task(
        "q_learning", __name__, "{episodes} episodes on a slippery frozen lake", lake, {"episodes": 3000},
        {"episodes": 3},
        (
            Contender("learnable", q_by_ours, read_q, kind="ours"),
            Contender("Python loop", q_by_python, read_q, needs=("gymnasium",)),
        ),
        Quality("error of the first value", value_error, AtMost(0.5)),
    ),
)  # fmt: skip
