"""Graph cuts, eigenvectors of Laplacians, and spectral clustering."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph, csr_array
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from learnable import (
    ParameterError,
    SpectralClustering,
    cut_value,
    graph_laplacian,
    ratio_cut,
    ratio_cut_bound,
    spectral_clustering,
)
from learnable.engines.algebra.eigen import leading_eigenpairs


def weights(rows, seed, density=0.5):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((rows, rows)) * (rng.random((rows, rows)) < density), 1)
    return W + W.T


@given(st.integers(2, 12), st.integers(0, 50), st.integers(1, 3))
def test_cuts_equal_sums_over_edges(rows, seed, clusters):
    W = weights(rows, seed)
    labels = np.random.default_rng(seed).integers(0, clusters, rows)
    across = [(i, j) for i in range(rows) for j in range(i) if labels[i] != labels[j]]
    assert cut_value(W, labels) == pytest.approx(sum(W[i, j] for i, j in across))
    parts = [labels == k for k in np.unique(labels)]
    expected = sum(W[np.ix_(part, ~part)].sum() / part.sum() for part in parts) / 2
    assert ratio_cut(W, labels) == pytest.approx(expected)
    assert ratio_cut(csr_array(W), labels) == pytest.approx(expected)
    assert ratio_cut_bound(W, len(parts)) <= expected + 1e-9


def test_connected_components_attain_the_bound():
    W = np.kron(np.eye(3), weights(6, 0, 1.0))
    assert ratio_cut_bound(W, 3) == pytest.approx(0, abs=1e-9) == ratio_cut(W, np.repeat([0, 1, 2], 6))
    assert ratio_cut_bound(W, 4) > 0.1


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_laplacians(make):
    W = weights(9, 1)
    W[4] = W[:, 4] = 0  # a row without edges
    v = np.random.default_rng(2).normal(size=9)
    plain, symmetric, walk = (graph_laplacian(make(W), kind) for kind in ("plain", "symmetric", "random walk"))
    edges = sum(W[i, j] * (v[i] - v[j]) ** 2 for i in range(9) for j in range(i))
    assert v @ (plain @ v) == pytest.approx(edges)
    dense = [L.toarray() if hasattr(L, "toarray") else L for L in (plain, symmetric, walk)]
    np.testing.assert_allclose(dense[0].sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(dense[1], csgraph.laplacian(W, normed=True), atol=1e-12)
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(dense[2]).real), np.linalg.eigvalsh(dense[1]), atol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_leading_eigenpairs_of_large_matrices(make):
    draws = np.random.default_rng(3)
    W = weights(400, 4, 0.05)
    W[:200, 200:] = W[200:, :200] = 0  # so that the largest may be there twice
    found = leading_eigenpairs(make(W), 6, draws, 1e-10)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(W)[::-1][:6], rtol=1e-10)
    assert found.residual <= 1e-10
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-9)
    twice = leading_eigenpairs(np.kron(np.eye(2), weights(200, 5)), 4, draws, 1e-10)
    np.testing.assert_allclose(twice.values[::2], twice.values[1::2], rtol=1e-10)


@pytest.mark.parametrize("how", ["kmeans", "discretize", "cluster_qr"])
@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_clusters_equal_those_of_scikit_learn(how, affinity):
    X, truth = make_blobs(330, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=1, cluster_std=0.7)
    options = {"affinity": affinity, "assign_labels": how, "gamma": 0.3, "random_state": 0}
    ours = SpectralClustering(4, **options).fit(X)
    assert adjusted_rand_score(truth, ours.labels_) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # theirs warns of parts that no edge connects
        assert adjusted_rand_score(Theirs(4, **options).fit_predict(X), ours.labels_) == 1
    assert ours.certificate_.holds and ours.certificate_.value <= 1e-8
    L = graph_laplacian(ours.affinity_matrix_, "symmetric")
    L = L.toarray() if hasattr(L, "toarray") else L
    np.testing.assert_allclose(ours.eigenvalues_, np.linalg.eigvalsh(L)[:4], atol=1e-7)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)


def test_moons_and_rings_are_found():
    for X, truth in (
        make_moons(300, noise=0.05, random_state=0),
        make_circles(300, noise=0.04, factor=0.5, random_state=0),
    ):
        model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
        assert adjusted_rand_score(truth, model.labels_) == 1
        new, labels = make_moons(100, random_state=1) if X[:, 0].max() > 1.5 else (X + 1e-3, truth)
        assert adjusted_rand_score(labels, model.predict(new)) > 0.97


def test_a_precomputed_graph():
    W = np.kron(np.eye(2), np.ones((5, 5)))
    W[4, 5] = W[5, 4] = 0.01
    labels = spectral_clustering(W, n_clusters=2, random_state=0)
    assert adjusted_rand_score(np.repeat([0, 1], 5), labels) == 1
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(csr_array(W))
    np.testing.assert_array_equal(model.labels_, labels)
    assert model.predict([[0.0] * 5 + [1.0] * 5])[0] == labels[-1]


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ParameterError, match="is above the number of rows"):
        SpectralClustering(8).fit(np.zeros((3, 2)))


@pytest.mark.parametrize("laplacian", ["plain", "symmetric", "random walk"])
def test_every_laplacian_by_its_definition(laplacian):
    """The embedding solves the eigenvalue problem of the requested Laplacian; the rings are its clusters."""
    X, y = make_circles(200, factor=0.3, noise=0.04, random_state=0)
    model = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=8, laplacian=laplacian, random_state=0).fit(
        X
    )
    assert adjusted_rand_score(y, model.labels_) == 1
    W = model.affinity_matrix_.toarray()
    np.fill_diagonal(W, 0)
    degree = W.sum(axis=1)
    L = np.diag(degree) - W
    if laplacian != "plain":
        L = L / np.sqrt(np.outer(degree, degree))  # the walk's has the same eigenvalues
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(L)[:2], atol=1e-7)


def test_graphs_of_all_rows_within_a_radius():
    X, y = make_circles(200, factor=0.3, noise=0.04, random_state=0)
    model = SpectralClustering(2, affinity="radius_neighbors", radius=0.4, random_state=0).fit(X)
    within = ((X[:, None] - X) ** 2).sum(axis=2) <= 0.16
    W = model.affinity_matrix_.toarray() > 0
    off = ~np.eye(200, dtype=bool)
    np.testing.assert_array_equal(W[off], within[off])
    assert adjusted_rand_score(y, model.labels_) == 1
