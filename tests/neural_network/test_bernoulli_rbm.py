"""Restricted Boltzmann machines: scikit-learn's weights, exact likelihoods by enumeration, and what is learned."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.neural_network import BernoulliRBM as Reference

from learnable.neural_network import BernoulliRBM

digits = (load_digits(return_X_y=True)[0] / 16)[:300]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_weights_are_those_of_scikit_learn(dtype, stored):
    X = stored((digits > 0.5).astype(dtype))
    settings = {"n_components": 20, "learning_rate": 0.05, "batch_size": 32, "n_iter": 4, "random_state": 3}
    ours, theirs = BernoulliRBM(**settings).fit(X), Reference(**settings).fit(X)
    close = {"rtol": 1e-9, "atol": 1e-11} if dtype == np.float64 else {"rtol": 1e-3, "atol": 1e-4}
    for name in ("components_", "intercept_hidden_", "intercept_visible_", "h_samples_"):
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), **close)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), **close)


def test_partial_fits_and_gibbs_chains_are_those_of_scikit_learn():
    ours, theirs = (cls(n_components=8, batch_size=50, random_state=1) for cls in (BernoulliRBM, Reference))
    for begin in range(0, 300, 50):
        ours.partial_fit(digits[begin : begin + 50])
        theirs.partial_fit(digits[begin : begin + 50])
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-9, atol=1e-12)
    for _ in range(2):
        np.testing.assert_array_equal(ours.gibbs(digits[:5]), theirs.gibbs(digits[:5]))


def test_the_likelihood_rises_by_enumeration_of_all_states():
    """Three columns and two hidden units: the partition function is a sum of 32 terms."""
    X = np.array([[0, 0, 0], [1, 1, 1]] * 20, dtype=float)
    every = np.array(list(itertools.product([0, 1], repeat=3)), dtype=float)

    def log_likelihood(model):
        def minus_energy(v):
            units = np.array(list(itertools.product([0, 1], repeat=2)), dtype=float)
            scores = v @ model.intercept_visible_ + units @ (model.components_ @ v + model.intercept_hidden_)
            return np.logaddexp.reduce(scores)

        return np.mean([minus_energy(v) for v in X]) - np.logaddexp.reduce([minus_energy(v) for v in every])

    settings = {"n_components": 2, "learning_rate": 0.1, "random_state": 0}
    before, after = (BernoulliRBM(n_iter=n, **settings).fit(X) for n in (0, 300))
    assert log_likelihood(before) == pytest.approx(-3 * np.log(2), abs=0.01)
    assert log_likelihood(after) > -1.2
    assert after.trace_.rows[-1]["objective"] < after.trace_.rows[0]["objective"]


def test_the_pseudo_likelihood_is_what_scikit_learn_estimates():
    X = digits[:40]
    settings = {"n_components": 6, "batch_size": 32, "n_iter": 3}
    ours = BernoulliRBM(random_state=0, **settings).fit(X)
    theirs = Reference(random_state=0, **settings).fit(X)
    drawn = [theirs.set_params(random_state=seed).score_samples(X).mean() for seed in range(300)]
    spread = np.std(drawn) / np.sqrt(300)
    assert abs(ours.score_samples(X).mean() - np.mean(drawn)) < 4 * spread
