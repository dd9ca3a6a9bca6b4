"""Hidden semi-Markov models: against hidden Markov models, enumeration, direct optimisation, and known durations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

import learnable
from learnable import DataError, HiddenSemiMarkovModel, MixedHMM, ParameterError
from learnable.sequence import choose_states
from learnable.sequence._hmm.durations import Durations
from tests.sequence.hmm_data import EARTHQUAKES, switching


def made(duration: str = "table", **options) -> HiddenSemiMarkovModel:
    """A model of two states with parameters set by hand."""
    model = HiddenSemiMarkovModel(2, duration=duration, max_duration=4, **options)
    model.startprob_, model.transmat_ = np.array([0.3, 0.7]), np.array([[0.0, 1.0], [1.0, 0.0]])
    model.parameters_ = np.array([[[0.0, 1.0]], [[2.0, 0.5]]])
    model.duration_parameters_ = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.0, 0.0, 0.5]])
    return model


def draw_segments(steps: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two states whose segments last 8 +- 1 and 3 steps."""
    rng, states = np.random.default_rng(seed), []
    while len(states) < steps:
        states += [0] * int(rng.integers(7, 10)) + [1] * 3
    path = np.array(states[:steps])
    return rng.standard_normal((steps, 1)) + 4.0 * path[:, None], path


@pytest.mark.parametrize("training", ["em", "viterbi"])
@pytest.mark.parametrize("duration", ["poisson", "negative_binomial", "geometric", "table"])
def test_no_iteration_lowers_the_objective_and_durations_are_found(duration, training):
    X, states = draw_segments(400)
    model = HiddenSemiMarkovModel(
        2, duration=duration, max_duration=20, n_iter=200, tol=1e-6, training=training, random_state=0
    ).fit(X)
    assert (np.diff(model.history_) > -1e-8).all() and model.converged_
    order = np.argsort(model.parameters_[:, 0, 0])
    assert (np.argsort(order)[model.predict(X)] == states).mean() > 0.97
    np.testing.assert_allclose(model.mean_durations_[order], [8.0, 3.0], atol=0.5)
    np.testing.assert_allclose(model.durationprob_.sum(axis=1), 1.0)
    if duration == "table":
        assert model.durationprob_[order[1], 2] > 0.9


def test_geometric_durations_give_the_hidden_markov_model():
    X, _ = switching(80)
    X[5, 0] = X[17] = np.nan
    stay = np.array([0.8, 0.6])
    semi = HiddenSemiMarkovModel(2, duration="geometric", max_duration=400)
    plain = MixedHMM(2)
    semi.startprob_ = plain.startprob_ = np.array([0.4, 0.6])
    semi.parameters_ = plain.parameters_ = np.array([[[0.0, 1.0], [0.2, 1.0]], [[3.0, 0.5], [2.5, 2.0]]])
    semi.transmat_, semi.duration_parameters_ = np.array([[0.0, 1.0], [1.0, 0.0]]), stay[:, None]
    plain.transmat_ = np.array([[0.8, 0.2], [0.4, 0.6]])
    lengths = [30, 50]
    np.testing.assert_allclose(semi.score_sequences(X, lengths), plain.score_sequences(X, lengths), rtol=1e-12)
    np.testing.assert_allclose(semi.predict_proba(X, lengths), plain.predict_proba(X, lengths), atol=1e-12)
    np.testing.assert_allclose(semi.filter(X, lengths), plain.filter(X, lengths), atol=1e-12)
    np.testing.assert_allclose(semi.smooth(X, lengths, lag=3), plain.smooth(X, lengths, lag=3), atol=1e-12)
    for steps in (0, 1, 7):
        ahead = semi.predict_next(X, lengths, steps=steps)
        np.testing.assert_allclose(ahead, plain.predict_next(X, lengths, steps=steps), atol=1e-12)
    assert np.array_equal(semi.predict(X, lengths), plain.predict(X, lengths))
    np.testing.assert_allclose(semi.k_best_paths(X, lengths)[1], plain.k_best_paths(X, lengths)[1], rtol=1e-12)
    np.testing.assert_allclose(semi.get_stationary_distribution(), plain.get_stationary_distribution())


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("family", ["poisson", "negative_binomial", "geometric"])
def test_durations_of_maximum_likelihood_are_those_of_a_direct_search(family, least):
    rng = np.random.default_rng(0)
    counts = np.zeros((2, 30))
    counts[:, least - 1 :] = rng.random((2, 31 - least)) * stats.nbinom.pmf(np.arange(31 - least), 2, [[0.2], [0.4]])
    durations = Durations(family, least, 30)
    found = durations.maximise(counts)
    logs = durations.log_table(found)
    assert np.isneginf(logs[:, : least - 1]).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0)
    y = np.arange(31 - least)
    for k, own in enumerate(counts[:, least - 1 :]):

        def loss(p, own=own):
            ratio, size = np.exp(p[0]), np.exp(p[-1])
            base = {
                "poisson": stats.poisson.logpmf(y, ratio),
                "geometric": y * p[0],
                "negative_binomial": stats.nbinom.logpmf(y, size, -np.expm1(-np.exp(-p[0]))) if family[0] == "n" else 0,
            }[family]
            return -own @ (base - np.logaddexp.reduce(base))

        first = [0.5, 0.5] if family == "negative_binomial" else [-0.1]
        best = optimize.minimize(loss, first, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13})
        reached = -own @ logs[k, least - 1 :]
        assert reached <= best.fun + 1e-9 * abs(best.fun)


def test_segments_at_the_end_count_as_longer_ones():
    """EM for right-censored durations converges to the maximum of the censored likelihood."""
    durations = Durations("poisson", 1, 60)
    complete, last = np.zeros((1, 60)), np.zeros((1, 60))
    complete[0, [2, 4, 5, 6]], last[0, [7, 3]] = 2.0, [3.0, 1.0]
    found = durations.initial(np.array([3.0]))
    for _ in range(200):
        found = durations.estimate(complete, last, found)

    def loss(rate: float) -> float:
        steps = np.arange(60)
        log, tail = stats.poisson.logpmf(steps, rate), stats.poisson.logsf(steps - 1, rate)
        return -float(complete[0] @ log + last[0] @ tail)

    best = optimize.minimize_scalar(loss, bounds=(0.1, 30), method="bounded", options={"xatol": 1e-9})
    assert np.isclose(found[0, 0], best.x, rtol=1e-5)


def test_known_states_are_counted_and_forbid_others():
    X, states = draw_segments(120)
    model = HiddenSemiMarkovModel(2, duration="table", max_duration=12, n_iter=50, random_state=0).fit(X, y=states)
    assert np.array_equal(model.predict(X), states)
    runs = np.diff(np.flatnonzero(np.append(np.append(True, states[1:] != states[:-1]), True)))[:-1]
    kinds = states[np.cumsum(runs) - runs]
    for k in (0, 1):
        counts = np.bincount(runs[kinds == k] - 1, minlength=12)
        np.testing.assert_allclose(model.durationprob_[k], counts / counts.sum(), atol=0.05)


def test_topologies_keep_forbidden_transitions():
    X, _ = draw_segments(150)
    for topology, forbidden in (("cyclic", [(0, 2), (1, 0)]), ("left-right", [(1, 0), (2, 1), (0, 0)])):
        model = HiddenSemiMarkovModel(3, topology=topology, max_duration=60, n_iter=300, random_state=0).fit(X)
        assert all(model.transmat_[pair] == 0 for pair in forbidden)
    assert (np.diff(model.predict(X)) >= 0).all() and model.startprob_.tolist() == [1.0, 0.0, 0.0]
    one = HiddenSemiMarkovModel(1, max_duration=5, n_iter=300, random_state=0).fit(X)
    assert one.transmat_.tolist() == [[1.0]] and (one.predict(X) == 0).all()


def test_samples_have_the_durations_of_the_model():
    model = made()
    _, states = model.sample(20_000, random_state=0)
    ends = np.flatnonzero(np.append(states[1:] != states[:-1], True))
    runs, kinds = np.diff(np.append(-1, ends))[:-1], states[ends[:-1]]
    for k in (0, 1):
        found = np.bincount(runs[kinds == k] - 1, minlength=4) / (kinds == k).sum()
        np.testing.assert_allclose(found, model.durationprob_[k], atol=0.03)
    share = np.bincount(states) / len(states)
    np.testing.assert_allclose(share, model.get_stationary_distribution(), atol=0.02)
    drawn = model.sample_paths([[0.1]] * 6, n_paths=3000, random_state=1)
    np.testing.assert_allclose(drawn.mean(axis=1), model.predict_proba([[0.1]] * 6)[:, 1], atol=0.05)


def test_weights_are_copies_and_rows_may_be_missing():
    X, _ = draw_segments(90)
    X[[3, 40]] = np.nan
    heavy, copies = (made(n_iter=200, tol=1e-4, init_params="") for _ in range(2))
    heavy.fit(X, [40, 50], sample_weight=[3.0, 1.0])
    copies.fit(np.vstack([X[:40]] * 3 + [X[40:]]), [40, 40, 40, 50])
    np.testing.assert_allclose(heavy.history_, copies.history_, rtol=1e-9)
    np.testing.assert_allclose(heavy.durationprob_, copies.durationprob_, atol=1e-8)


def test_a_model_of_durations_explains_them_better(tmp_path):
    X, _ = draw_segments(300)
    semi = HiddenSemiMarkovModel(2, max_duration=20, n_iter=100, random_state=0).fit(X)
    plain = MixedHMM(2, n_iter=100, random_state=0).fit(X)
    assert semi.bic(X) < plain.bic(X) - 50
    learnable.save(semi, tmp_path / "model")
    assert np.array_equal(learnable.load(tmp_path / "model").predict_proba(X), semi.predict_proba(X))
    counts = HiddenSemiMarkovModel(distributions="poisson", max_duration=40, n_iter=50, random_state=0)
    assert choose_states(counts, EARTHQUAKES, tried=[1, 2]).n_components == 2
    assert set(semi.duration_distribution(0)) == {"rate"}


def test_what_is_not_possible_is_refused():
    with pytest.raises(ParameterError, match=r"min_duration=5 must be at most max_duration=3"):
        HiddenSemiMarkovModel(min_duration=5, max_duration=3).fit([[0.0], [1.0]])
    model = made()
    model.duration_parameters_ = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    with pytest.raises(DataError, match="sequence 0 has the likelihood 0"):
        HiddenSemiMarkovModel(2, max_duration=2, topology="left-right", random_state=0).fit(
            [[0.0], [1.0], [2.0]], y=[1, 1, 0]
        )
    with pytest.raises(ParameterError, match="below 2"):
        model.duration_distribution(7)


def test_durations_longer_than_a_table_can_be_are_refused():
    with pytest.raises(ParameterError, match="max_duration must be at least 1 and at most"):
        HiddenSemiMarkovModel(2, max_duration=10**12).fit([[0.0], [1.0]])
