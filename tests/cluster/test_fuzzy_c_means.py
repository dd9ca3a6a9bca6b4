"""Fuzzy c-means: memberships and centroids against the formulas."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.cluster import FuzzyCMeans, KMeans


def rows(n: int = 200, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(scale=4, size=(4, 3))[rng.integers(4, size=n)] + rng.normal(size=(n, 3))


@pytest.mark.parametrize("m", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_memberships_and_centroids_are_optimal_for_each_other(m, weighted):
    X = rows()
    weight = np.random.default_rng(1).random(len(X)) if weighted else np.ones(len(X))
    model = FuzzyCMeans(4, m=m, tol=1e-14, random_state=0).fit(X, sample_weight=weight if weighted else None)
    square = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    shares = 1 / ((square[:, :, None] / square[:, None, :]) ** (1 / (m - 1))).sum(axis=2)
    np.testing.assert_allclose(model.memberships_, shares, rtol=1e-9)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1)
    pull = weight[:, None] * shares**m
    np.testing.assert_allclose(model.cluster_centers_, pull.T @ X / pull.sum(axis=0)[:, None], atol=1e-5)
    assert model.inertia_ == pytest.approx((pull * square).sum())
    assert model.score(X, sample_weight=weight) == pytest.approx(-model.inertia_)
    course = model.trace_["objective"]
    assert (np.diff(course) <= 1e-9 * course[0]).all() and model.certificate_.holds
    np.testing.assert_array_equal(model.labels_, shares.argmax(axis=1))


def test_a_row_at_a_centroid_is_its_only_member():
    model = FuzzyCMeans(2, init=np.array([[0.0], [4.0]]), max_iter=1, tol=1e9).fit([[0.0], [4.0], [2.0]])
    centres = model.cluster_centers_
    np.testing.assert_allclose(model.predict_proba(centres), np.eye(2))
    np.testing.assert_allclose(model.predict_proba([[2.0]]), [[0.5, 0.5]])


def test_a_fuzzifier_near_one_gives_k_means():
    X = rows()
    begin = X[:4]
    fuzzy, hard = FuzzyCMeans(4, m=1.01, init=begin).fit(X), KMeans(4, init=begin, tol=0).fit(X)
    np.testing.assert_allclose(fuzzy.cluster_centers_, hard.cluster_centers_, atol=0.05)
    assert (fuzzy.labels_ == hard.labels_).mean() > 0.98
    assert fuzzy.memberships_.max(axis=1).mean() > 0.98 > FuzzyCMeans(4, m=3, init=begin).fit(X).memberships_.max()
