"""Growth orders: counted steps, intervals, and the stated orders of learning algorithms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import learnable
from learnable import KMeans, KNeighborsClassifier, LinearRegression
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


@pytest.mark.slow
def test_stated_orders_of_learning_algorithms():
    """Least squares O(p^3), k-nearest neighbours O(N) per query by brute force, k-means O(N) per iteration."""
    rng = np.random.default_rng(0)

    def least_squares(p):
        X = rng.standard_normal((p + 20, p))
        y = X[:, 0]
        return lambda: LinearRegression().fit(X, y)

    def query(n):
        model = KNeighborsClassifier(algorithm="brute").fit(rng.standard_normal((n, 40)), np.arange(n) % 2)
        rows = rng.standard_normal((60, 40))
        return lambda: model.predict(rows)

    def clusters(n):
        X = rng.standard_normal((n, 20))
        return lambda: KMeans(8, n_init=1, max_iter=5, tol=0, init=X[:8]).fit(X)

    for task, sizes, stated in (
        (least_squares, [400, 800, 1600], 3), (query, [20_000, 40_000, 80_000], 1),
        (clusters, [40_000, 80_000, 160_000], 1),
    ):  # fmt: skip
        assert abs(measure_growth(task, sizes).exponent - stated) < 0.6, task.__name__
