"""Gaussian hidden Markov models against hmmlearn's results, enumeration, and laws of EM."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy.stats import multivariate_normal

import learnable
from learnable import GMMHMM, ConvergenceWarning, DataError, GaussianHMM
from learnable.core import ParameterError
from tests.sequence.hmm_data import enumerated_likelihood, switching

KINDS = ("spherical", "diag", "full", "tied")
X = np.array(
    [[0.1, 1.0], [0.4, 0.8], [-0.3, 1.4], [2.2, 0.1], [2.9, -0.4], [2.4, 0.3], [0.2, 1.1], [2.6, 0.0], [0.3, 0.7],
     [2.1, 0.2]]
)  # fmt: skip
LENGTHS = [6, 4]
COVARIANCES = {
    "spherical": np.array([0.5, 0.7]),
    "diag": np.array([[0.5, 0.4], [0.7, 0.3]]),
    "full": np.array([[[0.5, 0.1], [0.1, 0.4]], [[0.7, -0.1], [-0.1, 0.3]]]),
    "tied": np.array([[0.5, 0.1], [0.1, 0.4]]),
}
# hmmlearn 0.3.3: score, Viterbi score, last log likelihood, means, covariances, transitions and start after four steps
HMMLEARN = {
    "spherical": (
        -21.727131184350238, -22.42230460504984, [[0.1603773376, 0.9716981355], [2.3301884721, 0.0660378088]],
        [0.0553410749, 0.1422352984], [[0.4074073264, 0.5925926736], [0.3529411502, 0.6470588498]], 0.8333333332,
    ),
    "diag": (
        -19.517199378214208, -20.106915361510595, [[0.160377021, 0.9716985934], [2.3301847028, 0.0660390563]],
        [[0.0521045336, 0.0585776457], [0.228801473, 0.0556755194]],
        [[0.407407026, 0.592592974], [0.3529388522, 0.6470611478]], 0.833333333,
    ),
    "full": (
        -19.15089400168843, -19.841357567729165, [[0.1602713719, 0.9718232549], [2.3290549861, 0.0664301181]],
        [[[0.0615912782, -0.0565447685], [-0.0565447685, 0.0692376367]],
         [[0.2724142254, -0.0971625922], [-0.0971625922, 0.0660231856]]],
        [[0.4070972127, 0.5929027873], [0.3526024144, 0.6473975856]], 0.8333208154,
    ),
    "tied": (
        -20.195411539403658, -20.377759193434976, [[0.1603818442, 0.971696804], [2.3301792335, 0.0660411153]],
        [[0.1729532636, -0.0811018884], [-0.0811018884, 0.0697775252]],
        [[0.4074042253, 0.5925957747], [0.352943247, 0.647056753]], 0.8333331037,
    ),
}  # fmt: skip


def given(kind: str, **changes) -> GaussianHMM:
    """A model with parameters that were set by hand."""
    model = GaussianHMM(2, kind, init_params="", **changes)
    model.startprob_, model.transmat_ = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.2, 0.8]])
    model.means_, model.covars_ = np.array([[0.0, 1.0], [2.0, 0.0]]), COVARIANCES[kind]
    return model


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
def test_scores_and_em_steps_are_those_of_hmmlearn(kind):
    priors = {"means_prior": 0.5, "means_weight": 0.3, "covars_weight": 2.5}
    model = given(kind, n_iter=4, tol=0, startprob_prior=1.5, transmat_prior=1.2, **priors)
    score, viterbi, means, covariances, transitions, start = HMMLEARN[kind]
    assert np.isclose(model.score(X, LENGTHS), score, rtol=1e-12)
    assert np.isclose(model.decode(X, LENGTHS)[0], viterbi, rtol=1e-12)
    model.fit(X, LENGTHS)
    for ours, theirs in (
        (model.means_, means),
        (model.covariances_, covariances),
        (model.transmat_, transitions),
        (model.startprob_[0], start),
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_likelihood_and_posteriors_are_the_enumeration_of_all_paths(kind):
    model = given(kind)
    logs = np.stack(
        [multivariate_normal(m, S).logpdf(X[:6]) for m, S in zip(model.means_, model.covars_, strict=True)], axis=1
    )
    likelihood, posterior = enumerated_likelihood(model, logs)
    found = model.score_samples(X[:6])
    assert np.isclose(found[0], likelihood, rtol=1e-12)
    np.testing.assert_allclose(found[1], posterior, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_entries_are_integrated_out(kind):
    model, rows = given(kind), X[:6].copy()
    rows[1, 0] = rows[2, 1] = np.nan
    rows[4] = np.nan
    logs = np.zeros((6, 2))
    for k in range(2):
        for t, row in enumerate(rows):
            seen = ~np.isnan(row)
            if seen.any():
                covariance = model.covars_[k][np.ix_(seen, seen)]
                logs[t, k] = multivariate_normal(model.means_[k][seen], covariance).logpdf(row[seen])
    likelihood, posterior = enumerated_likelihood(model, logs)
    found = model.score_samples(rows)
    assert np.isclose(found[0], likelihood, rtol=1e-12)
    np.testing.assert_allclose(found[1], posterior, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", [GaussianHMM, GMMHMM])
def test_no_iteration_lowers_the_objective_with_missing_entries(kind, estimator):
    rows, _ = switching()
    rows[np.random.default_rng(1).random(rows.shape) < 0.3] = np.nan
    changes = {"n_mix": 2} if estimator is GMMHMM else {"means_weight": 0.5, "covars_weight": 4}
    model = estimator(2, covariance_type=kind, n_iter=500, tol=1e-6, random_state=0, **changes).fit(rows, [100, 140])
    assert model.converged_ and (np.diff(model.monitor_.history) >= -1e-9 * abs(model.history_[-1])).all()


def test_a_list_of_sequences_is_their_lengths():
    rows, _ = switching()
    one = GaussianHMM(2, n_iter=5, tol=0, random_state=0)
    with pytest.warns(ConvergenceWarning):
        first = one.fit(rows, [100, 140]).score(rows, [100, 140])
    with pytest.warns(ConvergenceWarning):
        second = one.fit([rows[:100], rows[100:]]).score([rows[:100], rows[100:]])
    assert first == second
    stacked = rows.reshape(3, 80, 2)
    assert one.score(stacked) == one.score(rows, [80, 80, 80])
    assert np.isclose(one.score_sequences(stacked).sum(), one.score(stacked))


def test_a_sequence_of_weight_three_is_three_copies():
    rows, _ = switching(60)
    weighted, copied = (GaussianHMM(2, n_iter=200, tol=1e-10, init_params="", random_state=0) for _ in range(2))
    for model in (weighted, copied):
        model.startprob_, model.transmat_ = np.array([0.5, 0.5]), np.full((2, 2), 0.5)
        model.means_, model.covars_ = np.array([[0.0, 0.0], [2.0, 2.0]]), np.ones((2, 2))
    weighted.fit(rows, [20, 10, 30], sample_weight=[3, 0, 1])
    pieces = [rows[:20]] * 3 + [rows[30:]]
    copied.fit(pieces)
    for name in ("startprob_", "transmat_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(copied, name), atol=1e-8)


def test_known_states_are_counted_and_unknown_ones_filled_in():
    rows, states = switching()
    known = GaussianHMM(2, n_iter=50, random_state=0, covars_prior=0).fit(rows, y=states)
    for k in range(2):
        np.testing.assert_allclose(known.means_[k], rows[states == k].mean(axis=0))
        np.testing.assert_allclose(known.covariances_[k], rows[states == k].var(axis=0))
    pairs = np.zeros((2, 2))
    np.add.at(pairs, (states[:-1], states[1:]), 1)
    np.testing.assert_allclose(known.transmat_, pairs / pairs.sum(axis=1, keepdims=True))
    assert known.startprob_.tolist() == [1.0, 0.0]
    partly = np.where(np.arange(len(states)) % 10 == 0, states, -1)
    found = GaussianHMM(2, n_iter=200, random_state=0).fit(rows, y=partly)
    assert (found.predict(rows) == states).mean() > 0.95
    np.testing.assert_allclose(found.means_, known.means_, atol=0.3)


def test_viterbi_training_ends_where_the_best_path_explains_its_own_counts():
    rows, _ = switching()
    model = GaussianHMM(2, n_iter=100, training="viterbi", covars_prior=0, random_state=0).fit(rows)
    path = model.predict(rows)
    for k in range(2):
        np.testing.assert_allclose(model.means_[k], rows[path == k].mean(axis=0), atol=1e-9)


def test_restarts_keep_the_best_run():
    rows, _ = switching(120, seed=3)
    alone = [GaussianHMM(3, n_iter=100, random_state=seed).fit(rows).history_[-1] for seed in range(3)]
    best = GaussianHMM(3, n_iter=100, n_init=8, random_state=0).fit(rows)
    assert best.history_[-1] >= alone[0]


def test_paths_filters_and_forecasts_agree_with_posteriors():
    model, sequence = given("full"), X[:6]
    posterior, filtered = model.predict_proba(sequence), model.filter(sequence)
    np.testing.assert_allclose(filtered[-1], posterior[-1])
    np.testing.assert_allclose(model.smooth(sequence, lag=10), posterior)
    np.testing.assert_allclose(model.predict_next(sequence, steps=0)[0], posterior[-1])
    np.testing.assert_allclose(model.predict_next(sequence)[0], posterior[-1] @ model.transmat_)
    paths, scores = model.k_best_paths(sequence, k=64)
    assert np.isclose(np.logaddexp.reduce(scores[0]), model.score(sequence))
    assert (paths[:, 0] == model.predict(sequence)).all()
    drawn = model.sample_paths(sequence, n_paths=4000, random_state=0)
    np.testing.assert_allclose((drawn == 1).mean(axis=1), posterior[:, 1], atol=0.03)
    np.testing.assert_allclose(model.get_stationary_distribution(), [0.4, 0.6])
    assert (model.predict(sequence) == model.decode(sequence, algorithm="map")[1]).all()


def test_samples_have_the_moments_of_the_model():
    model = given("full", random_state=0)
    rows, states = model.sample(20_000)
    assert abs((states == 1).mean() - 0.6) < 0.02
    for k in range(2):
        np.testing.assert_allclose(rows[states == k].mean(axis=0), model.means_[k], atol=0.05)
        np.testing.assert_allclose(np.cov(rows[states == k].T), model.covars_[k], atol=0.05)
    pairs = np.zeros((2, 2))
    np.add.at(pairs, (states[:-1], states[1:]), 1)
    np.testing.assert_allclose(pairs / pairs.sum(axis=1, keepdims=True), model.transmat_, atol=0.02)
    assert model.sample(5, currstate=1)[1].shape == (5,)


def test_information_criteria_count_free_parameters():
    model = given("full")
    free = 1 + 2 + 4 + 6
    assert np.isclose(model.aic(X), -2 * model.score(X) + 2 * free)
    assert np.isclose(model.bic(X), -2 * model.score(X) + free * np.log(10))
    assert model.icl(X) >= model.bic(X)


@pytest.mark.parametrize(
    ("rows", "lengths"),
    [
        (np.zeros((30, 2)), None),
        (np.ones((1, 1)), None),
        (switching(40)[0] * 1e100, None),
        (switching(40)[0] * 1e-100, None),
        (np.repeat([[0.0], [1e6]], 20, axis=0), [1] * 40),
    ],
    ids=["constant", "one_step", "huge", "tiny", "sequences_of_one_step"],
)
@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
def test_degenerate_rows_give_finite_parameters(rows, lengths):
    model = GaussianHMM(3, n_iter=50, random_state=0).fit(rows, lengths)
    for name in ("startprob_", "transmat_", "means_", "covariances_"):
        assert np.isfinite(getattr(model, name)).all()
    np.testing.assert_allclose(model.transmat_.sum(axis=1), 1)
    assert np.isfinite(model.score(rows, lengths)) and np.isfinite(model.predict_proba(rows, lengths)).all()


def test_bad_input_is_refused_by_name():
    model = GaussianHMM(2)
    with pytest.raises(DataError, match="lengths add up to 5, but X has 10 rows"):
        model.fit(X, [2, 3])
    with pytest.raises(DataError, match="lengths must be the number of rows"):
        model.fit(X, [10.0])
    with pytest.raises(DataError, match="leave out lengths"):
        model.fit([X, X], [10, 10])
    with pytest.raises(DataError, match="sequence 1 of X has other columns"):
        model.fit([X, X[:, :1]])
    with pytest.raises(DataError, match="states from 0 to 1"):
        model.fit(X, y=[2] * 10)
    with pytest.raises(DataError, match="a state for each of the 10 rows"):
        model.fit(X, y=[1] * 9)
    with pytest.raises(DataError, match="each of the 2 sequences"):
        model.fit(X, LENGTHS, sample_weight=np.ones(10))
    with pytest.raises(DataError, match="has no value in any row"):
        model.fit(np.column_stack([X, np.full(10, np.nan)]))
    with pytest.raises(ParameterError, match="params may hold s \\(startprob\\)"):
        GaussianHMM(2, params="sx").fit(X)
    with pytest.raises(DataError, match="covars_"):
        model.covars_ = np.array([[1.0, -1.0], [1.0, 1.0]])
    with pytest.raises(AttributeError, match="not fitted"):
        model.predict(X)


def test_known_states_that_cannot_be_are_an_error():
    model = given("diag")
    model.transmat_ = np.eye(2)
    with pytest.raises(DataError, match="sequence 1 has the likelihood 0"):
        model.fit(X, LENGTHS, y=[0] * 6 + [0, 1, 0, 1])


def test_column_names_are_kept():
    table = pandas.DataFrame(X, columns=["height", "weight"])
    model = GaussianHMM(2, n_iter=20, random_state=0).fit(table)
    assert model.feature_names_in_.tolist() == ["height", "weight"]
    with pytest.raises(DataError, match="feature names should match"):
        model.predict(table.rename(columns={"weight": "age"}))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("GaussianHMM", {"covariance_type": "full"}),
        ("GaussianHMM", {"covariance_type": "tied"}),
        ("LinearRegressionHMM", {}),
        ("AutoregressiveHMM", {}),
    ],
)
def test_states_without_variance_are_refused_with_a_remedy(name, given):
    """The likelihood of such a state has no maximum; rounding of its residuals was once taken for a variance."""
    model = getattr(learnable, name)(2, min_covar=0.0, random_state=0, **given)
    with pytest.raises(learnable.DataError, match=f"{name}: .*covariance has no inverse.*larger min_covar"):
        model.fit(np.repeat([[0.0, 0.0], [5.0, 5.0]], 3, axis=0))
