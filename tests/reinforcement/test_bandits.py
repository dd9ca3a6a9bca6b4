"""Bandits: formulas by hand, regret on the testbed, limits that are proven."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.reinforcement import EXP3, UCB, BanditProblem, EpsilonGreedy, LinUCB, ThompsonSampling, run_bandit


def test_the_ten_armed_testbed():
    """Sutton and Barto, figure 2.2: epsilon 0.1 finds the best arm more often than greedy, which gets stuck."""
    runs = {
        eps: run_bandit(EpsilonGreedy(10, epsilon=eps), n_steps=600, n_runs=150, random_state=0) for eps in (0.0, 0.1)
    }
    late = {eps: found.optimal[:, -100:].mean() for eps, found in runs.items()}
    assert late[0.1] > 0.6 and late[0.0] < 0.5
    assert runs[0.1].rewards[:, -100:].mean() > runs[0.0].rewards[:, -100:].mean()
    low, high = runs[0.1].regret_interval()
    assert (np.diff((low + high) / 2) >= -1e-9).all()


def test_ucb_selects_by_its_formula():
    bandit = UCB(3, c=0.7, random_state=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        arm = bandit.select()
        if (bandit.counts_ > 0).all():
            scores = bandit.means_ + 0.7 * np.sqrt(2 * np.log(bandit.counts_.sum()) / bandit.counts_)
            assert arm == scores.argmax()
        bandit.update(arm, rng.random())
    assert bandit.counts_.sum() == 60


def test_the_regret_of_ucb_is_within_its_bound():
    means = np.array([0.3, 0.5, 0.7])
    found = run_bandit(UCB(3), BanditProblem(means, None), n_steps=2000, n_runs=30, random_state=0)
    losses = 0.7 - means[:2]
    bound = (8 * np.log(2000) / losses).sum() + (1 + np.pi**2 / 3) * losses.sum()
    regret = found.regrets.sum(axis=1).mean()
    assert 0 < regret < bound
    thompson = run_bandit(ThompsonSampling(3), BanditProblem(means, None), n_steps=2000, n_runs=30, random_state=0)
    assert thompson.regrets.sum(axis=1).mean() < regret  # as the literature finds


def test_thompson_selects_with_the_posterior_probability():
    bandit = ThompsonSampling(2, random_state=0)
    bandit.begin()
    bandit.counts_, bandit.means_ = np.array([4, 10]), np.array([0.5, 0.6])
    share = np.mean([bandit.select() for _ in range(4000)])
    rng = np.random.default_rng(1)
    expected = (rng.beta(7, 5, 200_000) > rng.beta(3, 3, 200_000)).mean()
    assert share == pytest.approx(expected, abs=0.03)
    normal = run_bandit(ThompsonSampling(10, rewards="normal"), n_steps=400, n_runs=40, random_state=0)
    assert normal.optimal[:, -50:].mean() > 0.6


def test_exp3_follows_its_formula_and_a_changing_adversary():
    bandit = EXP3(2, gamma=0.2, random_state=0)
    bandit.update(1, 0.5)
    weight = np.exp(0.2 * 0.5 / (0.5 * 2))
    assert bandit.probabilities() == pytest.approx(0.8 * np.array([1, weight]) / (1 + weight) + 0.1)
    regrets = []
    for seed in range(10):
        bandit, rng, got = EXP3(2, gamma=0.1, random_state=seed), np.random.default_rng(seed), 0.0
        table = (rng.random((2000, 2)) < [[0.2, 0.8]]).astype(float)
        table[:600] = table[:600, ::-1]
        for row in table:
            arm = bandit.select()
            got += row[arm]
            bandit.update(arm, row[arm])
        regrets.append(table.sum(axis=0).max() - got)
    assert np.mean(regrets) < 2.63 * np.sqrt(2 * 2000 * np.log(2))  # the bound for the best gamma


def test_linucb_is_ridge_regression_with_a_bound():
    rng = np.random.default_rng(0)
    theta, bandit, seen = rng.standard_normal((3, 4)), LinUCB(3, alpha=0.5, random_state=0), [[], [], []]
    late = []
    for t in range(800):
        x = rng.standard_normal(4)
        arm = bandit.select(x)
        if t == 200:
            models = [np.linalg.inv(np.eye(4) + np.array(X).T @ X) for X in ([e[0] for e in s] for s in seen)]
            scores = [
                A @ sum(r * z for z, r in s) @ x + 0.5 * np.sqrt(x @ A @ x) for A, s in zip(models, seen, strict=True)
            ]
            assert arm == int(np.argmax(scores))
        reward = theta[arm] @ x + 0.1 * rng.standard_normal()
        seen[arm].append((x, reward))
        bandit.update(arm, reward, x)
        late.append((theta @ x).max() - theta[arm] @ x)
    assert np.mean(late[-200:]) < 0.05 < np.mean(late[:20])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: EXP3(2).update(0, 3.0), "between 0 and 1"),
        (lambda: ThompsonSampling(2).update(0, 0.5), "binary rewards are 0 or 1"),
        (lambda: LinUCB(2).select(), "a context is a vector"),
        (lambda: UCB(2).update(5, 0.0), "an arm is 0..1"),
        (lambda: UCB(0).select(), "n_arms must be at least 1"),
    ],
)
def test_senseless_rewards_are_explained(call, message):
    with pytest.raises((learnable.DataError, learnable.ParameterError), match=message):
        call()


@pytest.mark.parametrize("means", ["ab", [[1.0, 2.0]], [np.nan, 0.5], [], None, [1j, 2.0]])
def test_means_of_arms_are_numbers(means):
    with pytest.raises(learnable.DataError, match="BanditProblem: means must be"):
        BanditProblem(means)
