"""UMAP: fuzzy sets by their definition, quality of maps, new rows, targets."""

import numpy as np
import pytest

from learnable.core import DataError, ParameterError
from learnable.datasets import load_digits, make_blobs
from learnable.manifold import UMAP, trustworthiness
from learnable.manifold._fuzzy_sets import fuzzy_graph, with_categories, with_target
from learnable.metrics import pairwise_distances
from learnable.neighbors import KNeighborsClassifier, NearestNeighbors

# Trustworthiness (12) of umap-learn 0.5.12 on the digits, random_state 0 to 5: mean 0.98802, standard error 0.00023.
UMAP_LEARN = 0.98802 - 2 * 0.00023


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, 8, centers=4, cluster_std=1.5, random_state=0)


@pytest.fixture(scope="module")
def model(blobs):
    return UMAP(random_state=0, n_epochs=200).fit(blobs[0])


def accuracy(model, y):
    return KNeighborsClassifier(5).fit(model.embedding_, y).score(model.embedding_, y)


def test_digits_are_mapped_as_faithfully_as_by_umap_learn():
    X, y = load_digits(return_X_y=True)
    models = [UMAP(random_state=seed).fit(X) for seed in range(4)]
    assert np.mean([trustworthiness(X, model.embedding_, n_neighbors=12) for model in models]) >= UMAP_LEARN
    assert accuracy(models[0], y) > 0.98


def test_the_graph_by_its_definition(blobs):
    X, k = blobs[0][:60], 10
    distances, rows = NearestNeighbors(n_neighbors=k - 1).fit(X).kneighbors()
    W = np.zeros((60, 60))
    for i in range(60):
        excess = np.maximum(distances[i] - distances[i, 0], 0)
        low, high = 1e-6, 1e6
        for _ in range(200):
            sigma = np.sqrt(low * high)
            low, high = (low, sigma) if np.exp(-excess / sigma).sum() > np.log2(k) else (sigma, high)
        W[i, rows[i]] = np.exp(-excess / sigma)
    assert np.allclose(W.sum(axis=1), np.log2(k))
    union, both = W + W.T - W * W.T, W * W.T
    np.testing.assert_allclose(fuzzy_graph((distances, rows), k, 1.0).toarray(), union, atol=1e-4)
    np.testing.assert_allclose(fuzzy_graph((distances, rows), k, 1.0, mix=0.0).toarray(), both, atol=1e-4)
    np.testing.assert_allclose(
        UMAP(n_neighbors=k, n_epochs=1, random_state=0).fit(X).graph_.toarray(), union, atol=1e-4
    )


def test_the_similarity_fits_the_requested_distance():
    model = UMAP(n_epochs=1, random_state=0).fit(np.eye(5))
    assert (model.a_, model.b_) == pytest.approx((1.57694, 0.89506), abs=1e-4)  # published for the defaults
    given = UMAP(n_epochs=1, random_state=0, a=1.5, b=0.8).fit(np.eye(5))
    assert (given.a_, given.b_) == (1.5, 0.8)


def test_new_rows_join_their_clusters(blobs):
    X, y = blobs
    model = UMAP(random_state=0, n_epochs=200).fit(X[:250])
    placed = model.transform(X[250:])
    assert KNeighborsClassifier(5).fit(model.embedding_, y[:250]).score(placed, y[250:]) > 0.95
    np.testing.assert_array_equal(model.transform(X[:250]), model.embedding_)
    np.testing.assert_allclose(model.transform(X[[260]]), placed[[10]], rtol=1e-6)


def test_given_distances_and_neighbours_make_the_same_map(blobs, model):
    X, _ = blobs
    D = pairwise_distances(X)
    given = UMAP(metric="precomputed", random_state=0, n_epochs=200).fit(D)
    assert abs(given.graph_ - model.graph_).max() < 1e-6
    distances, rows = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(X)
    known = UMAP(precomputed_knn=(rows, distances), random_state=0, n_epochs=200).fit(X)
    np.testing.assert_allclose(known.embedding_, model.embedding_, atol=1e-6)


def test_neighbours_found_by_descent_make_nearly_the_same_graph():
    X, y = make_blobs(600, 20, centers=4, cluster_std=3, random_state=0)
    exact = UMAP(random_state=0, n_epochs=100).fit(X)
    near = UMAP(random_state=0, n_epochs=100, force_approximation_algorithm=True).fit(X)
    assert abs(near.graph_ - exact.graph_).sum() < 0.05 * exact.graph_.sum()
    assert accuracy(near, y) > 0.98


def test_connected_components_stay_apart():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((40, 3)) + shift for shift in (0, 1000, 2000)])
    for rows, options in ((X, {}), (pairwise_distances(X), {"metric": "precomputed"})):
        model = UMAP(n_neighbors=8, random_state=0, **options).fit(rows)
        assert accuracy(model, np.repeat([0, 1, 2], 40)) == 1


@pytest.mark.parametrize("init", ["spectral", "random", "pca"])
@pytest.mark.parametrize("count", [1, 3])
def test_initialisations_and_dimensions(blobs, init, count):
    model = UMAP(n_components=count, init=init, random_state=0, n_epochs=200).fit(blobs[0])
    assert model.embedding_.shape == (300, count) and accuracy(model, blobs[1]) > 0.9


def test_a_target_pulls_its_categories_together(blobs):
    X = blobs[0]
    y = np.arange(300) % 3  # says nothing of the rows
    assert accuracy(UMAP(random_state=0, n_epochs=200).fit(X), y) < 0.7
    assert accuracy(UMAP(random_state=0, n_epochs=200, target_weight=0.9).fit(X, y), y) > 0.9
    words = np.array(["a", "b", "c"])[y]
    assert accuracy(UMAP(random_state=0, n_epochs=200, target_weight=0.9).fit(X, words), y) > 0.9


def test_a_numeric_target_orders_the_map(blobs):
    X, _ = blobs
    y = np.random.default_rng(1).uniform(size=300)
    model = UMAP(n_components=1, target_metric="euclidean", target_weight=0.95, random_state=0)
    found = model.fit(X, y).embedding_
    near = NearestNeighbors(n_neighbors=5).fit(found).kneighbors(return_distance=False)
    spread = np.abs(y[near] - y[:, None]).mean()
    assert spread < 0.15 < np.abs(y[:, None] - y).mean()


def test_intersections_by_their_definition():
    W = np.array([[0, 0.5, 1.0], [0.5, 0, 0.25], [1.0, 0.25, 0]])
    from scipy.sparse import csr_array

    def united(A):
        A = A / A.max(axis=1, keepdims=True)
        return A + A.T - A * A.T

    found = with_categories(csr_array(W), np.array([0, 1, -1]), 0.5).toarray()
    factor = np.array([[1, np.exp(-5), np.exp(-1)], [np.exp(-5), 1, np.exp(-1)], [np.exp(-1), np.exp(-1), np.exp(-1)]])
    np.testing.assert_allclose(found, united(W * factor), rtol=1e-12)
    T = np.array([[0, 0.3, 0], [0.3, 0, 0.9], [0, 0.9, 0]])
    filled = np.where(T > 0, T, 1e-4)
    np.fill_diagonal(filled, 0)
    for weight, expected in ((0.5, W * filled), (0.2, W * filled**0.25), (0.8, W**0.25 * filled)):
        np.testing.assert_allclose(
            with_target(csr_array(W), csr_array(T), weight).toarray(), united(expected), rtol=1e-12
        )


def test_unknown_categories_use_the_rows_alone(blobs):
    X, _ = blobs
    unknown = UMAP(random_state=0, n_epochs=50).fit(X, np.full(300, -1))
    alone = UMAP(random_state=0, n_epochs=50).fit(X)
    assert (unknown.graph_ > 0).nnz == (alone.graph_ > 0).nnz


def test_precision_is_kept(blobs):
    X = blobs[0].astype(np.float32)
    model = UMAP(random_state=0, n_epochs=20).fit(X)
    assert model.embedding_.dtype == model.transform(X[:3] + 1).dtype == np.float32


def test_what_cannot_be_is_refused(blobs):
    X, _ = blobs
    with pytest.raises(ParameterError, match="min_dist=2 must be at most spread=1"):
        UMAP(min_dist=2.0).fit(X)
    with pytest.raises(ParameterError, match="shape"):
        UMAP(init=np.zeros((3, 2))).fit(X)
    with pytest.raises(ParameterError, match="precomputed_knn"):
        UMAP(precomputed_knn=(np.zeros((3, 2)), np.zeros((3, 2)))).fit(X)
    with pytest.raises(ParameterError, match="init='pca'"):
        UMAP(init="pca", metric="precomputed").fit(pairwise_distances(X))
    with pytest.raises(DataError, match="y must hold numbers"):
        UMAP(target_metric="euclidean").fit(X, ["a"] * 300)
    with pytest.raises(DataError, match="1d array"):
        UMAP().fit(X, np.zeros((300, 2)))
