"""Reversible Markov chains: stationary distribution, detailed balance, spectral expansion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.core import DataError
from learnable.manifold import (
    detailed_balance,
    diffusion_distance,
    random_walk,
    spectral_expansion,
    stationary_distribution,
)


def weights(n, seed):
    W = np.random.default_rng(seed).random((n, n)) + 0.01
    return W + W.T


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 15), st.integers(0, 2**20), st.integers(0, 4))
def test_random_walks_on_graphs_are_reversible(n, seed, t):
    W = weights(n, seed)
    P, degree = random_walk(W), W.sum(axis=1)
    np.testing.assert_allclose(stationary_distribution(P), degree / degree.sum(), atol=1e-10)
    assert detailed_balance(P) < 1e-10
    expansion = spectral_expansion(P)
    np.testing.assert_allclose(expansion.power(1), P, atol=1e-9)
    np.testing.assert_allclose(expansion.power(t), np.linalg.matrix_power(P, t), atol=1e-8)
    np.testing.assert_allclose(expansion.left.T @ expansion.right, np.eye(n), atol=1e-8)
    assert expansion.eigenvalues[0] == pytest.approx(1)
    np.testing.assert_allclose(P @ expansion.right, expansion.right * expansion.eigenvalues, atol=1e-8)


def test_diffusion_distance_by_its_definition():
    P = random_walk(weights(6, 1))
    pi, two = stationary_distribution(P), P @ P
    found = diffusion_distance(P, 2)
    for i in range(6):
        for j in range(6):
            assert found[i, j] == pytest.approx(np.sqrt(((two[i] - two[j]) ** 2 / pi).sum()), abs=1e-12)


def test_a_chain_that_goes_round_is_not_reversible():
    P = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0.0]])
    assert detailed_balance(P) == pytest.approx(1 / 3)
    with pytest.raises(DataError, match="not reversible"):
        spectral_expansion(P)


def test_what_is_not_a_chain_is_refused():
    with pytest.raises(DataError, match="row 1 sums to 2"):
        stationary_distribution([[1.0, 0.0], [1.0, 1.0]])
    with pytest.raises(DataError, match="several closed classes"):
        stationary_distribution(np.eye(2))
    with pytest.raises(DataError, match="no weight"):
        random_walk([[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(DataError, match="square"):
        random_walk([[0.0, 1.0]])
