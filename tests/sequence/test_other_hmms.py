"""Hidden Markov models of positive numbers, heavy tails, mixed columns, regressions and autoregressions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from learnable import (
    AutoregressiveHMM,
    DataError,
    GammaHMM,
    HiddenSemiMarkovModel,
    LinearRegressionHMM,
    LogisticRegressionHMM,
    MixedHMM,
    ParameterError,
    StudentTHMM,
)
from learnable.sequence._emissions.column_families import FAMILIES
from tests.sequence.hmm_data import enumerated_likelihood

START, MOVES = np.array([0.3, 0.7]), np.array([[0.6, 0.4], [0.1, 0.9]])
DENSITIES = {
    "gaussian": lambda q: stats.norm(q[0], np.sqrt(q[1])).logpdf,
    "bernoulli": lambda q: stats.bernoulli(q[0]).logpmf,
    "categorical": lambda q: lambda x: np.log(q[np.asarray(x, dtype=int)]),
    "poisson": lambda q: stats.poisson(q[0]).logpmf,
    "zero_inflated_poisson": lambda q: lambda x: np.log(q[0] * (x == 0) + (1 - q[0]) * stats.poisson(q[1]).pmf(x)),
    "negative_binomial": lambda q: stats.nbinom(q[1], q[1] / (q[1] + q[0])).logpmf,
    "exponential": lambda q: stats.expon(scale=1 / q[0]).logpdf,
    "gamma": lambda q: stats.gamma(q[0], scale=1 / q[1]).logpdf,
    "von_mises": lambda q: stats.vonmises(q[1], q[0]).logpdf,
}
TRUE = {
    "gaussian": [1.0, 4.0], "bernoulli": [0.3], "categorical": [0.2, 0.5, 0.3], "poisson": [3.0],
    "zero_inflated_poisson": [0.4, 3.0], "negative_binomial": [4.0, 2.0], "exponential": [0.5], "gamma": [2.5, 0.5],
    "von_mises": [1.0, 2.0],
}  # fmt: skip


def with_parameters(model, **attributes):
    model.startprob_, model.transmat_ = START, MOVES
    for name, value in attributes.items():
        setattr(model, name, np.array(value))
    return model


@pytest.mark.parametrize("kind", FAMILIES)
def test_families_estimate_what_they_draw_and_no_other_parameters_are_likelier(kind):
    rng, q = np.random.RandomState(0), np.array(TRUE[kind])
    x = FAMILIES[kind]().draw(q, 20_000, rng)
    family = FAMILIES[kind](x)
    found = family.estimate(x, np.ones((len(x), 1)))
    np.testing.assert_allclose(found[0], q, rtol=0.1, atol=0.02)
    logs = family.log_density(x[:50], found)[:, 0]
    np.testing.assert_allclose(logs, DENSITIES[kind](found[0])(x[:50]), rtol=1e-9)
    best = family.log_density(x, found).sum()
    for j in range(len(q)):
        for factor in (0.98, 1.02):
            other = found.copy()
            other[0, j] *= factor
            if kind == "categorical":
                other /= other.sum()
            assert family.log_density(x, other).sum() <= best + 1e-6


def test_likelihoods_are_the_enumeration_of_all_paths_with_missing_entries():
    shapes, rates = [[2.0, 3.0], [5.0, 1.0]], [[1.0, 2.0], [0.5, 0.5]]
    model = with_parameters(GammaHMM(2), shapes_=shapes, rates_=rates)
    rows = np.array([[1.0, 2.0], [np.nan, 0.5], [4.0, np.nan]])
    logs = np.stack(
        [
            np.nansum(stats.gamma(a, scale=1 / np.array(b)).logpdf(rows), axis=1)
            for a, b in zip(shapes, rates, strict=True)
        ]
    )
    likelihood, posterior = enumerated_likelihood(model, logs.T)
    assert np.isclose(model.score(rows), likelihood)
    np.testing.assert_allclose(model.predict_proba(rows), posterior)


def test_a_missing_entry_of_a_t_distribution_leaves_the_marginal():
    scales = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 3.0]]])
    means, freedom = [[0.0, 1.0], [2.0, 3.0]], [3.0, 7.0]
    model = with_parameters(StudentTHMM(2), means_=means, scales_=scales, freedom_=freedom)
    rows = np.array([[0.5, 1.5], [1.0, np.nan], [np.nan, np.nan]])
    logs = np.zeros((3, 2))
    for k in range(2):
        logs[0, k] = stats.multivariate_t(means[k], scales[k], freedom[k]).logpdf(rows[0])
        logs[1, k] = stats.t(freedom[k], means[k][0], np.sqrt(scales[k, 0, 0])).logpdf(1.0)
    assert np.isclose(model.score(rows), enumerated_likelihood(model, logs)[0])


def test_outliers_hardly_move_the_means():
    rng = np.random.default_rng(0)
    states = np.arange(300) // 30 % 2
    rows = rng.standard_normal((300, 2)) + 8.0 * states[:, None]
    rows[::29] += 500.0 * rng.standard_normal((11, 2))
    model = StudentTHMM(2, random_state=0, n_iter=500, n_init=4).fit(rows)
    np.testing.assert_allclose(np.sort(model.means_[:, 0]), [0.0, 8.0], atol=0.5)
    assert model.freedom_.min() < 2
    assert max((model.predict(rows) == states).mean(), (model.predict(rows) != states).mean()) > 0.97


def test_mixed_columns_find_the_states_and_come_back_from_samples():
    truth = with_parameters(
        MixedHMM(2, distributions=["gaussian", "categorical", "von_mises"]),
        parameters_=[[[0, 1, 0], [0.7, 0.2, 0.1], [0, 4, 0]], [[3, 1, 0], [0.1, 0.2, 0.7], [3, 4, 0]]],
    )  # fmt: skip
    truth.levels_ = np.array([2, 3, 2])
    rows, states = truth.sample(4000, random_state=0)
    rows[::7, 1] = np.nan
    model = MixedHMM(2, distributions=truth.distributions, n_iter=200, random_state=0).fit(rows)
    order = np.argsort(model.parameters_[:, 0, 0])
    np.testing.assert_allclose(model.parameters_[order][:, :2], truth.parameters_[:, :2], atol=0.12)
    np.testing.assert_allclose(np.cos(model.parameters_[order][:, 2, 0] - [0, 3]), 1, atol=0.01)
    assert (order.argsort()[model.predict(rows)] == states).mean() > 0.97


def test_regressions_of_each_state_are_recovered_and_predict():
    rng = np.random.default_rng(0)
    states = np.arange(600) // 60 % 2
    inputs = rng.standard_normal((600, 2))
    coef = np.array([[1.0, 2.0, 0.0], [-1.0, 0.0, 3.0]])
    target = np.einsum("tq,tq->t", coef[states], np.column_stack([np.ones(600), inputs]))
    rows = np.column_stack([inputs, target + 0.1 * rng.standard_normal(600)])
    model = LinearRegressionHMM(2, n_iter=200, n_init=3, random_state=0).fit(rows)
    order = np.argsort(model.intercept_[:, 0])[::-1]
    np.testing.assert_allclose(model.coefficients_[order][:, 0], coef, atol=0.05)
    error = model.predict_target(rows)[:, 0] - target
    assert np.median(np.abs(error)) < 0.2
    drawn, _ = model.sample(inputs[:20], random_state=0)
    assert drawn.shape == (20, 3) and (drawn[:, :2] == inputs[:20]).all()
    with pytest.raises(DataError, match="table of inputs"):
        model.sample(5)
    with pytest.raises(ParameterError, match="n_targets=4, but X has 3 columns"):
        LinearRegressionHMM(2, n_targets=4).fit(rows)


def test_one_state_is_ordinary_least_squares():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((50, 3))
    model = LinearRegressionHMM(1, n_targets=2, alpha=0.0, min_covar=0.0).fit(rows)
    design = np.column_stack([np.ones(50), rows[:, 0]])
    beta, *_ = np.linalg.lstsq(design, rows[:, 1:], rcond=None)
    np.testing.assert_allclose(model.coefficients_[0], beta.T, atol=1e-9)
    residual = rows[:, 1:] - design @ beta
    np.testing.assert_allclose(model.covariances_[0], residual.T @ residual / 50, atol=1e-9)


def test_logistic_regressions_of_each_state_are_recovered_and_predict():
    rng = np.random.default_rng(0)
    states = np.arange(4000) // 100 % 2
    inputs = rng.standard_normal((4000, 2))
    coef = np.array([[0.5, 2.0, 0.0], [-1.0, 0.0, -3.0]])
    logits = np.einsum("tq,tq->t", coef[states], np.column_stack([np.ones(4000), inputs]))
    target = rng.logistic(size=4000) < logits
    rows = np.column_stack([inputs, target])
    model = LogisticRegressionHMM(2, n_iter=300, n_init=3, tol=1e-6, random_state=0).fit(rows)
    order = np.argsort(model.intercept_[:, 0])[::-1]
    np.testing.assert_allclose(model.coefficients_[order][:, 0], coef, atol=0.35)
    assert (np.diff(model.history_) >= -1e-8).all() and (model.predict_target(rows)[:, 0] > 0.5)[target].mean() > 0.75
    drawn, path = model.sample(np.zeros((20_000, 2)), random_state=0)
    expected = 1 / (1 + np.exp(-model.intercept_[path, 0]))
    assert drawn[:, 2].mean() == pytest.approx(expected.mean(), abs=0.02)
    with pytest.raises(DataError, match="table of inputs"):
        model.sample(5)


def test_one_state_is_penalised_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.standard_normal((80, 2)), rng.integers(0, 2, (80, 2))])
    model = LogisticRegressionHMM(1, n_targets=2, alpha=0.5, n_iter=50, tol=0).fit(rows)
    for d in range(2):
        design = np.column_stack([np.ones(80), rows[:, :2]])
        peer = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(design, rows[:, 2 + d])
        np.testing.assert_allclose(model.coefficients_[0, d], peer.coef_[0], atol=1e-5)


def test_autoregressions_are_recovered_and_sequences_do_not_mix():
    truth = with_parameters(
        AutoregressiveHMM(2, n_lags=2),
        coefficients_=[[[0.0, 1.6, -0.8]], [[5.0, -0.5, 0.0]]], covariances_=[[[1.0]], [[0.25]]],
    )  # fmt: skip
    truth.transmat_ = np.array([[0.98, 0.02], [0.02, 0.98]])
    rows, states = truth.sample(3000, random_state=3)
    model = AutoregressiveHMM(2, n_lags=2, n_iter=200, n_init=2, random_state=0).fit(rows)
    order = np.argsort(model.coefficients_[:, 0, 0])
    np.testing.assert_allclose(model.coefficients_[order], truth.coefficients_, atol=0.15)
    assert (order.argsort()[model.predict(rows)] == states).mean() > 0.97
    assert np.isclose(model.score(rows, [1000, 2000]), model.score(rows[:1000]) + model.score(rows[1000:]))
    after = model.predict_mean(rows[:5])
    chain = model.predict_next(rows[:5])[0]
    by_hand = sum(chain[k] * (model.coefficients_[k, 0] @ [1, rows[4, 0], rows[3, 0]]) for k in range(2))
    assert np.isclose(after[0, 0], by_hand)


def test_the_mean_of_the_next_row_has_lags_in_order():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 1))
    model = AutoregressiveHMM(1, n_lags=3).fit(rows)
    expected = model.coefficients_[0, 0] @ [1, rows[-1, 0], rows[-2, 0], rows[-3, 0]]
    assert np.isclose(model.predict_mean(rows)[0, 0], expected)


def test_what_a_family_cannot_have_is_refused_by_column_and_row():
    with pytest.raises(DataError, match="numbers above 0; column 0 has 0 in row 1"):
        GammaHMM(2).fit([[1.0], [0.0]])
    with pytest.raises(DataError, match="0 and 1 where a column is bernoulli; column 1 has 2 in row 0"):
        MixedHMM(2, distributions=["gaussian", "bernoulli"]).fit([[0.0, 2.0], [1.0, 1.0]])
    with pytest.raises(ParameterError, match="'beta' is not one"):
        MixedHMM(2, distributions="beta").fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match="there are 2 for 1 columns"):
        MixedHMM(2, distributions=["gamma", "gamma"]).fit([[0.5], [1.0]])


def test_constant_columns_and_unknown_symbols_have_likelihoods():
    model = MixedHMM(2, distributions=["gaussian", "categorical"], random_state=0).fit([[1.0, 0], [1.0, 1], [1.0, 0]])
    assert np.isfinite(model.parameters_).all() and model.score([[1.0, 5]]) == -np.inf
    assert np.isfinite(GammaHMM(2, random_state=0).fit([[2.0], [2.0], [2.0]]).shapes_).all()


@pytest.mark.parametrize("value", [0.1, -1e-30, 1 / 3 * 1e9])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_constant_columns_of_numbers_that_binary_cannot_hold(value, noise):
    """The variance of equal entries, or of entries equal up to rounding, is the rounding of their mean."""
    x = value + noise * np.spacing(value) * np.array([0, 1, 0, 0, 1, 0, 1, 1, 0, 0])
    for kind in (MixedHMM, HiddenSemiMarkovModel):
        for n in (3, 6, 10):
            model = kind(2, n_iter=30, random_state=0).fit(x[:n, None])
            assert np.isfinite(model.score(x[:n, None]))
