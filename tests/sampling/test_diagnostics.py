"""Diagnostics of Markov chains against ArviZ, closed forms and chains that have not converged."""

from __future__ import annotations

import json

import numpy as np
import pytest

from learnable import DataError, ParameterError
from learnable.sampling import (
    autocorrelation_time,
    e_bfmi,
    effective_sample_size,
    geweke,
    monte_carlo_error,
    r_hat,
)
from tests.references.arviz_reference import PLACE, reference_chains

FROZEN = json.loads(PLACE.read_text(encoding="utf-8"))["chains"]


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_diagnostics_are_those_of_arviz(name):
    chains, expected = reference_chains()[name], FROZEN[name]
    found = {
        "r_hat": r_hat(chains), "bulk": effective_sample_size(chains),
        "tail": effective_sample_size(chains, "tail"), "mean": effective_sample_size(chains, "mean"),
        "mcse_mean": monte_carlo_error(chains), "mcse_sd": monte_carlo_error(chains, "sd"),
    }  # fmt: skip
    assert found == pytest.approx(expected, rel=1e-9)


def autoregressive(rho, draws=40_000, chains=4):
    noise = np.random.default_rng(3).standard_normal((chains, draws))
    for t in range(1, draws):
        noise[:, t] += rho * noise[:, t - 1]
    return noise


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.6, 0.9])
def test_sizes_and_times_of_autoregressive_chains(rho):
    chains = autoregressive(rho)
    time = (1 + rho) / (1 - rho)
    assert effective_sample_size(chains, "mean") == pytest.approx(chains.size / time, rel=0.1)
    if rho >= 0:  # the window of Sokal needs autocorrelations that are positive at first
        assert autocorrelation_time(chains) == pytest.approx(time, rel=0.1)


def test_many_quantities_at_once_are_each_alone():
    chains = np.random.default_rng(0).standard_normal((4, 120, 2, 3)).cumsum(axis=1)
    for function in (r_hat, effective_sample_size, monte_carlo_error, autocorrelation_time):
        together = function(chains)
        assert together.shape == (2, 3)
        assert together[1, 2] == pytest.approx(function(chains[:, :, 1, 2]), rel=1e-12)


def test_constants_and_values_that_are_not_finite():
    chains = np.random.default_rng(0).standard_normal((2, 50, 3))
    chains[:, :, 1] = 2.5
    chains[0, 7, 2] = np.inf
    assert np.isnan(r_hat(chains)[1:]).all() and np.isfinite(r_hat(chains)[0])
    assert np.isnan(effective_sample_size(chains)[2]) and effective_sample_size(chains)[1] == 100


def test_geweke_sees_a_chain_that_was_far_away():
    chains = np.random.default_rng(1).standard_normal((3, 2000))
    chains[1, :200] += 3
    scores = np.abs(geweke(chains))
    assert scores[1] > 5 and max(scores[0], scores[2]) < 4
    with pytest.raises(ParameterError, match="first \\+ last"):
        geweke(chains, 0.6, 0.6)


def test_energies_that_wander_have_a_small_fraction():
    energy = np.random.default_rng(0).standard_normal((2, 1000))
    assert (e_bfmi(energy.cumsum(axis=1)) < 0.1).all() and (e_bfmi(energy) > 1.7).all()
    by_hand = ((energy[0, 1:] - energy[0, :-1]) ** 2).sum() / ((energy[0] - energy[0].mean()) ** 2).sum()
    assert e_bfmi(energy)[0] == pytest.approx(by_hand)


@pytest.mark.parametrize("function", [r_hat, effective_sample_size, monte_carlo_error, autocorrelation_time, geweke])
def test_too_few_draws_are_refused(function):
    with pytest.raises(DataError, match=r"\(chain, draw, ...\) with at least 4 draws"):
        function(np.zeros((4, 3)))
