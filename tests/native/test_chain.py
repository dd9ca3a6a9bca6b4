"""Inference in chains against the enumeration of all paths."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.chain import Chain, logarithms

LENGTHS = np.array([4, 1, 0, 6, 2])


def lattice(states: int, lengths: np.ndarray = LENGTHS, scale: float = 1.0, forbidden: float = 0.0, seed: int = 0):
    """Normal log potentials times `scale`, of which a fraction is -inf."""
    rng = np.random.default_rng(seed)
    shapes = (states,), (states, states), (int(lengths.sum()), states)
    drawn = [scale * rng.standard_normal(shape) for shape in shapes]
    gone = [rng.random(shape) < forbidden for shape in shapes]
    return Chain.of(*(np.where(g, -np.inf, d) for g, d in zip(gone, drawn, strict=True)), lengths)


def scored_paths(chain: Chain, s: int) -> list[tuple[float, tuple[int, ...]]]:
    """Every possible path of a sequence with its log score."""
    first, last = chain.offset[s], chain.offset[s + 1]
    found = []
    for path in product(range(len(chain.start)), repeat=int(last - first)):
        terms = [chain.node[first + t, state] for t, state in enumerate(path)]
        terms += [chain.start[path[0]]] if path else []
        terms += [chain.transition[j, k] for j, k in pairwise(path)]
        found.append((float(np.sum(terms)), path))
    return [(score, path) for score, path in found if score > -np.inf]


def enumerated(chain: Chain, weight: np.ndarray):
    """Log likelihoods, posteriors and expected transitions by enumeration."""
    log_likelihood = np.full(chain.sequences, -np.inf)
    states, transitions = np.zeros(chain.node.shape), np.zeros(chain.transition.shape)
    for s in range(chain.sequences):
        paths = scored_paths(chain, s)
        if not paths:
            continue
        log_likelihood[s] = np.logaddexp.reduce([score for score, _ in paths])
        for score, path in paths:
            mass = np.exp(score - log_likelihood[s])
            for t, state in enumerate(path):
                states[chain.offset[s] + t, state] += mass
            for j, k in pairwise(path):
                transitions[j, k] += weight[s] * mass
    return log_likelihood, states, transitions


@pytest.mark.parametrize("states", [1, 2, 3])
@pytest.mark.parametrize(
    ("scale", "forbidden"),
    [(1.0, 0.0), (1.0, 0.3), (30.0, 0.0), (400.0, 0.2), (2000.0, 0.0)],
    ids=["plain", "forbidden", "steep", "underflow", "far_underflow"],
)
def test_forward_backward_is_the_enumeration_of_all_paths(states, scale, forbidden):
    chain, weight = lattice(states, scale=scale, forbidden=forbidden), np.array([1.0, 2.0, 1.0, 0.5, 3.0])
    for ours, oracle in zip(chain.forward_backward(weight), enumerated(chain, weight), strict=True):
        np.testing.assert_allclose(ours, oracle, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 500.0])
def test_best_paths_are_those_of_the_enumeration(scale):
    chain = lattice(3, scale=scale, forbidden=0.1, seed=3)
    path, score = chain.viterbi()
    paths, scores = chain.k_best(5)
    for s in range(chain.sequences):
        first, last = chain.offset[s], chain.offset[s + 1]
        ranked = sorted(scored_paths(chain, s), key=lambda scored: -scored[0])
        if not ranked or first == last:
            continue
        assert np.isclose(score[s], ranked[0][0]) and tuple(path[first:last]) == ranked[0][1]
        for n in range(5):
            if n < len(ranked):
                assert np.isclose(scores[s, n], ranked[n][0]) and tuple(paths[first:last, n]) == ranked[n][1]
            else:
                assert scores[s, n] == -np.inf and (paths[first:last, n] == -1).all()


def test_an_impossible_sequence_has_no_likelihood_and_no_posterior():
    node = np.zeros((4, 2))
    node[1] = -np.inf
    chain = Chain.of(np.zeros(2), np.zeros((2, 2)), node, np.array([2, 2]))
    found = chain.forward_backward()
    assert found.log_likelihood[0] == -np.inf and np.isclose(found.log_likelihood[1], np.log(4))
    assert (found.states[:2] == 0).all() and np.allclose(found.states[2:], 0.5)
    assert np.allclose(found.transitions, 0.25)
    assert chain.viterbi()[1][0] == -np.inf
    assert (chain.filter()[1][1] == 0).all()


def test_a_state_that_later_steps_alone_reveal_is_not_lost_by_scaling():
    start, transition = np.array([1.0, 1e-200]), np.eye(2)
    node = logarithms(np.array([[1.0, 1e-200], [0.0, 1e-250]]))
    found = Chain.of(logarithms(start), logarithms(transition), node, np.array([2])).forward_backward()
    assert np.isclose(found.log_likelihood[0], np.log(1e-200) * 2 + np.log(1e-250))
    np.testing.assert_allclose(found.states, [[0.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(found.transitions, [[0.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_filtering_and_fixed_lag_smoothing_are_posteriors_of_prefixes(scale):
    lengths = np.array([5, 3])
    chain = lattice(3, lengths, scale=scale, seed=1)
    log_likelihood, filtered = chain.filter()
    np.testing.assert_allclose(log_likelihood, chain.forward_backward().log_likelihood)
    for lag, found in [(0, filtered), (0, chain.fixed_lag(0)), (2, chain.fixed_lag(2)), (9, chain.fixed_lag(9))]:
        for s in range(2):
            for t in range(lengths[s]):
                seen = min(t + lag + 1, lengths[s])
                first = chain.offset[s]
                prefix = Chain.of(chain.start, chain.transition, chain.node[first : first + seen], np.array([seen]))
                np.testing.assert_allclose(
                    found[first + t], prefix.forward_backward().states[t], rtol=1e-10, atol=1e-12
                )


def test_drawn_paths_occur_as_often_as_their_posterior_says():
    chain = lattice(2, np.array([3]), seed=5)
    count = 40_000
    paths = chain.sample_paths(count, np.random.default_rng(0))
    total = np.logaddexp.reduce([score for score, _ in scored_paths(chain, 0)])
    for score, path in scored_paths(chain, 0):
        expected = np.exp(score - total)
        observed = (path == paths.T).all(axis=1).mean()
        assert abs(observed - expected) < 5 * np.sqrt(expected / count)


def test_a_long_sequence_has_the_same_bits_on_any_number_of_threads():
    lengths = np.array([30_000, 1, 2500, 40, 7000])
    chain, seen = lattice(5, lengths, seed=2), []
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            found = chain.forward_backward()
            seen.append([array.tobytes() for array in (*found, *chain.viterbi(), *chain.filter())])
    assert all(bits == seen[0] for bits in seen)
    np.testing.assert_allclose(found.states.sum(axis=1), 1)
    np.testing.assert_allclose(found.transitions.sum(), (lengths - 1).sum())


def test_lattices_of_wrong_shapes_are_refused():
    arrays = np.zeros(2), np.zeros((2, 2)), np.zeros((3, 2)), np.array([0, 3])
    outputs = np.zeros(1), np.zeros((3, 2)), np.zeros((2, 2))
    for wrong in ({1: np.zeros((3, 3))}, {2: np.zeros((3, 3))}, {3: np.array([0, 2])}, {3: np.array([0, 4, 3])}):
        with pytest.raises(ValueError, match=r"states|offset"):
            kernels.chain_forward_backward(*[wrong.get(n, array) for n, array in enumerate(arrays)], None, *outputs)
    with pytest.raises(ValueError, match="shape of the lattice"):
        kernels.chain_forward_backward(*arrays, None, np.zeros(1), np.zeros((2, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize("states", [4, 5, 8, 11, 14, 19, 22, 24, 25])
@pytest.mark.parametrize("scale", [1.0, 60.0], ids=["plain", "steep"])
def test_many_states_are_a_plain_recursion_with_logarithms(states, scale):
    lengths = np.array([1, 2, 0, 57, 3, 1200])
    chain, weight = lattice(states, lengths, scale, forbidden=0.1), np.array([1.0, 2.0, 1.0, 0.5, 1.0, 3.0])
    found, transitions = chain.forward_backward(weight), np.zeros((states, states))
    for s, (first, last) in enumerate(pairwise(chain.offset)):
        if first == last:
            continue
        alpha, beta = [chain.start + chain.node[first]], [np.zeros(states)]
        for t in range(first + 1, last):
            alpha.append(np.logaddexp.reduce(alpha[-1][:, None] + chain.transition, axis=0) + chain.node[t])
        for t in range(last - 1, first, -1):
            beta.append(np.logaddexp.reduce(chain.transition + chain.node[t] + beta[-1], axis=1))
        beta.reverse()
        whole = np.logaddexp.reduce(alpha[-1])
        assert np.isclose(found.log_likelihood[s], whole, rtol=1e-12) or whole == -np.inf == found.log_likelihood[s]
        if whole == -np.inf:
            continue
        expected = np.exp(np.array(alpha) + np.array(beta) - whole)
        np.testing.assert_allclose(found.states[first:last], expected, atol=1e-9)
        for t in range(first + 1, last):
            moved = alpha[t - first - 1][:, None] + chain.transition + chain.node[t] + beta[t - first] - whole
            transitions += weight[s] * np.exp(moved)
    np.testing.assert_allclose(found.transitions, transitions, rtol=1e-8, atol=1e-8)


def test_long_sequences_give_the_same_bits_on_any_number_of_threads():
    chain = lattice(7, np.array([9000, 40, 5000]))
    results = []
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            results.append([np.asarray(part).tobytes() for part in chain.forward_backward()])
    assert all(result == results[0] for result in results)
