"""Balanced k-means: sizes at minimum cost, and new rows by the cells of a power diagram."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

import learnable
from learnable.cluster import BalancedKMeans, KMeans
from learnable.core.runtime.native import kernels


def rows(n: int = 90, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(scale=4, size=(4, 2))[rng.choice(4, n, p=[0.6, 0.2, 0.15, 0.05])] + rng.normal(size=(n, 2))


@pytest.mark.parametrize("seed", range(40))
def test_labels_cost_equals_that_of_a_linear_program(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(1, 6))
    fewest, most = int(rng.integers(0, n // k + 1)), int(rng.integers(-(-n // k), n + 1))
    costs = rng.exponential(size=(n, k)) if seed % 2 else rng.integers(0, 4, (n, k)).astype(float)
    labels = np.empty(n, dtype=np.int32)
    dual = kernels.balanced_labels(costs, fewest, most, labels)
    each, columns = np.kron(np.eye(n), np.ones(k)), np.tile(np.eye(k), n)
    least = linprog(
        costs.ravel(), np.vstack([columns, -columns]), np.repeat([most, -fewest], k).astype(float), each, np.ones(n)
    ).fun
    np.testing.assert_allclose(costs[np.arange(n), labels].sum(), least, rtol=1e-9, atol=1e-9)
    sizes = np.bincount(labels, minlength=k)
    assert fewest <= sizes.min() <= sizes.max() <= most
    reduced = costs + dual
    np.testing.assert_allclose(reduced[np.arange(n), labels], reduced.min(axis=1), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_sizes_are_equal_and_training_rows_keep_their_clusters(seed):
    X = rows(92, seed)
    model = BalancedKMeans(4, n_init=3, random_state=seed).fit(X)
    assert np.bincount(model.labels_).tolist() == [23] * 4
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.inertia_ >= KMeans(4, n_init=10, random_state=0).fit(X).inertia_
    centres = np.repeat(model.cluster_centers_, 23, axis=0)
    costs = ((X[:, None] - centres) ** 2).sum(axis=2)
    assert model.inertia_ <= costs[linear_sum_assignment(costs)].sum() * (1 + 1e-12) + 1e-9
    assert model.certificate_.holds


def test_inactive_size_bounds_give_k_means():
    X = rows()
    model = BalancedKMeans(4, init=X[:4], size_min=1).fit(X)
    np.testing.assert_array_equal(model.labels_, KMeans(4, init=X[:4], tol=0).fit(X).labels_)
    np.testing.assert_array_equal(model.radii_, np.zeros(4))


def test_sizes_differ_by_at_most_one():
    assert sorted(np.bincount(BalancedKMeans(4, random_state=0).fit(rows(90)).labels_)) == [22, 22, 23, 23]


def test_size_bounds_hold():
    sizes = np.bincount(BalancedKMeans(4, size_min=10, size_max=40, random_state=0).fit(rows()).labels_)
    assert sizes.min() >= 10 and sizes.max() <= 40


@pytest.mark.parametrize("bounds", [{"size_min": 31}, {"size_max": 29}, {"size_min": 20, "size_max": 10}])
def test_infeasible_sizes_are_explained(bounds):
    with pytest.raises(learnable.ParameterError, match="size_min at most 30 and size_max at least 30"):
        BalancedKMeans(3, **bounds).fit(rows())


def test_equal_rows_are_distributed():
    assert np.bincount(BalancedKMeans(3, random_state=0).fit(np.ones((9, 2))).labels_).tolist() == [3, 3, 3]
