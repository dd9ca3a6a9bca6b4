"""Bisecting k-means, kernel k-means, k-modes and k-prototypes."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import sklearn.cluster
from sklearn.datasets import make_circles

import learnable
from learnable.cluster import BisectingKMeans, KernelKMeans, KMeans, KModes, KPrototypes


def blobs(rows: int = 400, columns: int = 3, clusters: int = 6, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=8, size=(clusters, columns))
    return centres[rng.integers(clusters, size=rows)] + rng.normal(size=(rows, columns))


def test_splits_are_those_of_2_means():
    X = blobs()
    model = BisectingKMeans(6, n_init=5, random_state=0).fit(X)
    theirs = sklearn.cluster.BisectingKMeans(6, n_init=5, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(theirs.inertia_, rel=1e-3)
    assert (np.diff(model.trace_["objective"]) <= 0).all()
    for cluster, centre in enumerate(model.cluster_centers_):
        np.testing.assert_allclose(X[model.labels_ == cluster].mean(axis=0), centre, atol=0.05)
    two = BisectingKMeans(2, n_init=5, random_state=0).fit(X)
    assert two.inertia_ == pytest.approx(KMeans(2, n_init=10, random_state=0).fit(X).inertia_)


def test_the_largest_cluster_is_split_if_requested():
    X = np.concatenate([np.random.default_rng(0).normal(size=(100, 1)), [[100.0], [140.0]]])
    by_size = BisectingKMeans(3, bisecting_strategy="largest_cluster", n_init=3, random_state=0).fit(X)
    by_square = BisectingKMeans(3, n_init=3, random_state=0).fit(X)
    assert np.bincount(by_size.labels_).max() < 100 == np.bincount(by_square.labels_).max()
    with pytest.warns(learnable.ConvergenceWarning, match="only 1 of n_clusters=2"):
        BisectingKMeans(2).fit(np.ones((5, 2)))


def test_linear_kernel_is_k_means():
    X = blobs(150)
    model = KernelKMeans(6, kernel="linear", n_init=20, random_state=0).fit(X)
    best = KMeans(6, n_init=20, random_state=0, tol=0).fit(X)
    assert model.inertia_ == pytest.approx(best.inertia_)
    np.testing.assert_allclose(model.shares_.T @ X, np.stack([X[model.labels_ == k].mean(axis=0) for k in range(6)]))
    far = np.sqrt(((X[:, None] - model.shares_.T @ X) ** 2).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), far, atol=1e-6)
    given = KernelKMeans(6, kernel="precomputed", n_init=20, random_state=0).fit(X @ X.T)
    assert given.inertia_ == pytest.approx(best.inertia_, rel=1e-6)
    np.testing.assert_array_equal(given.predict(X[:9] @ X.T), given.labels_[:9])


def test_distances_in_feature_space_are_the_formula():
    X = blobs(40)
    weight = np.random.default_rng(1).integers(1, 4, 40).astype(float)
    model = KernelKMeans(3, gamma=0.05, random_state=0).fit(X, sample_weight=weight)
    K = np.exp(-0.05 * ((X[:, None] - X) ** 2).sum(axis=2))
    for cluster in range(3):
        inside = model.shares_[:, cluster] > 0
        s = weight * inside
        square = 1 - 2 * K @ s / s.sum() + s @ K @ s / s.sum() ** 2
        np.testing.assert_allclose(model.transform(X)[:, cluster] ** 2, square, atol=1e-9)
    assert (np.diff(model.trace_["objective"]) <= 1e-9).all()


def test_a_nonlinear_kernel_separates_concentric_rings():
    X, y = make_circles(200, factor=0.2, noise=0.03, random_state=0)
    model = KernelKMeans(2, kernel=lambda a, b: (a @ a) * (b @ b), random_state=0).fit(X)  # of squared radii
    assert max((model.labels_ == y).mean(), (model.labels_ != y).mean()) == 1
    assert max((KMeans(2, random_state=0).fit(X).labels_ == y).mean(), 0.5) < 0.7


def mismatches(table: np.ndarray, modes: np.ndarray) -> np.ndarray:
    return (table[:, None, :] != modes).sum(axis=2)


@pytest.mark.parametrize("weighted", [False, True])
def test_modes_are_the_most_frequent_values_of_their_clusters(weighted):
    rng = np.random.default_rng(0)
    table = rng.choice(list("abcd"), (300, 6)).astype(object)
    weight = rng.integers(1, 4, 300).astype(float) if weighted else None
    model = KModes(5, n_init=3, random_state=0).fit(table, sample_weight=weight)
    costs = mismatches(table, model.cluster_centers_)
    np.testing.assert_array_equal(model.labels_, costs.argmin(axis=1))
    heavy = np.ones(300) if weight is None else weight
    assert model.inertia_ == heavy @ costs.min(axis=1) and (np.diff(model.trace_["objective"]) <= 0).any()
    for cluster in range(5):
        for column in range(6):
            inside = model.labels_ == cluster
            counts = {value: heavy[inside & (table[:, column] == value)].sum() for value in "abcd"}
            assert counts[model.cluster_centers_[cluster, column]] == max(counts.values())
    assert model.predict([["new"] * 6]).tolist() == [0]


def test_k_prototypes_equals_k_means_and_k_modes():
    X = blobs(200, 2, 4)
    colours = np.random.default_rng(0).choice(["red", "blue"], 200)
    frame = pandas.DataFrame({"x": X[:, 0], "colour": colours, "y": X[:, 1]})
    model = KPrototypes(4, gamma=0.7, n_init=5, random_state=0).fit(frame)
    assert model.nominal_.tolist() == [1] and model.gamma_ == 0.7
    modes = model.categories_[0][model.modes_[:, 0]]
    costs = ((X[:, None] - model.means_) ** 2).sum(axis=2) + 0.7 * (colours[:, None] != modes)
    np.testing.assert_array_equal(model.labels_, costs.argmin(axis=1))
    assert model.inertia_ == pytest.approx(costs.min(axis=1).sum())
    free = KPrototypes(4, gamma=0, n_init=5, random_state=0).fit(frame)
    assert free.inertia_ == pytest.approx(KMeans(4, n_init=10, random_state=0, tol=0).fit(X).inertia_, rel=1e-2)
    codes = np.column_stack([X, colours == "red"])
    named = KPrototypes(4, categorical_features=[2], gamma=0.7, n_init=5, random_state=0).fit(codes)
    assert named.inertia_ == pytest.approx(model.inertia_, rel=0.05)
    with pytest.raises(learnable.ParameterError, match="categorical_features must be columns of X"):
        KPrototypes(2, categorical_features=["nothing"]).fit(frame)


def test_the_default_gamma_is_half_the_mean_deviation():
    X = np.column_stack([np.array([0.0, 2.0, 0.0, 2.0]), np.array([0.0, 6.0, 0.0, 6.0]), np.ones(4)])
    assert KPrototypes(2, categorical_features=[2], random_state=0).fit(X).gamma_ == pytest.approx((1 + 3) / 4)
