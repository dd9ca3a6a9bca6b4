"""Markov chains, classification of sequences, and the number of states."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from learnable import CategoricalHMM, DataError, GaussianHMM, HMMClassifier, MarkovChain, ParameterError, PoissonHMM
from learnable.sequence import choose_states
from tests.sequence.hmm_data import EARTHQUAKES, switching


def test_transitions_are_relative_frequencies_and_sequences_do_not_mix():
    rng = np.random.default_rng(0)
    symbols = rng.integers(0, 3, 200)
    model = MarkovChain().fit(symbols[:, None], [120, 80])
    counts = np.zeros((3, 3))
    for part in (symbols[:120], symbols[120:]):
        for a, b in pairwise(part.tolist()):
            counts[a, b] += 1
    np.testing.assert_allclose(model.transmat_, counts / counts.sum(axis=1, keepdims=True))
    by_hand = sum(np.log(model.transmat_[a, b]) for part in (symbols[:120], symbols[120:]) for a, b in pairwise(part))
    assert np.isclose(model.score(symbols[:, None], [120, 80]), by_hand)
    twice = MarkovChain().fit(symbols[:, None], [120, 80], sample_weight=[2.0, 1.0])
    copies = MarkovChain().fit(np.concatenate([symbols[:120], symbols])[:, None], [120, 120, 80])
    np.testing.assert_allclose(twice.transmat_, copies.transmat_)


def test_a_chain_of_the_second_order_is_found_where_the_first_sees_nothing():
    rng = np.random.default_rng(0)
    symbols = [0, 1]
    for _ in range(3000):
        symbols.append((symbols[-1] ^ symbols[-2]) if rng.random() < 0.9 else int(rng.integers(0, 2)))
    X = np.array(symbols)[:, None]
    first, second = MarkovChain().fit(X), MarkovChain(2).fit(X)
    assert second.score(X) > first.score(X) + 500
    assert (second.predict(X)[2:] == X[2:, 0]).mean() > 0.9
    drawn = second.sample(3000, random_state=0)
    np.testing.assert_allclose(MarkovChain(2).fit(drawn).transmat_, second.transmat_, atol=0.06)


def test_the_stationary_distribution_is_left_alone_by_a_step():
    X = np.random.default_rng(1).integers(0, 4, (500, 1))
    for order in (1, 2):
        model = MarkovChain(order, alpha=1.0).fit(X)
        found = model.get_stationary_distribution().reshape([4] * order)
        table = model.transmat_.reshape([4] * (order + 1))
        np.testing.assert_allclose((found[..., None] * table).sum(axis=0), found, atol=1e-10)
    one = MarkovChain().fit(X)
    np.testing.assert_allclose(one.forecast(2, 50), one.get_stationary_distribution(), atol=1e-8)


def test_symbols_that_cannot_be_are_refused():
    with pytest.raises(DataError, match=r"row 1 has 0\.5"):
        MarkovChain().fit([[0], [0.5]])
    with pytest.raises(DataError, match="the symbol 3, but there are 2"):
        MarkovChain().fit([[0], [1]]).score([[3]])
    with pytest.raises(DataError, match="lower it, or number the symbols"):
        MarkovChain(order=3).fit([[0], [10**6]])
    with pytest.raises(ParameterError, match="forecast needs order=1"):
        MarkovChain(2).fit([[0], [1], [0]]).forecast(0)


def two_kinds(count: int = 30, seed: int = 0) -> tuple[list[np.ndarray], np.ndarray]:
    rng, X = np.random.default_rng(seed), []
    kinds = rng.integers(0, 2, count)
    for kind in kinds:
        stay = 0.9 if kind else 0.3
        states = np.cumsum(rng.random(rng.integers(20, 40)) > stay) % 2
        X.append(rng.standard_normal((len(states), 1)) + 4.0 * states[:, None])
    return X, np.array(["quick", "slow"])[kinds]


def test_classes_that_differ_in_their_transitions_alone_are_separated():
    X, y = two_kinds()
    model = HMMClassifier(GaussianHMM(2, n_iter=100, n_init=3, random_state=0)).fit(X[:20], y[:20])
    assert model.score(X[20:], y[20:]) == 1.0
    joint = np.stack([one.score_sequences(X[20:]) for one in model.estimators_], axis=1) + np.log(model.class_prior_)
    np.testing.assert_allclose(model.predict_proba(X[20:]), np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None]))
    flat = np.concatenate(X)
    assert (model.predict(flat, [len(x) for x in X]) == model.predict(X)).all()
    with pytest.raises(ParameterError, match="must be a hidden Markov model"):
        HMMClassifier(MarkovChain()).fit(X, y)


def test_impossible_sequences_are_named():
    X, y = [[[0], [1]], [[1], [1]]], ["a", "b"]
    model = HMMClassifier(CategoricalHMM(1, n_features=3)).fit(X, y)
    with pytest.raises(DataError, match="sequence 1 has the likelihood 0 in every class"):
        model.predict_proba([[[0], [1]], [[2], [2]]])


@pytest.mark.parametrize("criterion", ["aic", "bic", "icl", "held-out"])
def test_two_states_are_chosen_where_there_are_two(criterion):
    X, _ = switching(600)
    found = choose_states(GaussianHMM(n_iter=100, random_state=0), X, [60] * 10, tried=[1, 2, 3], criterion=criterion)
    assert found.n_components == found.model.n_components == 2
    if criterion == "held-out":
        assert (found.intervals[:, 0] < found.scores).all() and (found.scores < found.intervals[:, 1]).all()


def test_three_states_of_earthquakes_have_the_least_aic():
    found = choose_states(PoissonHMM(n_iter=500, tol=1e-6, n_init=5, random_state=0), EARTHQUAKES, criterion="aic")
    assert found.n_components == 3
    with pytest.raises(DataError, match="at least two of them"):
        choose_states(PoissonHMM(), EARTHQUAKES, criterion="held-out")
    with pytest.raises(ParameterError, match="whole numbers from 1"):
        choose_states(PoissonHMM(), EARTHQUAKES, tried=[0])
