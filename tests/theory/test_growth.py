"""Growth orders: counted steps, intervals, and the stated orders of learning algorithms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import learnable
from learnable import KNeighborsClassifier, pairwise_distances
from learnable.theory import growth_order, measure_growth


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_steps_of_nested_loops(depth):
    steps = [sum(1 for _ in product(range(n), repeat=depth)) for n in (4, 8, 16, 32)]
    found = growth_order([4, 8, 16, 32], steps)
    assert found.exponent == pytest.approx(depth) and found.interval == pytest.approx((depth, depth))


def test_the_interval_covers_the_exponent():
    rng, sizes, inside = np.random.default_rng(0), np.array([10, 20, 40, 80, 160]), 0
    for _ in range(300):
        low, high = growth_order(sizes, sizes**1.5 * np.exp(0.1 * rng.standard_normal(5))).interval
        inside += low <= 1.5 <= high
    assert 270 <= inside <= 298
    with pytest.raises(learnable.DataError, match="at least three positive numbers"):
        growth_order([1, 2, 3], [1, 0, 2])


def test_stated_orders_of_learning_algorithms():
    """Distances that are computed: a query of k-nearest neighbours O(N), all pairs O(N^2)."""
    calls = [0]

    def distance(a, b):
        calls[0] += 1
        return float(np.abs(a - b).sum())

    def counted(work, sizes):
        found = []
        for n in sizes:
            X = np.random.default_rng(n).standard_normal((n, 3))
            prepared = work(X)
            calls[0] = 0
            prepared()
            found.append(calls[0])
        return growth_order(sizes, found).exponent

    def query(X):
        model = KNeighborsClassifier(algorithm="brute", metric=distance).fit(X, np.arange(len(X)) % 2)
        return lambda: model.predict(X[:5])

    assert counted(query, [50, 100, 200]) == pytest.approx(1, abs=0.05)
    pairs = counted(lambda X: lambda: pairwise_distances(X, metric=distance), [20, 40, 80])
    assert pairs == pytest.approx(2, abs=0.1)


def test_the_time_of_a_call_is_measured():
    calls = []
    found = measure_growth(lambda n: lambda: calls.append(n), [1, 2, 4], repeats=2)
    assert calls == [1, 1, 2, 2, 4, 4] and (found.costs > 0).all()


def test_the_interval_is_printed_with_its_level():
    half = growth_order([10, 20, 40, 80], [1.0, 2.2, 3.9, 8.4], confidence=0.5)
    assert "(50 % interval" in str(half)


def test_a_task_must_return_a_call():
    with pytest.raises(learnable.DataError, match="must return a function"):
        measure_growth(lambda n: None, [1, 2, 3])
