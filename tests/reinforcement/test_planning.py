"""Decision processes: published values, closed forms, policies compared by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnable
from learnable.reinforcement import (
    CliffWalking,
    FrozenLake,
    GridWorld,
    LinearProgrammingPlanner,
    MarkovDecisionProcess,
    PolicyIteration,
    RandomWalk,
    ValueIteration,
)

PLANNERS = [
    ValueIteration(tol=1e-12),
    ValueIteration(tol=1e-12, n_evaluations=20),
    PolicyIteration(),
    LinearProgrammingPlanner(),
]
NAMES = ["value iteration", "modified policy iteration", "policy iteration", "linear programming"]
# Values of the first state: 14/17 is exact, the others are those of the tables of gymnasium 1.4 to 1e-13.
PUBLISHED = [
    (FrozenLake(), 0, 1.0, 14 / 17),
    (FrozenLake(), 0, 0.99, 0.542025931999),
    (FrozenLake(map_name="8x8"), 0, 1.0, 1.0),
    (FrozenLake(map_name="8x8"), 0, 0.99, 0.414640361799),
    (CliffWalking(), 36, 1.0, -13.0),
]


def random_process(seed, states=6, actions=3):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(states, 0.5), (states, actions))
    return P, rng.standard_normal((states, actions))


@pytest.mark.parametrize("planner", PLANNERS, ids=NAMES)
@pytest.mark.parametrize("world, start, discount, value", PUBLISHED)
def test_published_values(planner, world, start, discount, value):
    fitted = planner.clone().set_params(discount=discount).fit(world)
    assert fitted.values_[start] == pytest.approx(value, abs=1e-9)
    assert fitted.certificate_.holds
    exact = MarkovDecisionProcess(world).evaluate(fitted.policy_, discount)
    assert exact[start] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("planner", PLANNERS, ids=NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_policies(planner, seed):
    P, R = random_process(seed, states=5, actions=2)
    values = [
        np.linalg.solve(np.eye(5) - 0.9 * P[range(5), list(policy)], R[range(5), list(policy)])
        for policy in product(range(2), repeat=5)
    ]
    fitted = planner.clone().set_params(discount=0.9).fit(MarkovDecisionProcess(P, R))
    assert np.abs(fitted.values_ - np.max(values, axis=0)).max() < 1e-9
    assert np.abs(fitted.q_.max(axis=1) - fitted.values_).max() < 1e-9
    assert (fitted.predict([0, 3]) == fitted.policy_[[0, 3]]).all()


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_the_error_is_within_the_bellman_bound(tol):
    process = MarkovDecisionProcess(*random_process(5))
    exact = PolicyIteration(discount=0.95).fit(process).values_
    fitted = ValueIteration(discount=0.95, tol=tol).fit(process)
    error = np.abs(fitted.values_ - exact).max()
    assert error <= fitted.certificate_.value <= tol
    assert fitted.certificate_.value <= 1e3 * max(error, 1e-15)


def test_the_bounds_of_macqueen_end_the_updates_early():
    P, R = random_process(1)
    process = MarkovDecisionProcess(P, R + 100)
    fitted = ValueIteration(discount=0.99, tol=1e-8).fit(process)
    values, updates = np.zeros(6), 0
    while True:
        updated, updates = (R + 100 + 0.99 * P @ values).max(axis=1), updates + 1
        if np.abs(updated - values).max() * 99 < 1e-8:
            break
        values = updated
    assert fitted.trace_.iterations < updates / 20


def test_all_forms_of_a_process_agree():
    P, R = random_process(2)
    R3 = R[:, :, None] + np.zeros(6)
    table = {s: {a: [(P[s, a, t], t, R[s, a], False) for t in range(6)] for a in range(3)} for s in range(6)}
    forms = [
        MarkovDecisionProcess(P, R), MarkovDecisionProcess(P, R3), MarkovDecisionProcess(table),
        MarkovDecisionProcess([csr_array(P[:, a]) for a in range(3)], R),
        MarkovDecisionProcess([csr_array(P[:, a]) for a in range(3)], [csr_array(R3[:, a]) for a in range(3)]),
    ]  # fmt: skip
    values = [PolicyIteration(discount=0.9).fit(form).values_ for form in forms]
    assert all(np.allclose(values[0], other, rtol=0, atol=1e-12) for other in values)
    by_state = MarkovDecisionProcess(P, R[:, 0])
    assert by_state.reward.reshape(6, 3)[:, 2] == pytest.approx(R[:, 0])


def test_terminal_states_and_missing_actions():
    P = np.zeros((3, 2, 3))
    P[0, 0, 1] = P[0, 1, 2] = P[1, 0, 2] = P[2, 0, 2] = 1
    process = MarkovDecisionProcess(P, [[1, 0], [5, 0], [100, 0]], terminal=[2])
    fitted = ValueIteration(discount=1.0).fit(process)
    assert fitted.values_[:2].tolist() == [6, 5]
    assert process.available.tolist() == [[True, True], [True, False], [True, False]]
    with pytest.raises(learnable.DataError, match="state 1 does not have the action"):
        process.evaluate([0, 1, 0])


def test_evaluation_of_policies():
    walk = MarkovDecisionProcess(RandomWalk(5))
    assert walk.evaluate(np.zeros(5, dtype=int)) == pytest.approx(np.arange(1, 6) / 6, abs=1e-14)
    P, R = random_process(3)
    policy = np.random.default_rng(0).dirichlet(np.ones(3), 6)
    expected = np.linalg.solve(np.eye(6) - 0.8 * np.einsum("sa,sat->st", policy, P), (policy * R).sum(axis=1))
    assert MarkovDecisionProcess(P, R).evaluate(policy, 0.8) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(learnable.DataError, match="take a discount below 1"):
        MarkovDecisionProcess(P, R).evaluate(policy)


def test_occupancy_is_the_dual_solution():
    process = MarkovDecisionProcess(*random_process(4))
    fitted = LinearProgrammingPlanner(discount=0.9).fit(process)
    assert fitted.occupancy_.sum() == pytest.approx(6 / 0.1)
    assert (fitted.occupancy_ * process.reward.reshape(6, 3)).sum() == pytest.approx(fitted.values_.sum())


BROKEN = [
    (lambda: MarkovDecisionProcess([[[0.5, 0.4]]], [1.0]), "transitions must be an array"),
    (lambda: MarkovDecisionProcess([[[0.5]]], [1.0]), "action 0 must be at least 0 and sum to 1; their sum is 0.5"),
    (lambda: MarkovDecisionProcess([[[1.0]]], [1.0, 2.0]), "rewards must have the shape"),
    (lambda: MarkovDecisionProcess([[[1.0]]], [np.nan]), "finite numbers"),
    (lambda: MarkovDecisionProcess([[[0.0]]], [1.0]), "state 0 has no action"),
    (lambda: MarkovDecisionProcess({0: {0: [(1.0, 7, 0.0, False)]}}), "next states must be 0..0; got 7"),
    (lambda: MarkovDecisionProcess([[[1.0]]], [1.0], initial=[0.5]), "initial must be"),
    (lambda: MarkovDecisionProcess([[[1.0]]], [1.0], terminal=[4]), "terminal states must be"),
    (lambda: ValueIteration(discount=1.5).fit(FrozenLake()), "discount must be at least 0 and at most 1"),
    (lambda: GridWorld(["GG"]), "no free cell"),
    (lambda: GridWorld(["S", "GG"]), "rows of one length"),
    (lambda: FrozenLake().step(0), "call reset before step"),
]  # fmt: skip


@pytest.mark.parametrize("call, message", BROKEN, ids=range(len(BROKEN)))
def test_what_is_not_a_process_is_explained(call, message):
    with pytest.raises((learnable.DataError, learnable.ParameterError), match=message):
        call()


def test_worlds_follow_their_tables_and_the_protocol():
    lake = FrozenLake()
    first, _ = lake.reset(seed=3)
    counts = np.zeros(16)
    for _ in range(3000):
        lake.s = 14
        state, reward, terminated, truncated, info = lake.step(2)
        assert (reward == float(state == 15) and terminated == (state == 15) and not truncated) or lake.steps >= 100
        counts[state] += 1
    assert first == 0 and np.abs(counts[[10, 14, 15]] / 3000 - 1 / 3).max() < 0.05 and info["prob"] > 0.3
    again = [lake.reset(seed=3)[0], *[lake.step(2)[0] for _ in range(5)]]
    assert again == [lake.reset(seed=3)[0], *[lake.step(2)[0] for _ in range(5)]]
    assert lake.action_space.contains(3) and not lake.action_space.contains(4)
    assert "[S]" in GridWorld(["S#G"]).render() or GridWorld(["S#G"]).reset()
    wall = GridWorld(["S#G"])
    wall.reset()
    assert wall.step(2)[0] == 0 and "[S]" in wall.render()


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_bits_do_not_depend_on_threads(threads):
    rng = np.random.default_rng(0)
    n = 4000
    parts = [
        csr_array((np.full(2 * n, 0.5), (np.repeat(np.arange(n), 2), rng.integers(0, n, 2 * n))), shape=(n, n))
        for _ in range(2)
    ]
    process = MarkovDecisionProcess(parts, rng.standard_normal((n, 2)))
    with learnable.threads(threads):
        fitted = ValueIteration(discount=0.9, tol=1e-6).fit(process)
    with learnable.threads(1):
        alone = ValueIteration(discount=0.9, tol=1e-6).fit(process)
    assert (fitted.values_ == alone.values_).all() and fitted.certificate_.value == alone.certificate_.value


@pytest.mark.parametrize("planner", [ValueIteration, PolicyIteration, LinearProgrammingPlanner])
def test_values_beyond_floating_point_are_not_certified(planner):
    with pytest.raises(learnable.DataError, match=r"rewards are too large|not bounded"):
        planner(discount=0.9).fit(MarkovDecisionProcess([[[(1.0, 0, 1e308, False)]]]))


def test_next_states_are_whole_numbers():
    with pytest.raises(learnable.DataError, match="next states must be"):
        MarkovDecisionProcess([[[(1.0, 0.5, 1.0, False)]]])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FrozenLake(success_rate="often"), "success_rate must be a number between 0 and 1"),
        (lambda: FrozenLake(success_rate=1.5), "success_rate must be a number between 0 and 1"),
        (lambda: FrozenLake(map_name=["4x4"]), "map_name must be 4x4 or 8x8"),
        (lambda: FrozenLake(max_steps=-1), "FrozenLake: max_steps must be a whole number above 0"),
        (lambda: CliffWalking(max_steps=2.5), "CliffWalking: max_steps must be a whole number above 0"),
        (lambda: FrozenLake(desc=5), "desc"),
    ],
)
def test_worlds_refuse_senseless_arguments_by_name(make, words):
    with pytest.raises(learnable.ParameterError, match=words):
        make()
