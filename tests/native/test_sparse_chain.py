"""Chains of states with few predecessors against chains that forbid all other transitions."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.engines.chain import Chain
from learnable.engines.sparse_chain import SparseChain

LENGTHS = np.array([5, 1, 0, 7, 40])


def both(states: int, scale: float, seed: int = 0) -> tuple[SparseChain, Chain, np.ndarray]:
    """The same chain, sparse and dense, and the dense place of each transition."""
    rng = np.random.default_rng(seed)
    possible = rng.random((states, states)) < 0.6
    possible[np.arange(states), np.roll(np.arange(states), 1)] = True
    weights = scale * rng.standard_normal((states, states))
    start, node = (scale * rng.standard_normal(shape) for shape in ((states,), (int(LENGTHS.sum()), states)))
    start[0] = -np.inf
    after, before = np.nonzero(possible.T)
    first = np.searchsorted(after, np.arange(states + 1))
    dense = np.where(possible, weights, -np.inf)
    sparse = SparseChain.of(start, first, before, weights[before, after], node, LENGTHS)
    return sparse, Chain.of(start, dense, node, LENGTHS), before * states + after


@pytest.mark.parametrize("scale", [1.0, 30.0, 800.0])
@pytest.mark.parametrize("states", [2, 5])
def test_posteriors_are_those_of_the_dense_chain(states, scale):
    sparse, dense, place = both(states, scale)
    weight = np.array([1.0, 2.0, 1.0, 0.5, 0.0])
    found, expected = sparse.forward_backward(weight), dense.forward_backward(weight)
    np.testing.assert_allclose(found.log_likelihood, expected.log_likelihood, rtol=1e-12)
    np.testing.assert_allclose(found.states, expected.states, atol=1e-10)
    np.testing.assert_allclose(found.transitions, expected.transitions.ravel()[place], atol=1e-10)
    np.testing.assert_allclose(sparse.filter()[1], dense.filter()[1], atol=1e-10)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_best_paths_are_those_of_the_dense_chain(scale):
    sparse, dense, _ = both(4, scale, 3)
    assert np.array_equal(sparse.viterbi()[0], dense.viterbi()[0])
    np.testing.assert_allclose(sparse.viterbi()[1], dense.viterbi()[1])
    paths, scores = sparse.k_best(5)
    expected = dense.k_best(5)
    filled = np.repeat(LENGTHS > 0, LENGTHS)
    assert np.array_equal(paths[filled], expected[0][filled])
    np.testing.assert_allclose(scores[LENGTHS > 0], expected[1][LENGTHS > 0])


def test_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    sparse, _, _ = both(5, 1.0)
    lengths = np.full(300, 40)
    node = rng.standard_normal((12_000, 5))
    chain = SparseChain.of(sparse.start, sparse.first, sparse.before, sparse.weight, node, lengths)
    results = []
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            results.append([np.asarray(part).tobytes() for part in chain.forward_backward()])
    assert all(result == results[0] for result in results)
