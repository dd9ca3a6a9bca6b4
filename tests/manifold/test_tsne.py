"""t-SNE: clusters, methods of repulsion, new rows, scikit-learn's divergence."""

import numpy as np
import pytest
from sklearn import manifold as theirs

from learnable.core import ParameterError
from learnable.datasets import make_blobs
from learnable.manifold import TSNE, trustworthiness
from learnable.neighbors import KNeighborsClassifier


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, 8, centers=4, cluster_std=1.5, random_state=0)


@pytest.mark.parametrize("method", ["exact", "barnes_hut", "fft"])
def test_clusters_stay_together(blobs, method):
    X, y = blobs
    model = TSNE(method=method, random_state=0, max_iter=500).fit(X)
    assert KNeighborsClassifier(5).fit(model.embedding_, y).score(model.embedding_, y) > 0.98
    assert trustworthiness(X, model.embedding_, n_neighbors=12) > 0.93
    assert (model.trace_["objective"][-1]) < model.trace_["objective"][24]


def test_the_divergence_is_not_above_that_of_scikit_learn(blobs):
    X, _ = blobs
    for method in ("exact", "barnes_hut"):
        ours = TSNE(method=method, random_state=0).fit(X)
        scikit = theirs.TSNE(method=method, random_state=0).fit(X)
        assert ours.kl_divergence_ < scikit.kl_divergence_ + 0.02


def test_the_divergence_by_its_definition(blobs):
    X = blobs[0][:80]
    model = TSNE(method="exact", perplexity=10, random_state=0).fit(X)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    P = np.zeros_like(squares)
    for i in range(80):
        low, high = 0.0, 1e3
        for _ in range(200):
            beta = (low + high) / 2
            p = np.exp(-beta * (squares[i] - squares[i].min()))
            p /= p.sum()
            entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
            low, high = (beta, high) if entropy > np.log(10) else (low, beta)
        P[i] = p
    P = (P + P.T) / 160
    q = 1 / (1 + ((model.embedding_[:, None] - model.embedding_[None]) ** 2).sum(axis=2))
    np.fill_diagonal(q, 0)
    off = P > 0
    divergence = (P[off] * np.log(P[off] / (q / q.sum())[off])).sum()
    assert model.kl_divergence_ == pytest.approx(divergence, rel=1e-6)


def test_exaggeration_that_draws_all_points_together_ends_early(blobs):
    """With a perplexity near the number of rows every point attracts every other, and the map shrinks at first."""
    X, y = blobs
    ours = TSNE(perplexity=100, random_state=0, max_iter=500).fit(X)
    scikit = theirs.TSNE(perplexity=100, random_state=0, max_iter=500).fit(X)
    assert ours.kl_divergence_ < scikit.kl_divergence_ + 0.02
    assert KNeighborsClassifier(5).fit(ours.embedding_, y).score(ours.embedding_, y) > 0.98


def test_new_rows_join_their_clusters(blobs):
    X, y = blobs
    model = TSNE(random_state=0, max_iter=500).fit(X[:250])
    placed = model.transform(X[250:])
    assert KNeighborsClassifier(5).fit(model.embedding_, y[:250]).score(placed, y[250:]) > 0.95
    np.testing.assert_array_equal(model.transform(X[:250]), model.embedding_)
    np.testing.assert_allclose(model.transform(X[[260]]), placed[[10]], rtol=1e-12)


@pytest.mark.parametrize("init", ["pca", "random", "spectral"])
def test_initialisations_and_dimensions(blobs, init):
    X, y = blobs
    for count in (1, 3):
        model = TSNE(count, init=init, random_state=0, max_iter=400).fit(X)
        assert model.embedding_.shape == (300, count)
        assert KNeighborsClassifier(5).fit(model.embedding_, y).score(model.embedding_, y) > 0.9


def test_precision_is_kept(blobs):
    X = blobs[0].astype(np.float32)
    model = TSNE(random_state=0, max_iter=250).fit(X)
    assert model.embedding_.dtype == model.transform(X[:3] + 1).dtype == np.float32


def test_what_cannot_be_is_refused(blobs):
    X, _ = blobs
    with pytest.raises(ParameterError, match="perplexity=300 must be less than n_samples = 300"):
        TSNE(perplexity=300).fit(X)
    with pytest.raises(ParameterError, match="less than 4"):
        TSNE(5).fit(X)
    with pytest.raises(ParameterError, match="two dimensions"):
        TSNE(3, method="fft").fit(X)
    with pytest.raises(ParameterError, match="precomputed"):
        TSNE(metric="precomputed").fit(np.zeros((60, 60)))
    with pytest.raises(ParameterError, match="shape"):
        TSNE(init=np.zeros((3, 2))).fit(X)
