"""Samples of rows: distinct, as likely as their weights, blind to order, copies and storage."""

from __future__ import annotations

from collections import Counter
from itertools import combinations as listed
from itertools import permutations
from math import comb

import numpy as np
import pytest
from scipy import sparse

from learnable.core import Data
from learnable.engines.sampling.weighted_sampling import Population, combinations, distinct

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((40, 3)), RNG.standard_normal((40, 2))


def drawn(X, y, weight=None, size=4, units=range(30)):
    """The contents of the samples, row by row."""
    data = Data(X, y, weight, None)
    dense = X.toarray() if sparse.issparse(X) else X
    return np.column_stack([dense, y])[Population.of(data).samples(7, units, size)]


def test_samples_hold_different_items_and_depend_on_their_unit_only():
    for count, size in ((5, 5), (6, 5), (30, 12), (1000, 3)):
        samples = distinct(count, None, 3, range(200), size)
        assert samples.shape == (200, size) and samples.min() >= 0 and samples.max() < count
        assert (np.diff(samples, axis=1) > 0).all()
        np.testing.assert_array_equal(samples[150:], distinct(count, None, 3, range(150, 200), size))


@pytest.mark.parametrize("weight", [[1, 1, 1, 1], [1, 2, 3, 10], [1e-3, 1, 1, 100]])
def test_probabilities_are_those_of_drawing_one_after_the_other(weight):
    share = np.array(weight) / np.sum(weight)
    expected: Counter[tuple[int, ...]] = Counter()
    for first, second in permutations(range(4), 2):
        expected[tuple(sorted((first, second)))] += share[first] * share[second] / (1 - share[first])
    trials = 40_000
    seen = Counter(map(tuple, distinct(4, np.array(weight, float), 1, range(trials), 2).tolist()))
    for pair, probability in expected.items():
        assert seen[pair] / trials == pytest.approx(
            probability, abs=4.5 * np.sqrt(probability * (1 - probability) / trials) + 1e-6
        )


def test_where_redrawing_is_not_enough_the_rest_come_by_a_race():
    weight = np.array([1e6, 1.0, 1.0, 2.0])
    samples = distinct(4, weight, 0, range(20_000), 2)
    assert (samples[:, 0] == 0).mean() > 0.999
    partners = np.bincount(samples[:, 1], minlength=4) / len(samples)
    np.testing.assert_allclose(partners[1:], [0.25, 0.25, 0.5], atol=0.015)


def test_neither_order_nor_storage_nor_precision_matters():
    plain = drawn(X, Y)
    order = RNG.permutation(40)
    np.testing.assert_array_equal(drawn(X[order], Y[order]), plain)
    np.testing.assert_array_equal(drawn(np.asfortranarray(X), Y), plain)
    np.testing.assert_array_equal(drawn(sparse.csr_array(X), Y), plain)
    np.testing.assert_allclose(drawn(X.astype(np.float32), Y.astype(np.float32)), plain, rtol=1e-6)
    signed = np.where(np.abs(X) < 0.5, -0.0, X)
    np.testing.assert_array_equal(drawn(sparse.csr_array(signed), Y), drawn(np.abs(signed) * np.sign(signed), Y))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_weights_draw_like_copies(make):
    count = RNG.integers(0, 4, 40)
    copies = RNG.permutation(np.repeat(np.arange(40), count))
    weighted = drawn(make(X), Y, count.astype(float))
    np.testing.assert_array_equal(drawn(make(X[copies]), Y[copies]), weighted)
    assert (np.diff(np.sort(weighted[:, :, 0]), axis=1) > 0).all(), "the same row twice in a sample"


def test_rows_that_differ_beyond_single_precision_are_different_rows():
    close = np.array([[1.0], [1.0 + 1e-12], [1.0 + 2e-12], [1.0]])
    population = Population.of(Data(close, np.zeros(4), None, None))
    assert sorted(close[population.rows, 0].tolist()) == [1.0, 1.0 + 1e-12, 1.0 + 2e-12]
    assert population.weight is not None and sorted(population.weight.tolist()) == [1, 1, 2]
    tiny = Population.of(Data(close * 1e-150, np.zeros(4), None, None))
    assert len(tiny.rows) == 3


def test_combinations_are_those_of_itertools_from_any_number_on():
    for count in range(1, 8):
        for size in range(1, count + 1):
            every = np.array(list(listed(range(count), size)))
            for start in (0, len(every) // 2, len(every) - 1):
                np.testing.assert_array_equal(combinations(count, size, range(start, len(every))), every[start:])
    last = range(comb(300, 298) - 1, comb(300, 298))
    assert combinations(300, 298, last)[0].tolist() == list(range(2, 300))
