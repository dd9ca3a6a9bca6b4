"""Learning by trial and error: the compiled loops against plain Python, values of planning, the textbook's examples."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import learnable
from learnable.plot import PolicyDisplay, ReturnDisplay
from learnable.reinforcement import (
    SARSA,
    CliffWalking,
    DoubleQLearning,
    DynaQ,
    ExpectedSARSA,
    FrozenLake,
    GridWorld,
    MarkovDecisionProcess,
    MonteCarloControl,
    MonteCarloPrediction,
    QLearning,
    RandomWalk,
    Reinforce,
    TDLambda,
    ValueIteration,
    evaluate_policy,
    return_curves,
)
from learnable.reinforcement._episodes import Learner, Learning, Tables
from learnable.reinforcement._tabular import cumulated

MASK = 2**64 - 1


def mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class SplitMix:
    """The stream of an episode, as the kernel has it."""

    def __init__(self, seed, unit):
        self.state = mixed((seed + 0x9E3779B97F4A7C15 * (unit + 1)) & MASK)

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return (mixed(self.state) >> 11) * 2.0**-53

    def below(self, count):
        return min(int(self.uniform() * count), count - 1)


class Table:
    """The outcomes of a table, drawn as the kernel draws them."""

    def __init__(self, process):
        self.process, self.cumulated, self.initial = process, cumulated(process), np.cumsum(process.initial)

    def first(self, draws):
        return min(int(np.searchsorted(self.initial, draws.uniform(), "right")), self.process.n_states - 1)

    def act(self, state, action, draws):
        known, u = self.process, draws.uniform()
        pair = state * known.n_actions + action
        k = known.start[pair]
        while k + 1 < known.start[pair + 1] and self.cumulated[k] <= u:
            k += 1
        return int(known.next[k]), float(known.outcome_reward[k]), bool(known.done[k]), False


LEARNERS = [
    QLearning(alpha=0.3), QLearning(alpha=0.9, alpha_power=0.7, epsilon_decay=0.95, epsilon_min=0.02), SARSA(alpha=0.4),
    SARSA(alpha=0.2, trace_decay=0.8), SARSA(alpha=0.2, trace_decay=0.5, traces="accumulating"),
    ExpectedSARSA(alpha=0.6), DoubleQLearning(alpha=0.5), MonteCarloControl(alpha=0.1), DynaQ(planning_steps=4),
]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("world", [FrozenLake(), CliffWalking()], ids=["lake", "cliff"])
def test_the_compiled_loop_is_the_loop_in_python(learner, world):
    model = learner.clone().set_params(n_episodes=60, max_steps=200, random_state=7).fit(world)
    process = MarkovDecisionProcess(world)
    learning = Learning(
        model.rule, model.alpha, model.alpha_power, model.discount, model._option("trace_decay", 0.0),
        model._option("traces", "replacing") == "replacing", model._option("planning_steps", 0), 200,
    )  # fmt: skip
    tables = Tables.empty(process.n_states, process.n_actions, 0.0, learning)
    played = Learner(Table(process), learning, tables)
    epsilon = model.epsilons(np.arange(60)).tolist()
    returns = [played.episode(SplitMix(7, episode), epsilon[episode]) for episode in range(60)]
    assert model.returns_.tolist() == [total for total, _ in returns]
    assert model.lengths_.tolist() == [steps for _, steps in returns]
    assert np.abs(model.q_ - tables.values).max() <= 1e-13 * (1 + np.abs(tables.values).max())
    assert (model.visits_ == tables.visits).all()


@pytest.mark.parametrize("cls", [QLearning, DoubleQLearning])
def test_the_optimum_of_a_slippery_world(cls):
    world = FrozenLake()
    exact = ValueIteration(discount=0.9).fit(world)
    model = cls(n_episodes=120_000, alpha=1.0, alpha_power=0.6, epsilon=0.6, discount=0.9, random_state=0).fit(world)
    kept = np.isin(world.desc.ravel(), ["S", "F"])
    assert np.abs(model.q_ - exact.q_)[kept].max() < 0.05


def test_sarsa_keeps_away_from_the_cliff_and_q_learning_does_not():
    """Sutton and Barto, example 6.6: the optimal path is worse while actions are random now and then."""
    settings = {"n_episodes": 600, "alpha": 0.5, "discount": 1.0, "epsilon": 0.1}
    curves = {
        cls: return_curves(cls(**settings), CliffWalking(), n_runs=20, random_state=0) for cls in (QLearning, SARSA)
    }
    assert curves[SARSA][:, -200:].mean() > curves[QLearning][:, -200:].mean() + 10
    shortest = QLearning(**settings, random_state=0).fit(CliffWalking())
    path = evaluate_policy(CliffWalking(), shortest, n_episodes=1)
    assert path.mean == -13


def test_planning_saves_steps():
    world = GridWorld(["S........", "..#......", "..#....#.", "..#....#.", ".....#.#.", ".......#G"])
    runs = [
        return_curves(learner, world, n_runs=10, random_state=1)
        for learner in (QLearning(n_episodes=1), DynaQ(n_episodes=1))
    ]
    assert runs[0].shape == (10, 1)
    lengths = {
        cls: np.mean([cls(n_episodes=25, discount=0.95, random_state=seed).fit(world).lengths_[10:].mean()
                      for seed in range(8)])
        for cls in (QLearning, DynaQ)
    }  # fmt: skip
    assert lengths[DynaQ] < lengths[QLearning] / 3


def test_traces_carry_the_reward_further_back():
    line = GridWorld(["S" + "." * 8 + "G"])
    plain = SARSA(n_episodes=1, epsilon=1.0, random_state=0).fit(line)
    traced = SARSA(n_episodes=1, epsilon=1.0, trace_decay=0.9, random_state=0).fit(line)
    assert (plain.q_ > 0).sum() == 1 and (traced.q_ > 0).sum() > 5


@pytest.mark.parametrize("decay", [0.0, 0.5, 1.0])
def test_td_lambda_finds_the_values_of_the_random_walk(decay):
    model = TDLambda(
        trace_decay=decay, alpha=0.3, alpha_power=0.7, n_episodes=60_000, discount=1.0, random_state=0
    ).fit(RandomWalk())
    assert np.abs(model.values_ - np.arange(1, 6) / 6).max() < 0.03


def test_td_has_a_lower_error_than_monte_carlo():
    """Sutton and Barto, example 6.2."""
    exact, walk = np.arange(1, 6) / 6, RandomWalk()
    errors = {}
    for cls, alpha in ((TDLambda, 0.1), (MonteCarloPrediction, 0.02)):
        runs = [cls(alpha=alpha, n_episodes=100, discount=1.0, random_state=k).fit(walk).values_ for k in range(60)]
        errors[cls] = np.sqrt(((np.array(runs) - exact) ** 2).mean(axis=1)).mean()
    assert errors[TDLambda] < errors[MonteCarloPrediction]


def test_prediction_of_a_policy():
    rng = np.random.default_rng(0)
    P, R = rng.dirichlet(np.ones(4), (4, 2)), rng.random((4, 2))
    P, R = np.concatenate([P * 0.8, np.full((4, 2, 1), 0.2)], axis=2), R
    P = np.concatenate([P, np.eye(5)[4] * np.ones((1, 2, 1))])
    process = MarkovDecisionProcess(P, np.vstack([R, [0, 0]]), terminal=[4], initial=[0.25] * 4 + [0])
    policy = np.vstack([rng.dirichlet(np.ones(2), 4), [0.5, 0.5]])
    exact = process.evaluate(policy, 0.9)
    for cls in (TDLambda, MonteCarloPrediction):
        model = cls(policy=policy, alpha=1.0, alpha_power=0.8, n_episodes=20_000, discount=0.9, random_state=0)
        assert np.abs(model.fit(process).values_ - exact)[:4].max() < 0.05


class WithoutTable:
    """A world that hides its table, as most environments do."""

    def __init__(self, world):
        self.world, self.max_steps = world, world.max_steps
        self.observation_space, self.action_space = world.observation_space, world.action_space

    def reset(self, *, seed=None):
        return self.world.reset(seed=seed)

    def step(self, action):
        return self.world.step(action)


def test_environments_without_a_table():
    hidden = WithoutTable(CliffWalking(max_steps=300))
    model = QLearning(n_episodes=300, alpha=0.5, discount=1.0, random_state=0).fit(hidden)
    assert evaluate_policy(hidden, model, n_episodes=1).mean == -13
    again = QLearning(n_episodes=300, alpha=0.5, discount=1.0, random_state=0).fit(hidden)
    assert (again.q_ == model.q_).all()
    walk = TDLambda(n_episodes=3000, alpha=0.5, alpha_power=0.6, discount=1.0, random_state=0).fit(
        WithoutTable(RandomWalk())
    )
    assert np.abs(walk.values_ - np.arange(1, 6) / 6).max() < 0.1


def test_reinforce_learns_with_features_and_a_baseline():
    class Pole:
        """A point on a line is pushed left or right; the reward is its nearness to 0."""

        observation_space = None
        action_space = CliffWalking().action_space

        def reset(self, *, seed=None):
            self.rng = np.random.default_rng(seed)
            self.x, self.t = self.rng.uniform(-1, 1), 0
            return np.array([self.x]), {}

        def step(self, action):
            self.x += (-0.3, 0.3, 0.0, 0.0)[action]
            self.t += 1
            return np.array([self.x]), -abs(self.x), False, self.t == 10, {}

    settings = {"n_episodes": 1500, "alpha": 0.05, "discount": 0.9, "features": lambda s: np.array([s[0], 1.0])}
    model = Reinforce(**settings, random_state=0).fit(Pole())
    assert model.returns_[-200:].mean() > model.returns_[:20].mean() + 2
    assert model.predict(np.array([2.0])) == 0 and model.predict(np.array([-2.0])) == 1
    assert model.predict_proba(np.array([0.1])).sum() == pytest.approx(1)


def test_the_gradient_of_reinforce_is_that_of_the_expected_return():
    world = GridWorld(["S.G"])
    rng = np.random.default_rng(0)
    theta = rng.standard_normal((4, 3)) * 0.3
    process = MarkovDecisionProcess(world)

    def value(flat):
        policy = np.exp(flat.reshape(4, 3).T)
        policy /= policy.sum(axis=1, keepdims=True)
        return process.evaluate(policy, 0.8)[0]

    from learnable.reinforcement.reinforce import OneHot, _PolicyGradient

    model = Reinforce(alpha=1.0, alpha_baseline=0.0, discount=0.8, max_steps=200)
    model._encode = OneHot(3)
    method, total = _PolicyGradient(model, world, 4), np.zeros((4, 3))
    for episode in range(6000):
        after, baseline = theta.copy(), np.zeros(3)
        played = method._played(theta, np.random.default_rng(episode))
        before = after.copy()
        # one step at a time, so that every gradient is taken at theta
        gains = np.array([sum(0.8**k * r for k, r in enumerate(played[2][t:])) for t in range(len(played[2]))])
        for t in range(len(gains)):
            single = (played[0][t : t + 1], played[1][t : t + 1], gains[t : t + 1] * 0.8**t)
            after = before.copy()
            method._improve(after, baseline, *single)
            total += after - before
    numeric = [(value(theta.ravel() + h) - value(theta.ravel() - h)) / 2e-5 for h in 1e-5 * np.eye(12)]
    assert np.abs(total / 6000 - np.array(numeric).reshape(4, 3)).max() < 0.02


def test_a_killed_run_goes_on_with_the_same_bits(tmp_path):
    whole = DynaQ(n_episodes=200, random_state=0).fit(FrozenLake())
    with learnable.watch(lambda event: event.iteration >= 2), learnable.checkpoint(tmp_path / "run", every=0):
        part = DynaQ(n_episodes=200, random_state=0).fit(FrozenLake())
    assert len(part.returns_) == 100 and not part.certificate_.holds
    with learnable.checkpoint(tmp_path / "run", every=0):
        again = DynaQ(n_episodes=200, random_state=0).fit(FrozenLake())
    assert (again.q_ == whole.q_).all() and (again.returns_ == whole.returns_).all()


def test_pictures():
    curves = return_curves(QLearning(n_episodes=80), FrozenLake(is_slippery=False), n_runs=4, random_state=0)
    display = ReturnDisplay.from_runs(curves, window=10)
    assert display.smooth.shape == (4, 71)
    assert display.smooth[0, 5] == pytest.approx(curves[0, 5:15].mean())
    assert display.line_.get_ydata() == pytest.approx(display.smooth.mean(axis=0))
    lake = FrozenLake()
    picture = PolicyDisplay.from_estimator(ValueIteration().fit(lake), lake)
    assert [text.get_text() for text in picture.ax_.texts][5] == "H" and len(picture.ax_.texts) == 16
    with pytest.raises(learnable.DataError, match="grid world"):
        PolicyDisplay.from_estimator(ValueIteration().fit(lake), RandomWalk())


def test_intervals_of_returns_cover_the_value():
    exact = MarkovDecisionProcess(RandomWalk()).evaluate(np.zeros(5, dtype=int))[2]
    inside = 0
    for seed in range(60):
        low, high = evaluate_policy(RandomWalk(), np.zeros(5, dtype=int), n_episodes=40, random_state=seed).interval
        inside += low <= exact <= high
    assert 50 <= inside <= 60


class Broken:
    """A chain of three states that goes wrong in one way."""

    def __init__(self, outcome=(1, 1.0, True, False, {}), first=0, states=3):
        space = type("Space", (), {})
        self.observation_space, self.action_space = space(), space()
        self.observation_space.n, self.action_space.n = states, 2
        self.outcome, self.begin = outcome, first

    def reset(self, seed=None):
        return self.begin, {}

    def step(self, action):
        return self.outcome


LEARNERS = [QLearning, SARSA, ExpectedSARSA, DoubleQLearning, DynaQ, MonteCarloControl, Reinforce, TDLambda]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        ((1, np.nan, True, False, {}), "rewards must be finite numbers"),
        ((1, np.inf, True, False, {}), "rewards must be finite numbers"),
        ((1, "text", True, False, {}), "rewards must be finite numbers"),
        ((1, 0.0, True, {}), "must return five values"),
        (None, "must return five values"),
        ((7, 0.0, False, False, {}), "states must be 0..2"),
    ],
)
def test_broken_environments_are_explained(learner, outcome, message):
    with pytest.raises(learnable.DataError, match=f"{learner.__name__}: .*{message}"):
        learner(n_episodes=3, random_state=0).fit(Broken(outcome))
    with pytest.raises(learnable.DataError, match=r"evaluate_policy: .*must"):
        evaluate_policy(Broken(outcome), np.zeros(3, dtype=int), n_episodes=3)


@pytest.mark.parametrize("learner", [QLearning, DoubleQLearning, MonteCarloControl, Reinforce, ValueIteration])
@pytest.mark.parametrize("state", [-1, 16, 0.5, "text", None, [0, 99]])
def test_states_that_do_not_exist_have_no_action(learner, state):
    model = learner(**({} if learner is ValueIteration else {"n_episodes": 5, "random_state": 0})).fit(FrozenLake())
    with pytest.raises(learnable.DataError, match=r"states must be 0\.\.15"):
        model.predict(state)


@pytest.mark.parametrize(
    "features", [lambda s: "text", lambda s: [1.0] * (1 + s), lambda s: [[1.0]], lambda s: [np.nan if s else 1.0]]
)
def test_features_are_vectors_of_one_length(features):
    with pytest.raises(learnable.ParameterError, match="features must give"):
        Reinforce(features=features, n_episodes=60, random_state=0).fit(FrozenLake())


def test_policies_survive_pickling():
    model = Reinforce(n_episodes=20, random_state=0).fit(FrozenLake())
    assert (pickle.loads(pickle.dumps(model)).predict_proba(4) == model.predict_proba(4)).all()


@pytest.mark.parametrize("policy", [np.ones((16, 4)), np.full((16, 4), np.nan), [0], np.full((16, 4), [2, -1, 0, 0])])
def test_policies_that_are_none_are_refused(policy):
    with pytest.raises(learnable.ParameterError, match="evaluate_policy: policy must"):
        evaluate_policy(FrozenLake(), policy)


def test_one_episode_gives_no_interval():
    assert evaluate_policy(FrozenLake(), np.zeros(16, dtype=int), n_episodes=1).interval == (-np.inf, np.inf)
