"""k-means from samples of the rows."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse

from learnable.cluster import KMeans, MiniBatchKMeans
from learnable.core.runtime.native import kernels


def blobs(rows: int = 3000, columns: int = 4, clusters: int = 6, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=8, size=(clusters, columns))
    return centres[rng.integers(clusters, size=rows)] + rng.normal(size=(rows, columns))


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_as_good_as_scikit_learn(as_matrix):
    X = blobs()
    ours = MiniBatchKMeans(6, batch_size=200, random_state=0).fit(as_matrix(X))
    theirs = sklearn.cluster.MiniBatchKMeans(6, batch_size=200, random_state=0, n_init=3).fit(as_matrix(X))
    best = KMeans(6, random_state=0, n_init=5).fit(X).inertia_
    assert best <= ours.inertia_ * (1 + 1e-9) and ours.inertia_ < max(1.1 * best, theirs.inertia_)
    assert ours.inertia_ == pytest.approx(-ours.score(X)) and ours.certificate_.holds


def test_a_batch_moves_centres_to_running_means():
    X = np.array([[0.0], [2.0], [10.0], [14.0]])
    model = MiniBatchKMeans(2, init=np.array([[0.0], [10.0]]), reassignment_ratio=0)
    model.partial_fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, [[1.0], [12.0]])
    model.partial_fit([[4.0], [13.0]], sample_weight=[2.0, 1.0])
    np.testing.assert_allclose(model.cluster_centers_, [[(2 + 8) / 4], [37 / 3]])
    assert model.n_steps_ == 2 and model.counts_.tolist() == [4.0, 3.0]
    assert model.predict([[0.0], [20.0]]).tolist() == [0, 1]


def test_empty_clusters_are_reassigned():
    X = blobs(600, 2, 3)
    begin = np.vstack([X[:3], np.full((3, 2), 1e6)])
    model = MiniBatchKMeans(6, init=begin, batch_size=100, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 6


def test_it_stops_when_centroids_are_stable_or_batches_do_not_improve():
    X = blobs()
    resting = MiniBatchKMeans(6, tol=1e-2, max_no_improvement=None, batch_size=500, random_state=0).fit(X)
    patient = MiniBatchKMeans(6, max_no_improvement=3, batch_size=500, random_state=0).fit(X)
    tireless = MiniBatchKMeans(6, max_no_improvement=None, max_iter=2, batch_size=500, random_state=0).fit(X)
    assert resting.trace_.stopped == patient.trace_.stopped == "converged"
    assert tireless.n_steps_ == 12 and tireless.n_iter_ == 2


def test_labels_are_optional():
    X = blobs(300)
    model = MiniBatchKMeans(3, compute_labels=False, random_state=0).fit(X)
    assert not hasattr(model, "labels_") and model.predict(X).shape == (300,)
    assert (model.fit_predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array, np.float32])
def test_a_batch_by_the_definition(as_matrix):
    X, rng = blobs(900, 5, 4), np.random.default_rng(1)
    centres, counts, weight = rng.normal(scale=8, size=(7, 5)), rng.integers(0, 9, 7).astype(float), rng.random(900)
    centres[6] = 1e6  # no row is near
    square = ((X[:, None] - centres) ** 2).sum(axis=2)
    near = square.argmin(axis=1)
    mass = np.bincount(near, weight, 7)
    means = centres.copy()
    for cluster in np.unique(near):
        mine = near == cluster
        means[cluster] = (centres[cluster] * counts[cluster] + weight[mine] @ X[mine]) / (
            counts[cluster] + mass[cluster]
        )
    finder = kernels.NearestCentres(as_matrix(X), np.zeros(5), "none")
    after, total, cost = finder.take_batch(centres, counts, weight)
    np.testing.assert_allclose(after, means, rtol=1e-6)
    np.testing.assert_allclose(total, counts + mass)
    assert cost == pytest.approx(weight @ square.min(axis=1), rel=1e-5)


def test_a_batch_is_at_most_all_rows():
    X = blobs(60)
    fitted = [
        MiniBatchKMeans(3, batch_size=size, init_size=begin, n_init=1, random_state=0).fit(X)
        for size, begin in ((60, 180), (2**63 - 1, 2**63 - 1))
    ]
    np.testing.assert_array_equal(fitted[0].cluster_centers_, fitted[1].cluster_centers_)
    assert fitted[1].n_steps_ == fitted[1].n_iter_ > 1
