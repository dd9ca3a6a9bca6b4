"""Inference in semi-Markov chains against the enumeration of all segmentations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import learnable
from learnable.engines.semi_chain import SemiChain

LENGTHS = np.array([4, 1, 0, 6, 2])


def lattice(states: int, longest: int, forbidden: float = 0.0, scale: float = 1.0, seed: int = 0) -> SemiChain:
    """Normal log potentials times `scale`, of which a fraction is -inf, and durations that add up to 1."""
    rng = np.random.default_rng(seed)
    shapes = (states,), (states, states), (int(LENGTHS.sum()), states)
    drawn = [scale * rng.standard_normal(shape) for shape in shapes]
    start, transition, node = (
        np.where(rng.random(shape) < forbidden, -np.inf, d) for shape, d in zip(shapes, drawn, strict=True)
    )
    durations = rng.dirichlet(np.ones(longest), states) * (rng.random((states, longest)) >= forbidden)
    total = durations.sum(axis=1, keepdims=True)
    durations = np.where(total > 0, durations / np.where(total > 0, total, 1.0), 1 / longest)
    with np.errstate(divide="ignore"):
        return SemiChain.of(start, transition, np.log(durations), node, LENGTHS)


def segmentations(chain: SemiChain, s: int) -> list[tuple[float, tuple[tuple[int, int], ...]]]:
    """Every segmentation of a sequence, as pairs of state and number of steps, with its log score."""
    K, D = chain.duration.shape
    first, T = int(chain.offset[s]), int(chain.offset[s + 1] - chain.offset[s])
    with np.errstate(divide="ignore"):
        survival = np.log(np.array([[np.exp(row[d:]).sum() for d in range(D)] for row in chain.duration]))
    complete: list[tuple[tuple[int, int], ...]] = []

    def extend(segments: tuple[tuple[int, int], ...], left: int) -> None:
        if left == 0:
            complete.append(segments)
            return
        for state in range(K):
            for steps in range(1, min(D, left) + 1):
                extend((*segments, (state, steps)), left - steps)

    extend((), T)
    found = []
    for segments in complete:
        score, t = 0.0, first
        for place, (state, steps) in enumerate(segments):
            table = survival if place + 1 == len(segments) else chain.duration
            score += table[state, steps - 1] + chain.node[t : t + steps, state].sum()
            t += steps
        score += chain.start[segments[0][0]] if segments else 0.0
        score += sum(chain.transition[a, b] for (a, _), (b, _) in pairwise(segments))
        if score > -np.inf:
            found.append((float(score), segments))
    return found


def path_of(segments: tuple[tuple[int, int], ...]) -> list[int]:
    return [state for state, steps in segments for _ in range(steps)]


CASES = [(1, 3, 0.0, 1.0), (2, 2, 0.0, 1.0), (2, 4, 0.3, 1.0), (3, 3, 0.2, 300.0)]


@pytest.mark.parametrize(("states", "longest", "forbidden", "scale"), CASES)
def test_posteriors_and_expected_numbers_are_those_of_all_segmentations(states, longest, forbidden, scale):
    chain = lattice(states, longest, forbidden, scale)
    weight = np.array([1.0, 0.5, 3.0, 2.0, 0.0])
    found = chain.forward_backward(weight)
    posterior, transitions = np.zeros(chain.node.shape), np.zeros((states, states))
    durations, last = np.zeros((2, states, longest))
    for s in range(chain.sequences):
        every = segmentations(chain, s)
        if not every:
            assert found.log_likelihood[s] == -np.inf
            continue
        whole = np.logaddexp.reduce([score for score, _ in every])
        assert np.isclose(found.log_likelihood[s], whole, rtol=1e-12, atol=1e-12)
        for score, segments in every:
            mass = np.exp(score - whole)
            for t, state in enumerate(path_of(segments)):
                posterior[chain.offset[s] + t, state] += mass
            for (a, _), (b, _) in pairwise(segments):
                transitions[a, b] += weight[s] * mass
            for place, (state, steps) in enumerate(segments):
                (last if place + 1 == len(segments) else durations)[state, steps - 1] += weight[s] * mass
    for got, expected in zip(found[1:], (posterior, transitions, durations, last), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("states", "longest", "forbidden", "scale"), CASES)
def test_the_best_segmentations_are_the_first_of_all(states, longest, forbidden, scale):
    chain = lattice(states, longest, forbidden, scale)
    paths, scores = chain.k_best(4)
    best, begins, score = chain.segments()
    for s in range(chain.sequences):
        part = slice(chain.offset[s], chain.offset[s + 1])
        if part.start == part.stop:
            continue
        every = sorted(segmentations(chain, s), key=lambda pair: -pair[0])[:4]
        expected = [value for value, _ in every] + [-np.inf] * (4 - len(every))
        np.testing.assert_allclose(scores[s], expected, rtol=1e-10, atol=1e-10)
        if every:
            assert np.isclose(score[s], every[0][0], rtol=1e-10, atol=1e-10)
            assert best[part].tolist() == paths[part, 0].tolist() == path_of(every[0][1])
            assert begins[part].sum() == len(every[0][1])


@pytest.mark.parametrize("lag", [0, 1, 3, 10])
def test_filtering_and_fixed_lags_are_posteriors_of_the_steps_so_far(lag):
    chain = lattice(2, 3, 0.1, seed=2)
    found = chain.filter()[1] if lag == 0 else chain.fixed_lag(lag)
    for s in (0, 3):
        first, end = int(chain.offset[s]), int(chain.offset[s + 1])
        for t in range(first, end):
            seen = chain.node[first : min(t + lag + 1, end)]
            part = SemiChain.of(chain.start, chain.transition, chain.duration, seen, np.array([len(seen)]))
            np.testing.assert_allclose(found[t], part.forward_backward().states[t - first], atol=1e-10)
    np.testing.assert_allclose(chain.fixed_lag(10), chain.forward_backward().states, atol=1e-10)


def test_drawn_paths_have_the_posterior_of_the_states():
    chain = lattice(2, 3, seed=1)
    drawn = chain.sample_paths(20_000, np.random.default_rng(0))
    expected = chain.forward_backward().states[:, 1]
    np.testing.assert_allclose(drawn.mean(axis=1), expected, atol=5 * 0.5 / np.sqrt(20_000))


def test_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    lengths = np.full(9, 900)
    durations = np.log(rng.dirichlet(np.ones(12), 3))
    chain = SemiChain.of(np.zeros(3), rng.standard_normal((3, 3)), durations, rng.standard_normal((8100, 3)), lengths)
    results = []
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            results.append([np.asarray(part).tobytes() for part in chain.forward_backward(rng.random(9) * 0 + 0.3)])
    assert all(result == results[0] for result in results)
