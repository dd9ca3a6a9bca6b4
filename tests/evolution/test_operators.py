"""Operators of genetic algorithms: worked examples, distributions in closed form, streams of individuals."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import evolution
from learnable.engines.evolution.crossover import _mapped, _ordered
from learnable.engines.evolution.row_draws import RowDraws

MANY = 40_000


def frequencies(indices, n):
    return np.bincount(indices, minlength=n) / len(indices)


def within(found, expected, count=MANY):
    """Whether frequencies are within five standard errors of the expected probabilities."""
    expected = np.asarray(expected)
    return (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / count) + 1e-12).all()


def test_roulette_frequencies_are_proportional_to_fitness():
    fitness = [1.0, 0.0, 2.0, 5.0]
    found = frequencies(evolution.roulette_selection(fitness, MANY, 0), 4)
    assert within(found, np.array(fitness) / 8)
    assert not within(found, [0.25] * 4)


def test_linear_ranks_have_the_expected_frequencies():
    found = frequencies(evolution.rank_selection([3.0, 1.0, 2.0, 100.0], MANY, 0, pressure=1.8), 4)
    expected = (2 - 1.8 + 2 * 0.8 * np.array([2, 0, 1, 3]) / 3) / 4
    assert expected.sum() == pytest.approx(1)
    assert within(found, expected)


def test_tournaments_are_won_with_the_probability_of_order_statistics():
    n, size = 5, 3
    found = frequencies(evolution.tournament_selection(np.arange(5.0), MANY, 0, size=size), n)
    best = np.arange(1, n + 1) / n
    assert within(found, np.diff(np.concatenate([[0], best**size])))


def test_stochastic_universal_sampling_has_the_least_spread():
    fitness = np.array([0.5, 1.5, 3.0, 2.2])
    for seed in range(50):
        counts = np.bincount(evolution.stochastic_universal_sampling(fitness, 10, seed), minlength=4)
        expected = 10 * fitness / fitness.sum()
        assert ((counts >= np.floor(expected)) & (counts <= np.ceil(expected))).all()


@pytest.mark.parametrize("select", [evolution.roulette_selection, evolution.stochastic_universal_sampling])
def test_negative_fitness_is_refused(select):
    with pytest.raises(learnable.DataError, match="individual 1; shift the fitness"):
        select([1.0, -2.0], 3, 0)


FIRST, SECOND = np.array([[1, 2, 3, 4, 5, 6, 7, 8, 9]]) - 1, np.array([[9, 3, 7, 8, 2, 6, 5, 1, 4]]) - 1
SECTION = (np.arange(9) >= 3) & (np.arange(9) < 7)


def test_partially_mapped_crossover_of_the_textbook():
    child = _mapped(SECOND, FIRST, SECTION[None])  # Eiben and Smith, Introduction to Evolutionary Computing, 4.5
    assert (child[0] + 1).tolist() == [9, 3, 2, 4, 5, 6, 7, 1, 8]


def test_order_crossover_of_the_textbook():
    child = _ordered(FIRST, SECOND, SECTION[None], np.array([[7]]))
    assert (child[0] + 1).tolist() == [3, 8, 2, 4, 5, 6, 7, 1, 9]


@pytest.mark.parametrize("cross", [evolution.order_crossover, evolution.partially_mapped_crossover])
def test_children_of_permutations_are_permutations_with_genes_of_both(cross):
    rng = np.random.default_rng(0)
    first, second = (rng.permuted(np.tile(np.arange(7), (200, 1)), axis=1) for _ in range(2))
    for child, kept in zip(cross(first, second, 3), (first, second), strict=True):
        assert (np.sort(child, axis=1) == np.arange(7)).all()
        assert (child != kept).any(axis=1).mean() > 0.5
    with pytest.raises(learnable.DataError, match="row 0 is not one"):
        cross([[0, 0]], [[0, 1]])


@pytest.mark.parametrize(
    "cross", [evolution.one_point_crossover, evolution.two_point_crossover, evolution.uniform_crossover]
)
def test_bit_strings_exchange_genes(cross):
    zeros, ones = np.zeros((3000, 6), dtype=int), np.ones((3000, 6), dtype=int)
    one, two = cross(zeros, ones, 1)
    assert (one + two == 1).all()
    changes = (np.diff(one, axis=1) != 0).sum(axis=1)
    most = {"one_point_crossover": 1, "two_point_crossover": 2, "uniform_crossover": 5}[cross.__name__]
    assert changes.max() == most
    if cross is evolution.one_point_crossover:
        assert within(np.bincount(6 - one.sum(axis=1), minlength=7)[1:6] / 3000, [0.2] * 5, 3000)
    if cross is evolution.uniform_crossover:
        assert within(one.mean(axis=0), [0.5] * 6, 3000)


def test_spread_of_simulated_binary_crossover_has_its_distribution():
    a, b = np.zeros((MANY, 1)), np.ones((MANY, 1))
    one, two = evolution.simulated_binary_crossover(a, b, 0, eta=2.0, probability=1.0)
    assert np.allclose(one + two, 1)
    spread = np.abs(one - two)[:, 0]
    for limit in (0.5, 0.8, 1.0, 1.25, 2.0):
        expected = 0.5 * limit**3 if limit <= 1 else 1 - 0.5 * limit**-3.0
        assert within(np.array([(spread <= limit).mean()]), [expected])


def test_bounded_operators_stay_within_bounds():
    rng = np.random.default_rng(0)
    rows = rng.random((500, 4))
    crossed = evolution.simulated_binary_crossover(rows, rows[::-1], 0, eta=0.5, low=0.0, high=1.0)
    mutated = evolution.polynomial_mutation(rows, 0, low=0.0, high=1.0, eta=0.1, probability=1.0)
    noisy = evolution.gaussian_mutation(rows, 0, low=0.0, high=1.0, scale=2.0, probability=1.0)
    for found in (*crossed, mutated, noisy):
        assert found.min() >= 0 and found.max() <= 1 and (found != rows).mean() > 0.2


def test_polynomial_mutation_has_its_distribution_far_from_the_bounds():
    rows = np.full((MANY, 1), 0.5)
    step = evolution.polynomial_mutation(rows, 0, low=0.0, high=1.0, eta=20.0, probability=1.0) - 0.5
    for limit in (0.02, 0.05, 0.1):  # the bounds change the distribution by 2^-21
        assert within(np.array([(np.abs(step) <= limit).mean()]), [1 - (1 - limit) ** 21])


def test_blend_crossover_is_uniform_on_the_widened_interval():
    one, _ = evolution.blend_crossover(np.zeros((MANY, 1)), np.ones((MANY, 1)), 0, alpha=0.5)
    for limit in (-0.25, 0.0, 0.5, 1.2):
        assert within(np.array([(one <= limit).mean()]), [(limit + 0.5) / 2])


def test_mutation_rates():
    zeros = np.zeros((MANY, 4), dtype=int)
    assert within(evolution.flip_mutation(zeros, 0).mean(axis=0), [0.25] * 4)
    reset = evolution.reset_mutation(zeros, 0, low=1, high=4, probability=0.4)
    assert within(frequencies(reset.ravel(), 5), [0.6, 0.1, 0.1, 0.1, 0.1], 4 * MANY)
    noise = evolution.gaussian_mutation(np.zeros((MANY, 1)), 0, scale=2.0, probability=1.0)
    assert noise.std() == pytest.approx(2.0, rel=0.03) and abs(noise.mean()) < 0.05
    swapped = evolution.swap_mutation(np.tile(np.arange(4), (MANY, 1)), 0, probability=0.3)
    assert within(np.array([(swapped != np.arange(4)).any(axis=1).mean()]), [0.3])
    assert set((swapped != np.arange(4)).sum(axis=1).tolist()) == {0, 2}


def test_an_individual_has_the_same_stream_in_every_population():
    few, many = RowDraws(7, 3, (2,), first=5), RowDraws(7, 20, (2,))
    for width in (3, 5):
        assert (few.uniform(width) == many.uniform(width)[5:8]).all()
    assert (few.normal(2) == many.normal(2)[5:8]).all()
    assert (RowDraws(7, 3, (3,)).uniform(2) != RowDraws(7, 3, (2,)).uniform(2)).any()


def test_other_individuals_are_different_ones():
    drawn = RowDraws(0, 2000).others(4)
    everyone = np.column_stack([np.arange(2000), drawn])
    assert all(len(set(row)) == 5 for row in everyone.tolist())
    few = RowDraws(0, 6)
    assert within(frequencies(np.concatenate([few.others(2)[0] for _ in range(6000)]), 6), [0] + [0.2] * 5, 12_000)
