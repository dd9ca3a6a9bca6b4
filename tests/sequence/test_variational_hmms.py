"""Variational Bayes for hidden Markov models: hmmlearn's posteriors, the bound against the evidence, empty states."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import t as student

from learnable import ParameterError, VariationalCategoricalHMM, VariationalGaussianHMM
from tests.sequence.hmm_data import switching

TYPES = ["full", "tied", "diag", "spherical"]
HMMLEARN = {
    "full": (
        [138.56473, 163.43527], [0.005358, 0.02, 2.984265, 2.98293],
        [115.57369, 21.99104, 21.99104, 141.44423],
    ),
    "tied": (
        [138.17943, 163.82057], [0.000975, 0.016746, 2.980956, 2.978706],
        [115.29121, 21.88823, 21.88823, 141.93234],
    ),
    "diag": (
        [138.66728, 163.33272], [0.006162, 0.020974, 2.985453, 2.983963],
        [115.64673, 22.02055, 22.02055, 141.31217],
    ),
    "spherical": (
        [138.62619, 163.37381], [0.004736, 0.021224, 2.985914, 2.983006],
        [115.58776, 22.03843, 22.03843, 141.33538],
    ),
}  # fmt: skip
"""Posterior weights, means and transitions by hmmlearn 0.3.3 for the same rows, states in the order of their means."""


@pytest.mark.parametrize("kind", TYPES)
def test_no_iteration_lowers_the_bound_and_states_are_found(kind):
    X, states = switching(400)
    model = VariationalGaussianHMM(2, covariance_type=kind, n_iter=500, random_state=0).fit(X, [150, 250])
    assert model.converged_ and (np.diff(model.history_) >= -1e-7).all()
    assert model.certificate_.holds
    order = np.argsort(model.means_[:, 0])
    assert (order.argsort()[model.predict(X, [150, 250])] == states).mean() > 0.97
    np.testing.assert_allclose(model.means_[order], [[0, 0], [3, 3]], atol=0.2)


@pytest.mark.parametrize("kind", TYPES)
def test_posteriors_are_the_prior_plus_expected_sums(kind):
    X, _ = switching(300)
    model = VariationalGaussianHMM(2, covariance_type=kind, n_iter=2000, tol=1e-9, random_state=0).fit(X)
    counts = model.beta_posterior_ - model.beta_prior_
    assert np.isclose(counts.sum(), len(X))
    np.testing.assert_allclose(model.dof_posterior_ - model.dof_prior_, len(X) if kind == "tied" else counts)
    np.testing.assert_allclose(model.transmat_posterior_.sum(), 299 + 2)
    whole = counts @ ((model.means_posterior_ * model.beta_posterior_[:, None] - model.means_prior_) / counts[:, None])
    np.testing.assert_allclose(whole, X.sum(axis=0))


def test_one_state_in_one_column_has_the_exact_evidence():
    """With one state the posterior is conjugate, so that the bound is the evidence, a product of t densities."""
    X = np.random.default_rng(0).normal(2.0, 1.5, (25, 1))
    for kind in TYPES:
        model = VariationalGaussianHMM(1, covariance_type=kind, n_iter=50).fit(X)
        m, b, v, s = float(X.mean()), 1.0, 1.0, 1e-3
        evidence = 0.0
        for x in X[:, 0]:
            evidence += student(v, m, np.sqrt(s / v * (1 + b) / b)).logpdf(x)
            s += b / (b + 1) * (x - m) ** 2
            m, b, v = (b * m + x) / (b + 1), b + 1, v + 1
        assert np.isclose(model.lower_bound_, evidence), kind


def test_one_state_of_symbols_has_the_exact_evidence():
    X = np.array([0, 1, 1, 2, 1, 0])[:, None]
    model = VariationalCategoricalHMM(1, emissionprob_prior=0.5, n_iter=20).fit(X)
    counts, prior = np.bincount(X[:, 0]), np.full(3, 0.5)
    evidence = gammaln(1.5) - gammaln(7.5) + (gammaln(prior + counts) - gammaln(prior)).sum()
    assert np.isclose(model.lower_bound_, evidence)


def test_the_bound_is_below_the_evidence_of_two_states():
    """The evidence by enumeration: for each path, Dirichlet integrals in closed form."""
    from itertools import product

    X = np.array([0, 0, 1, 0, 1, 1])
    model = VariationalCategoricalHMM(2, n_iter=500, n_init=5, random_state=0).fit(X[:, None])

    def integral(counts, prior):
        return (gammaln(prior * counts.shape[-1]) - gammaln(prior * counts.shape[-1] + counts.sum(axis=-1))
                + (gammaln(prior + counts) - gammaln(prior)).sum(axis=-1)).sum()  # fmt: skip

    paths = []
    for path in product(range(2), repeat=len(X)):
        moves, emitted = np.zeros((2, 2)), np.zeros((2, 2))
        np.add.at(moves, (list(path[:-1]), list(path[1:])), 1)
        np.add.at(emitted, (list(path), X), 1)
        paths.append(integral(np.eye(2)[[path[0]]], 0.5) + integral(moves, 0.5) + integral(emitted, 0.5))
    evidence = logsumexp(paths)
    assert evidence - 3 < model.lower_bound_ <= evidence


def test_states_that_are_not_needed_stay_empty():
    X, _ = switching(600)
    model = VariationalGaussianHMM(
        5, n_iter=2000, startprob_prior=1e-3, transmat_prior=1e-3, random_state=0, n_init=3
    ).fit(X)
    assert (model.beta_posterior_ - model.beta_prior_ > 10).sum() <= 3


@pytest.mark.parametrize("kind", TYPES)
def test_posteriors_are_those_of_hmmlearn(kind):
    X, _ = switching(300)
    model = VariationalGaussianHMM(2, covariance_type=kind, n_iter=3000, tol=1e-9, random_state=0).fit(X)
    order, (beta, means, moves) = np.argsort(model.means_[:, 0]), HMMLEARN[kind]
    np.testing.assert_allclose(model.beta_posterior_[order], beta, rtol=3e-5)
    np.testing.assert_allclose(model.means_posterior_[order].ravel(), means, rtol=3e-5, atol=3e-5)
    np.testing.assert_allclose(model.transmat_posterior_[np.ix_(order, order)].ravel(), moves, rtol=3e-5)


def test_priors_of_the_wrong_shape_are_refused():
    with pytest.raises(ParameterError, match=r"means_prior must have the shape \(2, 2\)"):
        VariationalGaussianHMM(2, means_prior=np.zeros(3)).fit(switching(50)[0])
    with pytest.raises(ParameterError, match="dof_prior must be above 1"):
        VariationalGaussianHMM(2, dof_prior=0.5).fit(switching(50)[0])
