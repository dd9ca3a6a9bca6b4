"""Hidden Markov models of symbols, counts and binary rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bernoulli, multinomial, poisson

from learnable import BernoulliHMM, CategoricalHMM, DataError, MultinomialHMM, PoissonHMM
from tests.sequence.hmm_data import EARTHQUAKES, enumerated_likelihood


@pytest.mark.parametrize(
    ("states", "likelihood", "rates"),
    [
        (1, -391.9189, [19.3645]),
        (2, -341.8787, [15.4208, 26.0182]),
        (3, -328.5275, [13.1338, 19.7132, 29.7097]),
    ],
)
def test_earthquakes_have_the_published_poisson_models(states, likelihood, rates):
    model = PoissonHMM(states, n_iter=2000, tol=1e-9, n_init=5, random_state=0).fit(EARTHQUAKES)
    assert abs(model.score(EARTHQUAKES) - likelihood) < 1e-4
    np.testing.assert_allclose(np.sort(model.lambdas_.ravel()), rates, atol=1e-3)
    assert model.certificate_.holds


def dishonest_casino() -> CategoricalHMM:
    """A fair die, and one that shows a six half of the time."""
    model = CategoricalHMM(2)
    model.startprob_, model.transmat_ = np.array([0.5, 0.5]), np.array([[0.95, 0.05], [0.1, 0.9]])
    model.emissionprob_ = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    return model


def test_the_loaded_die_is_found_by_its_sixes():
    model, rolls = dishonest_casino(), np.array([[0], [3], [5], [5], [5], [5], [1], [2]])
    logs = np.log(model.emissionprob_[:, rolls[:, 0]].T)
    likelihood, posterior = enumerated_likelihood(model, logs)
    assert np.isclose(model.score(rolls), likelihood)
    np.testing.assert_allclose(model.predict_proba(rolls), posterior)
    assert model.predict(rolls).tolist() == [1] * 8
    assert posterior[:, 1].argmax() in (3, 4)


def test_parameters_of_the_casino_are_recovered():
    casino = dishonest_casino()
    casino.random_state = 1
    rolls, _ = casino.sample(10_000)
    model = CategoricalHMM(2, n_iter=500, tol=0.1, n_init=3, random_state=0).fit(rolls)
    assert model.score(rolls) > casino.score(rolls)  # the maximum of the likelihood is above that of the truth
    order = np.argsort(model.emissionprob_[:, 5])
    np.testing.assert_allclose(model.emissionprob_[order], casino.emissionprob_, atol=0.06)  # 3 standard errors
    np.testing.assert_allclose(model.transmat_[np.ix_(order, order)], casino.transmat_, atol=0.06)


def test_a_missing_symbol_is_integrated_out():
    model = dishonest_casino()
    rolls = np.array([[5.0], [np.nan], [5.0]])
    by_hand = [model.score([[5], [roll], [5]]) for roll in range(6)]
    assert np.isclose(model.score(rolls), np.logaddexp.reduce(by_hand))


@pytest.mark.parametrize(
    ("estimator", "attributes", "rows", "density"),
    [
        (
            PoissonHMM,
            {"lambdas_": [[1.0, 4.0], [6.0, 2.0]]},
            [[0, 3], [7, 1], [5, 2]],
            lambda row, k: poisson([[1.0, 4.0], [6.0, 2.0]][k]).logpmf(row).sum(),
        ),
        (
            BernoulliHMM,
            {"emissionprob_": [[0.2, 0.9], [0.7, 0.4]]},
            [[0, 1], [1, 0], [1, 1]],
            lambda row, k: bernoulli([[0.2, 0.9], [0.7, 0.4]][k]).logpmf(row).sum(),
        ),
        (
            MultinomialHMM,
            {"emissionprob_": [[0.2, 0.8], [0.7, 0.3]]},
            [[0, 5], [4, 1], [2, 3]],
            lambda row, k: multinomial(5, [[0.2, 0.8], [0.7, 0.3]][k]).logpmf(row),
        ),
    ],
)
def test_likelihoods_are_the_enumeration_of_all_paths(estimator, attributes, rows, density):
    model = estimator(2)
    model.startprob_, model.transmat_ = np.array([0.3, 0.7]), np.array([[0.6, 0.4], [0.1, 0.9]])
    for name, value in attributes.items():
        setattr(model, name, np.array(value))
    logs = np.array([[density(row, k) for k in range(2)] for row in rows])
    likelihood, posterior = enumerated_likelihood(model, logs)
    assert np.isclose(model.score(rows), likelihood)
    np.testing.assert_allclose(model.predict_proba(rows), posterior)


@pytest.mark.parametrize(
    ("estimator", "prior"),
    [(CategoricalHMM, "emissionprob_prior"), (BernoulliHMM, "emissionprob_prior"), (PoissonHMM, "lambdas_prior")],
)
def test_no_iteration_lowers_the_objective_with_priors_and_missing_entries(estimator, prior):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (200, 1)) * (np.arange(200) // 20 % 2)[:, None] + 0.0
    rows[rng.random(rows.shape) < 0.2] = np.nan
    changes = {prior: 2.0, "transmat_prior": 1.5, "startprob_prior": 2.0}
    changes |= {"lambdas_weight": 1.0} if estimator is PoissonHMM else {}
    model = estimator(2, n_iter=500, tol=1e-6, random_state=0, **changes).fit(rows, [80, 120])
    assert model.converged_ and (np.diff(model.history_) >= -1e-9 * abs(model.history_[-1])).all()


def test_a_state_that_is_never_left_keeps_its_transitions():
    model = CategoricalHMM(2, init_params="", n_iter=20)
    model.startprob_, model.transmat_ = np.array([1.0, 0.0]), np.eye(2)
    model.emissionprob_ = np.array([[0.5, 0.5], [0.5, 0.5]])
    model.fit([[0], [1], [1]])
    np.testing.assert_allclose(model.transmat_, np.eye(2))
    np.testing.assert_allclose(model.emissionprob_, [[1 / 3, 2 / 3], [0.5, 0.5]])


def test_zero_probabilities_stay_zero_as_in_left_right_models():
    rows = np.array([[0], [0], [1], [1], [2], [2]])
    model = CategoricalHMM(3, init_params="e", n_iter=200, random_state=0)
    model.startprob_ = np.array([1.0, 0.0, 0.0])
    model.transmat_ = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    model.fit(rows)
    assert (model.transmat_[np.tril_indices(3, -1)] == 0).all() and model.startprob_.tolist() == [1.0, 0.0, 0.0]
    assert (np.diff(model.predict(rows)) >= 0).all()


def test_one_symbol_and_one_state():
    model = CategoricalHMM(1).fit([[0], [0]])
    assert model.emissionprob_.tolist() == [[1.0]] and model.score([[0], [0]]) == 0.0


def test_what_cannot_be_emitted_is_refused_or_impossible():
    with pytest.raises(DataError, match="one column of symbols"):
        CategoricalHMM(2).fit([[0, 1], [1, 1]])
    with pytest.raises(DataError, match="whole numbers from 0"):
        CategoricalHMM(2).fit([[0.5], [1.0]])
    with pytest.raises(DataError, match="has -1 in row 1"):
        PoissonHMM(2).fit([[1], [-1]])
    with pytest.raises(DataError, match="row 1 of X add up to 4, but n_trials is 5"):
        MultinomialHMM(2, n_trials=5).fit([[2, 3], [2, 2]])
    with pytest.raises(DataError, match="some missing counts"):
        MultinomialHMM(2).fit([[2, 3], [2, np.nan]])
    model = CategoricalHMM(1, n_features=3).fit([[0], [1]])
    assert model.score([[2]]) == -np.inf
    with pytest.raises(DataError, match="sequence 0 has the likelihood 0"):
        model.predict_proba([[2]])
    with pytest.raises(DataError, match="there are 3 symbols"):
        model.predict([[3]])


def test_the_numbers_of_trials_are_remembered_for_samples():
    model = MultinomialHMM(1, random_state=0).fit([[2, 3], [1, 1], [5, 0]])
    assert set(model.sample(50)[0].sum(axis=1).tolist()) == {2, 5}
