"""Embeddings of neighbour graphs: Isomap, Laplacian eigenmaps, diffusion maps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import manifold as theirs

from learnable.cluster import graph_laplacian
from learnable.core import DataError
from learnable.datasets import load_digits, make_swiss_roll
from learnable.manifold import (
    ClassicalMDS,
    DiffusionMap,
    Isomap,
    SpectralEmbedding,
    diffusion_distance,
    faithfulness,
    random_walk,
    spectral_embedding,
    stationary_distribution,
)
from learnable.neighbors import NearestNeighbors

FOUR_NODES = np.array([[0.0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]])


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(1500, random_state=0)


def aligned(found, expected):
    return np.abs(found * np.sign((found * expected).sum(axis=0)) - expected).max() / np.abs(expected).max()


def test_the_graph_of_four_nodes():  # W-47
    degree = FOUR_NODES.sum(axis=1)
    assert degree.tolist() == [2, 3, 2, 1]
    np.testing.assert_allclose(np.linalg.eigvalsh(graph_laplacian(FOUR_NODES)), [0, 1, 3, 4], atol=1e-12)
    for kind in ("symmetric", "random walk"):
        values = np.sort(np.linalg.eigvals(graph_laplacian(FOUR_NODES, kind)).real)
        np.testing.assert_allclose(values, [0, 0.7713, 1.5, 1.7287], atol=5e-5)
    np.testing.assert_allclose(stationary_distribution(random_walk(FOUR_NODES)), [0.25, 0.375, 0.25, 0.125])
    model = SpectralEmbedding(3, affinity="precomputed").fit(FOUR_NODES)
    np.testing.assert_allclose(model.eigenvalues_, [0.7713, 1.5, 1.7287], atol=5e-5)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 12), st.integers(0, 2**20))
def test_identities_of_laplacians(n, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.4), 1)
    W = W + W.T
    L, y = graph_laplacian(W), rng.standard_normal(n)
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(y @ L @ y, (W * (y[:, None] - y) ** 2).sum() / 2, atol=1e-10)
    values = np.linalg.eigvalsh(L)
    assert values[0] > -1e-10
    reached = np.linalg.matrix_power(np.eye(n) + (W > 0), n) > 0
    assert (values < 1e-9).sum() == len({tuple(row) for row in reached})
    symmetric = np.linalg.eigvalsh(graph_laplacian(W, "symmetric"))
    walk = np.sort(np.linalg.eigvals(graph_laplacian(W, "random walk")).real)
    np.testing.assert_allclose(walk, symmetric, atol=1e-6)


def test_isomap_unrolls_the_swiss_roll_and_classical_scaling_does_not(roll):  # APP-25
    X, arc = roll
    unrolled, flat = Isomap(n_neighbors=8).fit(X), ClassicalMDS().fit(X)
    assert abs(np.corrcoef(unrolled.embedding_[:, 0], arc)[0, 1]) > 0.99
    assert max(abs(np.corrcoef(flat.embedding_.T, arc)[:2, 2])) < 0.6
    assert (
        faithfulness(X, unrolled.embedding_).trustworthiness > faithfulness(X, flat.embedding_).trustworthiness + 0.02
    )
    landmarks = Isomap(n_neighbors=8, n_landmarks=150).fit(X)
    assert landmarks.dist_matrix_.shape == (150, 1500)
    assert abs(np.corrcoef(landmarks.embedding_[:, 0], arc)[0, 1]) > 0.99


@pytest.mark.parametrize("options", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 6.0}, {"metric": "manhattan"}])
def test_isomap_is_that_of_scikit_learn(roll, options):
    X = roll[0][:400]
    options = {"n_neighbors": 12, **options}
    ours, scikit = Isomap(**options).fit(X), theirs.Isomap(**options).fit(X)
    assert aligned(ours.embedding_, scikit.embedding_) < 1e-9
    assert aligned(ours.transform(X[:50] + 0.01), scikit.transform(X[:50] + 0.01)) < 1e-9
    np.testing.assert_allclose(ours.dist_matrix_, scikit.dist_matrix_, rtol=1e-12)
    assert ours.reconstruction_error() == pytest.approx(scikit.reconstruction_error(), rel=1e-6)
    np.testing.assert_allclose(ours.transform(X), ours.embedding_, atol=1e-9)
    assert 0 <= ours.residual_variance() < 0.2


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_disconnected_graphs_are_joined_or_refused(roll):
    X = np.vstack([roll[0][:100], roll[0][:80] + 100, roll[0][:50] - 200])
    with pytest.warns(UserWarning, match="number of connected components"):
        ours = Isomap().fit(X)
    with pytest.warns(UserWarning):
        scikit = theirs.Isomap().fit(X)
    assert aligned(ours.embedding_, scikit.embedding_) < 1e-9
    with pytest.raises(DataError, match="connected components"):
        Isomap(disconnected="error").fit(X)


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf"])
def test_eigenmaps_are_those_of_scikit_learn(roll, affinity):
    X = roll[0][:400]
    options = {"affinity": affinity, "n_neighbors": 10, "random_state": 0}
    ours, scikit = SpectralEmbedding(3, **options).fit(X), theirs.SpectralEmbedding(3, **options).fit(X)
    assert aligned(ours.embedding_, scikit.embedding_) < 1e-5
    W = ours.affinity_matrix_
    D = np.asarray(W.sum(axis=1)).ravel() - W.diagonal()
    np.testing.assert_allclose(ours.embedding_.T @ (D[:, None] * ours.embedding_), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(D @ ours.embedding_, 0, atol=1e-5)
    near = ours.transform(X[:40] + 1e-6)
    assert np.abs(near - ours.embedding_[:40]).max() < 0.25 * np.abs(ours.embedding_).max()


@pytest.mark.parametrize("normed", [True, False])
def test_spectral_embedding_of_a_graph(roll, normed):
    W = SpectralEmbedding(n_neighbors=10).fit(roll[0][:350]).affinity_matrix_
    options = {"n_components": 3, "norm_laplacian": normed, "random_state": 0}
    assert aligned(spectral_embedding(W, **options), theirs.spectral_embedding(W, **options)) < 1e-4


@pytest.mark.parametrize("t", [1, 3])
def test_distances_in_a_diffusion_map_are_diffusion_distances(t):  # MAN-09
    X = np.random.default_rng(0).standard_normal((30, 2))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = DiffusionMap(29, t=t, affinity="precomputed").fit(K)
    Y = model.embedding_
    found = np.sqrt(((Y[:, None] - Y[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(found, diffusion_distance(random_walk(K), t), atol=1e-8)
    np.testing.assert_allclose(model.stationary_, stationary_distribution(random_walk(K)), atol=1e-12)


def test_the_density_does_not_matter_at_alpha_one():
    rng = np.random.default_rng(1)
    angle = np.concatenate([rng.uniform(0, np.pi, 1200), rng.uniform(np.pi, 2 * np.pi, 300)])
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    radii = {}
    for alpha in (0.0, 1.0):
        Y = DiffusionMap(2, alpha=alpha, gamma=20.0, t=0).fit(X).embedding_
        radii[alpha] = np.linalg.norm(Y, axis=1)
    assert radii[1.0].std() / radii[1.0].mean() < 0.12 < radii[0.0].std() / radii[0.0].mean()


def test_new_rows_of_a_diffusion_map_are_placed_by_nystroems_formula():
    X = np.random.default_rng(2).standard_normal((60, 2))
    model = DiffusionMap(2, gamma=0.5, alpha=0.5, t=2).fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)
    with pytest.raises(DataError, match="too far"):
        model.transform([[1e6, 0.0]])


def test_isomap_of_digits_orders_their_shapes():
    """Eigenvalues fall slowly, neighbours are of one class, and the first direction of the ones is how they slant."""
    digits = load_digits()
    model = Isomap(n_neighbors=10, n_components=6).fit(digits.data[:900])
    values = model.kernel_pca_.eigenvalues_
    assert (np.diff(values) < 0).all() and values[1] > 0.5 * values[0]
    near = NearestNeighbors(n_neighbors=5).fit(model.embedding_).kneighbors(return_distance=False)
    assert (digits.target[near] == digits.target[:900, None]).mean() > 0.9
    ones = digits.images[digits.target == 1]
    poses = Isomap(n_neighbors=15).fit(ones.reshape(len(ones), -1)).embedding_
    rows, columns = np.mgrid[:8, :8]
    mass = ones.sum(axis=(1, 2))
    middle = (ones * columns).sum(axis=(1, 2)) / mass
    slant = (ones * rows * columns).sum(axis=(1, 2)) / mass - middle * (ones * rows).sum(axis=(1, 2)) / mass
    explained = np.corrcoef(np.column_stack([poses, slant]).T)[2, :2]
    assert (explained**2).sum() > 0.2
