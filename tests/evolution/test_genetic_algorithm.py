"""Genetic algorithms against optima by enumeration; islands, stopping, resuming."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import learnable
from learnable.evolution import Bits, GeneticAlgorithm, Integers, Permutation, Reals
from learnable.plot import FitnessDisplay

rng = np.random.default_rng(5)
WEIGHT, VALUE = rng.integers(5, 40, 14), rng.integers(5, 60, 14)
CITIES = rng.random((8, 2))
APART = np.hypot(*(CITIES[:, None] - CITIES).transpose(2, 0, 1))


def packed(bits):
    return float(VALUE @ bits) if WEIGHT @ bits <= 150 else 0.0


def tour(order):
    return float(APART[order, np.roll(order, -1)].sum())


@pytest.mark.parametrize("selection", ["tournament", "roulette", "rank", "sus"])
def test_the_best_knapsack(selection):
    every = (np.arange(2**14)[:, None] >> np.arange(14)) & 1
    best = np.where(every @ WEIGHT <= 150, every @ VALUE, 0).max()
    search = GeneticAlgorithm(
        Bits(14), population_size=120, selection=selection, max_generations=150, target=float(best), random_state=0
    ).maximize(packed)
    assert search.best_fitness_ == best == packed(search.best_)
    assert search.trace_.stopped == "converged"


@pytest.mark.parametrize("crossover", ["order", "pmx"])
def test_the_shortest_tour(crossover):
    shortest = min(tour(np.array((0, *rest))) for rest in permutations(range(1, 8)))
    search = GeneticAlgorithm(Permutation(8), crossover=crossover, n_islands=2, random_state=1).minimize(tour)
    assert search.best_fitness_ == pytest.approx(shortest, abs=1e-12)
    assert sorted(search.best_.tolist()) == list(range(8))


@pytest.mark.parametrize("crossover", ["sbx", "blend"])
@pytest.mark.parametrize("mutation", ["polynomial", "gaussian"])
def test_the_minimum_of_a_sphere(crossover, mutation):
    search = GeneticAlgorithm(
        Reals(-5, 5, 4), crossover=crossover, mutation=mutation, max_generations=200, vectorized=True, random_state=0
    ).minimize(lambda X: ((X - 1) ** 2).sum(axis=1))
    assert np.abs(search.best_ - 1).max() < 0.05


def test_integers_and_mixed_genes():
    whole = GeneticAlgorithm(Integers([0, -5], [9, 5], 2), random_state=0).minimize(
        lambda x: abs(int(x[0]) - 7) + abs(int(x[1]) + 3)
    )
    assert whole.best_.tolist() == [7, -3] and whole.best_.dtype == np.int64
    mixed = GeneticAlgorithm([Bits(3), Integers(0, 4), Reals(0, 1), Permutation(3)], random_state=0)
    mixed.maximize(lambda x: x[0].sum() + x[1][0] - abs(x[2][0] - 0.5) + (x[3] == [2, 0, 1]).sum())
    bits, number, real, order = mixed.best_
    assert bits.all() and number.tolist() == [4] and order.tolist() == [2, 0, 1]
    assert real[0] == pytest.approx(0.5, abs=0.02)


def test_elites_never_get_worse_and_without_them_they_may():
    kept = GeneticAlgorithm(Bits(30), population_size=20, random_state=0).maximize(lambda b: b.sum())
    assert (np.diff(kept.trace_["best"]) >= 0).all()
    lost = GeneticAlgorithm(Bits(30), population_size=20, n_elite=0, random_state=0).maximize(lambda b: b.sum())
    assert (np.diff(lost.trace_["best"]) < 0).any()
    assert (np.diff(lost.trace_["objective"]) >= 0).all()


def test_migration_carries_the_best_to_the_next_island():
    settings = {"population_size": 10, "n_islands": 3, "max_generations": 4, "mutation_rate": 0.0, "random_state": 0}
    apart = GeneticAlgorithm(Bits(20), migration_interval=99, **settings).maximize(lambda b: b.sum())
    joined = GeneticAlgorithm(Bits(20), migration_interval=2, **settings).maximize(lambda b: b.sum())
    best = [search.fitness_.reshape(3, 10).max(axis=1) for search in (apart, joined)]
    assert best[1].min() > best[0].min()


def test_migrants_replace_the_least_fit_of_the_next_island():
    search = GeneticAlgorithm(Bits(1), population_size=3, n_islands=2, n_migrants=1)
    search._function, search._sign, search._initial = None, 1.0, None
    population, fitness = np.arange(6.0)[:, None], np.array([5.0, 1.0, 3.0, 2.0, 9.0, 4.0])
    search._method(0)._migrate(population, fitness)
    assert population[:, 0].tolist() == [0, 4, 2, 0, 4, 5]  # 4 replaced 1, and 0 replaced 3
    assert fitness.tolist() == [5, 9, 3, 5, 9, 4]


def test_a_population_at_once_is_the_same_search():
    one = GeneticAlgorithm(Reals(0, 1, 3), max_generations=15, random_state=3).minimize(lambda x: float((x**2).sum()))
    all_ = GeneticAlgorithm(Reals(0, 1, 3), max_generations=15, random_state=3, vectorized=True).minimize(
        lambda X: np.array([float((x**2).sum()) for x in X])
    )
    assert (one.population_ == all_.population_).all() and one.n_evaluations_ == all_.n_evaluations_


def test_unchanged_children_are_not_evaluated_again():
    seen = []
    search = GeneticAlgorithm(Bits(4), population_size=20, max_generations=30, random_state=0).maximize(
        lambda bits: seen.append(1) or bits.sum()
    )
    assert len(seen) == search.n_evaluations_ < 31 * 20


def test_a_killed_search_resumes_with_the_same_bits(tmp_path):
    def fitness(bits):
        return float((bits * np.arange(25)).sum() % 101)

    whole = GeneticAlgorithm(Bits(25), population_size=30, max_generations=40, random_state=0).maximize(fitness)
    path = tmp_path / "search"
    stopping = learnable.watch(lambda event: event.iteration >= 12)
    with stopping, learnable.checkpoint(path, every=0):
        part = GeneticAlgorithm(Bits(25), population_size=30, max_generations=40, random_state=0).maximize(fitness)
    assert part.trace_.stopped == "interrupted" and part.trace_.iterations == 12
    with learnable.checkpoint(path, every=0):
        again = GeneticAlgorithm(Bits(25), population_size=30, max_generations=40, random_state=0).maximize(fitness)
    assert again.trace_.iterations == 40 and (again.population_ == whole.population_).all()


def test_a_budget_keeps_the_best_so_far():
    with learnable.budget(seconds=0.2):
        search = GeneticAlgorithm(Reals(-1, 1, 5), max_generations=10**6, random_state=0).minimize(
            lambda x: float((x**2).sum())
        )
    assert search.trace_.stopped == "budget" and search.best_fitness_ < 0.5


def test_initial_individuals_take_part():
    search = GeneticAlgorithm(Bits(40), population_size=10, max_generations=1, random_state=0)
    assert search.maximize(lambda b: b.sum(), initial=np.ones((1, 40))).best_fitness_ == 40


@pytest.mark.parametrize(
    "options, message",
    [
        ({"genes": Bits(3), "crossover": "sbx"}, "does not fit genes that are bits; take two_point"),
        ({"genes": Permutation(3), "mutation": "flip"}, "does not fit genes that are permutation; take swap"),
        ({"genes": Bits(3), "n_elite": 100}, "n_elite must be below population_size=100"),
        ({"genes": "bits"}, "genes must be"),
    ],
)
def test_senseless_settings_are_explained(options, message):
    with pytest.raises((learnable.ParameterError, TypeError), match=message):
        GeneticAlgorithm(**options).maximize(lambda x: 0.0)


def test_nan_is_refused():
    with pytest.raises(learnable.DataError, match="NaN for individual 0"):
        GeneticAlgorithm(Bits(2)).maximize(lambda x: np.nan)


def test_the_fitness_curve_shows_best_mean_and_worst():
    search = GeneticAlgorithm(Bits(30), population_size=30, random_state=0).maximize(lambda b: b.sum())
    display = FitnessDisplay.from_search(search)
    labels = [line.get_label() for line in display.ax_.lines]
    assert labels == ["best", "mean", "worst"]
    assert (display.ax_.lines[1].get_ydata() == search.trace_["mean"]).all()
