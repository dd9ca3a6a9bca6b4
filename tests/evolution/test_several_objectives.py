"""Several objectives: dominance by definition, hypervolume by counting, the front of ZDT1."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.evolution import Reals, crowding_distance, hypervolume, non_dominated_ranks, nsga2


def dominates(a, b):
    return (a <= b).all() and (a < b).any()


def test_ranks_by_the_definition():
    F = np.random.default_rng(0).integers(0, 5, (40, 3)).astype(float)
    ranks, left, expected = non_dominated_ranks(F), list(range(40)), np.empty(40)
    front = 0
    while left:
        best = [i for i in left if not any(dominates(F[j], F[i]) for j in left)]
        expected[best], left, front = front, [i for i in left if i not in best], front + 1
    assert (ranks == expected).all() and ranks.max() > 2


def test_crowding_distance_of_a_worked_front():
    assert crowding_distance([[0, 10], [2, 6], [4, 3], [10, 0]]).tolist() == [
        np.inf, pytest.approx(0.4 + 0.7), pytest.approx(0.8 + 0.6), np.inf,
    ]  # fmt: skip


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_hypervolume_by_counting_cells(dimension):
    rng = np.random.default_rng(dimension)
    F = rng.integers(0, 6, (6, dimension)).astype(float)
    cells = np.stack(np.meshgrid(*[np.arange(6)] * dimension, indexing="ij"), -1).reshape(-1, dimension)
    counted = (F[:, None] <= cells).all(axis=2).any(axis=0).sum()
    assert hypervolume(F, np.full(dimension, 6.0)) == counted
    assert hypervolume(F, np.zeros(dimension)) == 0


def zdt1(X):
    g = 1 + 9 * X[:, 1:].mean(axis=1)
    return np.column_stack([X[:, 0], g * (1 - np.sqrt(X[:, 0] / g))])


def test_the_front_of_zdt1():
    found = nsga2(zdt1, Reals(0, 1, 10), vectorized=True, reference=[1.1, 1.1], rng=0)
    exact = 0.1 + 2 / 3 + 0.11  # the area below the reference above 1 - sqrt(f)
    assert 0.98 * exact < hypervolume(found.fun, [1.1, 1.1]) < exact
    assert (non_dominated_ranks(found.fun) == 0).all() and len(found.fun) > 90
    volume = found.trace["hypervolume"]
    assert volume[-1] > volume[10] and volume[-1] == pytest.approx(hypervolume(found.fun, [1.1, 1.1]))
    again = nsga2(zdt1, Reals(0, 1, 10), vectorized=True, maxiter=250, rng=0)
    assert (again.fun == found.fun).all()


def test_objectives_that_are_not_rows_are_explained():
    with pytest.raises(learnable.DataError, match=r"\[nan, 1.0\] for individual 0"):
        nsga2(lambda x: (np.nan, 1.0), Reals(0, 1), maxiter=1, rng=0)
    with pytest.raises(learnable.DataError, match="a row of objectives for each individual"):
        nsga2(lambda X: X[0], Reals(0, 1, 2), maxiter=1, vectorized=True, rng=0)


@pytest.mark.parametrize("value", [np.nan, np.inf, None, "text", [1.0, None]])
def test_objectives_must_be_finite_numbers(value):
    with pytest.raises(learnable.LearnableError, match=r"nsga2: .*(finite|numbers)"):
        nsga2(lambda x: value, Reals(-1, 1, 2), population_size=8, maxiter=2, rng=0)


def test_objectives_may_write_into_their_argument():
    def writes(x):
        value = (x[0] ** 2, (x[0] - 2) ** 2)
        x[...] = 0.0
        return value

    found = nsga2(writes, Reals(-3, 3, 1), population_size=8, maxiter=3, rng=0)
    assert found.fun[:, 0] == pytest.approx(found.x[:, 0] ** 2)
