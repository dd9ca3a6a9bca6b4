"""Bellman updates and differential trials against NumPy, the same bits on any number of threads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from learnable import threads
from learnable.core.runtime.native import kernels


def rows(seed, states, actions, branches=3):
    rng = np.random.default_rng(seed)
    count = rng.integers(0, branches + 1, states * actions)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    after = rng.integers(0, states, start[-1])
    reward = rng.standard_normal(states * actions)
    reward[rng.random(len(reward)) < 0.2] = -np.inf
    reward[::actions] = rng.standard_normal(states)
    return start, after, rng.random(start[-1]), reward, rng.standard_normal(states)


def action_values(start, after, probability, reward, value, discount):
    ahead = [probability[a:b] @ value[after[a:b]] for a, b in pairwise(start.tolist())]
    return (reward + discount * np.array(ahead)).reshape(len(value), -1)


@pytest.mark.parametrize("states, actions", [(1, 1), (7, 3), (3000, 2)])
def test_updates(states, actions):
    start, after, probability, reward, value = rows(states, states, actions)
    q = action_values(start, after, probability, reward, value, 0.9)
    updated, policy = np.empty(states), np.empty(states, dtype=np.int64)
    least, most = kernels.bellman_update(start, after, probability, reward, 0.9, value, updated, policy)
    assert np.allclose(updated, q.max(axis=1), rtol=1e-14) and (policy == q.argmax(axis=1)).all()
    assert (least, most) == ((updated - value).min(), (updated - value).max())
    followed = np.empty(states)
    kernels.policy_update(start, after, probability, reward, 0.9, policy, value, followed)
    assert (followed == updated).all()
    for count in (1, 2, 3, 8):
        with threads(count):
            again, chosen = np.empty(states), np.empty(states, dtype=np.int64)
            found = kernels.bellman_update(start, after, probability, reward, 0.9, value, again, chosen)
        assert (again == updated).all() and (chosen == policy).all() and found == (least, most)


def test_rows_out_of_range_are_refused():
    start, after, *_ = rows(0, 5, 2)
    kernels.check_transitions(start, after, 10, 5)
    for wrong in ((start, after + 5, 10, 5), (start[:-1].copy(), after, 10, 5), (start[::-1].copy(), after, 10, 5)):
        with pytest.raises(ValueError, match=r"start|next"):
            kernels.check_transitions(*wrong)


def test_trials_of_differential_evolution():
    rng = np.random.default_rng(0)
    n, d = 6, 4
    population, inside = rng.random((n, d)), rng.random((n, d))
    members, factors = rng.integers(0, n, (n, 3)), np.array([1.0, 0.8, -0.8])
    crossed = rng.integers(0, 2, (n, d)).astype(np.uint8)
    low, width, trial, point = rng.random(d), rng.random(d), np.empty(d), np.empty(d)
    trials = kernels.DifferentialTrials(population, members, factors, crossed, inside, low, width, trial, point)
    for i in range(n):
        trials.make(i)
        mutant = np.tensordot(factors, population[members[i]], 1)
        mutant = np.where((mutant >= 0) & (mutant <= 1), mutant, inside[i])
        expected = np.where(crossed[i], mutant, population[i])
        assert np.allclose(trial, expected, rtol=1e-15) and np.allclose(point, low + expected * width, rtol=1e-15)
    members[2, 1] = n
    with pytest.raises(ValueError, match="not an individual"):
        trials.make(2)
    with pytest.raises(ValueError, match="no such individual"):
        trials.make(n)
