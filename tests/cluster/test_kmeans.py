"""k-means: all ways to a step give the same labels, each step is what the formula says, the end is a fixed point."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import learnable
from learnable.cluster import KMeans, k_means, kmeans_plusplus
from learnable.cluster._kmeans.base_centroid import draw_centres
from learnable.engines.kmeans import ScaledData


def blobs(rows: int = 300, columns: int = 3, clusters: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=5, size=(clusters, columns))
    return centres[rng.integers(clusters, size=rows)] + rng.normal(size=(rows, columns))


def by_force(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The nearest centre of each row, the first of equals, from all differences."""
    return ((X[:, None, :].astype(float) - centres) ** 2).sum(axis=2).argmin(axis=1)


def naive(X: np.ndarray, centres: np.ndarray, weight: np.ndarray, steps: int) -> list[np.ndarray]:
    """The labels of each of Lloyd's steps, by the definition."""
    course = []
    for _ in range(steps):
        labels = by_force(X, centres)
        course.append(labels)
        mass = np.bincount(labels, weight, len(centres))
        sums = np.stack([np.bincount(labels, weight * column, len(centres)) for column in X.T], axis=1)
        centres = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)
    return course


@st.composite
def problems(draw):
    """Small grids full of ties and copies, or rows anywhere; centres among them or not; weights or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p, k = draw(st.integers(1, 60)), draw(st.integers(1, 5)), draw(st.integers(1, 9))
    offset = draw(st.sampled_from([0.0, 1e6]))
    X = rng.integers(-2, 3, (n, p)) / 2.0 if draw(st.booleans()) else rng.normal(size=(n, p))
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    centres = X[rng.integers(n, size=k)] if draw(st.booleans()) else rng.normal(size=(k, p))
    return X + offset, centres + offset, weight


@settings(max_examples=150)
@given(problems())
def test_bounds_do_not_change_the_result(problem):
    X, centres, weight = problem
    finders = [
        learnable.core.runtime.native.kernels.NearestCentres(X, X.mean(axis=0), bounds)
        for bounds in ("none", "one", "groups", "each")
    ]
    labels = [np.full(len(X), -1, dtype=np.int32) for _ in finders]
    for _ in range(12):
        found = [f.assign(np.ascontiguousarray(centres), weight, own) for f, own in zip(finders, labels, strict=True)]
        for own, result in zip(labels[1:], found[1:], strict=True):
            np.testing.assert_array_equal(labels[0], own)
            np.testing.assert_array_equal(found[0][0], result[0])
            assert found[0][2] == result[2] and result[3] <= found[0][3] + len(X)
        mass = found[0][1]
        means = X.mean(axis=0) + found[0][0] / np.where(mass > 0, mass, 1)[:, None]
        centres = np.where(mass[:, None] > 0, means, centres)


@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*for a single cluster:RuntimeWarning")
@pytest.mark.parametrize("algorithm", ["lloyd", "hamerly", "elkan", "plain"])
@pytest.mark.parametrize("k", [1, 4, 40, 300])
def test_iterations_are_those_of_the_definition(algorithm, k):
    X = blobs(900, 4)
    begin = X[:k].copy()
    course = naive(X, begin, np.ones(len(X)), 6)
    for steps in (1, 3, 5):
        model = KMeans(k, init=begin, max_iter=steps, tol=0, algorithm=algorithm, empty_cluster="keep").fit(X)
        np.testing.assert_array_equal(model.labels_, course[steps])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_the_same_iterations_as_scikit_learn_from_the_same_centroids(weighted, as_matrix):
    X = blobs(400, 3) * (np.random.default_rng(1).random((400, 3)) > 0.3)
    weight = np.random.default_rng(2).random(400) if weighted else None
    begin = X[:7].copy()
    theirs = sklearn.cluster.KMeans(7, init=begin, tol=0).fit(as_matrix(X), sample_weight=weight)
    ours = KMeans(7, init=begin, tol=0).fit(as_matrix(X), sample_weight=weight)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert ours.inertia_ == pytest.approx(theirs.inertia_) and ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.transform(as_matrix(X)), theirs.transform(as_matrix(X)), rtol=1e-7, atol=1e-7)
    assert ours.score(as_matrix(X), sample_weight=weight) == pytest.approx(
        theirs.score(as_matrix(X), sample_weight=weight)
    )
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_empty_clusters_are_relocated_as_in_scikit_learn():
    X = blobs(200, 2)
    begin = np.vstack([X[:3], np.full((2, 2), 1e3)])
    theirs = sklearn.cluster.KMeans(5, init=begin, tol=0).fit(X)
    ours = KMeans(5, init=begin, tol=0).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert KMeans(5, init=begin, empty_cluster="drop").fit(X).cluster_centers_.shape == (3, 2)
    kept = KMeans(5, init=begin, empty_cluster="keep").fit(X)
    np.testing.assert_array_equal(kept.cluster_centers_[3:], begin[3:])
    with pytest.raises(learnable.DataError, match="KMeans: cluster 3 has no rows"):
        KMeans(5, init=begin, empty_cluster="error").fit(X)


@pytest.mark.parametrize("stop", ["centres", "labels", "objective"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_objective_never_rises_and_the_end_is_a_fixed_point(stop, dtype):
    X = blobs(2000, 6, 12).astype(dtype)
    model = KMeans(12, stop=stop, tol=0 if stop == "labels" else 1e-6, random_state=3).fit(X)
    course = model.trace_["objective"]
    assert (np.diff(course) <= 1e-9 * course[0]).all() and model.trace_.stopped == "converged"
    assert model.certificate_.kind == stop and model.certificate_.holds
    np.testing.assert_array_equal(model.labels_, by_force(X, model.cluster_centers_.astype(float)))
    assert model.inertia_ == pytest.approx(course[-1], rel=1e-3) and model.cluster_centers_.dtype == dtype
    if stop == "labels":
        means = np.stack([X[model.labels_ == k].astype(float).mean(axis=0) for k in range(12)])
        np.testing.assert_allclose(model.cluster_centers_, means, rtol=1e-5 if dtype == np.float32 else 1e-12)


@given(problems())
@settings(max_examples=50)
def test_training_rows_are_predicted_with_their_labels(problem):
    X, centres, weight = problem
    k = min(len(centres), len(X))
    assume(len(np.unique(X, axis=0)) >= k)
    model = KMeans(k, random_state=0).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.labels_, by_force(X, model.cluster_centers_))


def test_order_and_copies_of_rows_have_no_effect():
    X, count = blobs(300, 3), np.random.default_rng(0).integers(0, 4, 300)
    copies = np.random.default_rng(1).permutation(np.repeat(np.arange(300), count))
    weighted = KMeans(6, random_state=5).fit(X, sample_weight=count)
    copied = KMeans(6, random_state=5).fit(X[copies])
    np.testing.assert_allclose(copied.cluster_centers_, weighted.cluster_centers_, atol=1e-9)
    assert copied.inertia_ == pytest.approx(weighted.inertia_)


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random", "uniform"])
def test_every_initialisation_finds_separated_clusters(init):
    X = np.repeat(np.arange(6)[:, None] * 100.0, 50, axis=0) + np.random.default_rng(0).normal(size=(300, 2))
    runs = {"random": 20, "uniform": 100}.get(init, 1)
    found = [KMeans(6, init=init, n_init=runs, random_state=seed).fit(X) for seed in range(5)]
    assert sorted(len(np.unique(model.labels_)) for model in found)[-1] == 6
    assert min(model.inertia_ for model in found) == pytest.approx(
        ((X - X.reshape(6, 50, 2).mean(axis=1).repeat(50, axis=0)) ** 2).sum()
    )
    assert (found[0].labels_ == KMeans(6, init=init, n_init=runs, random_state=0).fit_predict(X)).all()


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_random_values_are_uniform_in_the_box_of_the_rows(make):
    """CLU-02: initial centroids need not be rows; a cluster without rows gets a row of its own."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + [60, 0]])
    scaled = ScaledData(make(X), None)
    drawn = np.vstack([draw_centres(scaled, 5, "uniform", 0, run) for run in range(400)]) / scaled.unit
    low, high = X.min(axis=0), X.max(axis=0)
    assert (drawn >= low).all() and (drawn <= high).all() and len(np.unique(drawn[:, 0])) == 2000
    np.testing.assert_allclose((drawn.mean(axis=0) - low) / (high - low), 0.5, atol=0.03)
    np.testing.assert_allclose(drawn.std(axis=0) / (high - low), 1 / np.sqrt(12), atol=0.02)
    inside = ((drawn[:, 0] > 10) & (drawn[:, 0] < 50)).mean()
    assert inside > 0.5  # where there are no rows
    model = KMeans(8, init="uniform", n_init=1, random_state=1).fit(make(X))
    assert len(np.unique(model.labels_)) == 8


def test_seeds_are_drawn_by_squared_distance():
    X, weight = np.array([[0.0], [1.0], [4.0]]), np.array([1.0, 2.0, 1.0])
    drawn = [
        tuple(kmeans_plusplus(X, 2, sample_weight=weight, random_state=s, n_local_trials=1)[1]) for s in range(1500)
    ]
    first = np.bincount([pair[0] for pair in drawn], minlength=3) / 1500
    np.testing.assert_allclose(first, weight / 4, atol=0.06)
    second = np.bincount([pair[1] for pair in drawn if pair[0] == 0], minlength=3)
    np.testing.assert_allclose(second / second.sum(), np.array([0, 2 * 1, 16]) / 18, atol=0.1)


def test_expected_cost_of_seeds_is_within_the_proven_bound():
    """E-195: the bound of k-means++ is on the mean, 8 (ln k + 2) times the optimum."""
    X, k = blobs(200, 2, 4), 4
    best = KMeans(k, n_init=30, random_state=0).fit(X).inertia_
    costs = []
    for seed in range(200):
        centres, _ = kmeans_plusplus(X, k, random_state=seed, n_local_trials=1)
        costs.append(((X - centres[by_force(X, centres)]) ** 2).sum())
    assert best <= np.mean(costs) <= 8 * (np.log(k) + 2) * best


def test_greedy_seeds_are_better_than_plain_ones():
    X = blobs(400, 2, 15)
    cost = {}
    for trials in (1, None):
        chosen = [kmeans_plusplus(X, 15, random_state=s, n_local_trials=trials)[0] for s in range(40)]
        cost[trials] = np.mean([((X - centres[by_force(X, centres)]) ** 2).sum() for centres in chosen])
    assert cost[None] < cost[1]


def test_a_function_as_initialisation():
    X = blobs()
    model = KMeans(3, init=lambda X, k, random_state: X[:k], n_init=1).fit(X)
    np.testing.assert_array_equal(model.labels_, KMeans(3, init=X[:3]).fit(X).labels_)
    with pytest.raises(learnable.ParameterError, match=r"KMeans: init must have the shape .* \(3, 3\)"):
        KMeans(3, init=X[:4]).fit(X)
    with pytest.warns(RuntimeWarning, match="performing only one init"):
        KMeans(3, init=X[:3], n_init=5).fit(X)


def test_more_initialisations_are_never_worse():
    X = blobs(300, 2, 9)
    one, many = (KMeans(9, init="random", n_init=runs, random_state=0).fit(X).inertia_ for runs in (1, 10))
    assert many <= one * (1 + 1e-9)


def test_bounds_save_distances():
    X = blobs(3000, 4, 10)
    model = KMeans(10, random_state=0, tol=0).fit(X)
    plain = KMeans(10, random_state=0, tol=0, algorithm="plain").fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.trace_["distances"].sum() < plain.trace_["distances"].sum() == 30_000 * plain.n_iter_


def test_functions_are_the_estimator():
    X = blobs()
    model = KMeans(4, random_state=1).fit(X)
    centres, labels, inertia, steps = k_means(X, 4, random_state=1, return_n_iter=True)
    np.testing.assert_array_equal(centres, model.cluster_centers_)
    assert (labels == model.labels_).all() and inertia == model.inertia_ and steps == model.n_iter_


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e140])
def test_results_are_independent_of_the_scale(scale):
    X = blobs()
    plain, scaled = (KMeans(4, init=X[:4] * unit).fit(X * unit) for unit in (1.0, scale))
    np.testing.assert_array_equal(plain.labels_, scaled.labels_)
    np.testing.assert_allclose(scaled.cluster_centers_, plain.cluster_centers_ * scale, rtol=1e-9)


def test_fewer_distinct_rows_than_clusters_warn():
    with pytest.warns(learnable.ConvergenceWarning, match="only 2 of n_clusters=3 clusters are not empty"):
        model = KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]])
    assert model.inertia_ == 0


def test_elkan_keeps_a_bound_for_each_centre():
    X = blobs(3000, 4)
    centres = X[:40].copy()
    finders = [
        learnable.core.runtime.native.kernels.NearestCentres(X, X.mean(axis=0), bounds) for bounds in ("groups", "each")
    ]
    labels, work = [np.full(len(X), -1, dtype=np.int32) for _ in finders], [0, 0]
    for _ in range(15):
        for k, finder in enumerate(finders):
            sums, mass, _, distances = finder.assign(centres, None, labels[k])
            work[k] += distances
        np.testing.assert_array_equal(*labels)
        centres = np.where(mass[:, None] > 0, X.mean(axis=0) + sums / np.maximum(mass, 1)[:, None], centres)
    assert work[1] < work[0] / 2  # one bound for each rules out more than one for several
