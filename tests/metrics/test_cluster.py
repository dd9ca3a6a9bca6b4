"""Scores of clusters against scikit-learn, and against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics as theirs
from sklearn.metrics import cluster as peer_cluster

import learnable
from learnable import metrics
from learnable.core.errors import DataError, ParameterError
from learnable.metrics import cluster

AGREEMENT = [
    "rand_score", "adjusted_rand_score", "fowlkes_mallows_score", "mutual_info_score", "normalized_mutual_info_score",
    "adjusted_mutual_info_score", "homogeneity_score", "completeness_score", "v_measure_score",
]  # fmt: skip


@pytest.mark.parametrize("name", AGREEMENT)
@settings(max_examples=40, deadline=None)
@given(data=st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), min_size=1, max_size=25))
def test_groupings(name, data):
    truth, found = (list(column) for column in zip(*data, strict=True))
    ours, peer = getattr(metrics, name)(truth, found), getattr(theirs, name)(truth, found)
    assert ours == pytest.approx(peer, rel=1e-9, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(data=st.lists(st.tuples(st.integers(0, 4), st.sampled_from("xyz")), min_size=1, max_size=25))
def test_tables(data):
    truth, found = (list(column) for column in zip(*data, strict=True))
    assert (cluster.contingency_matrix(truth, found) == peer_cluster.contingency_matrix(truth, found)).all()
    assert (cluster.pair_confusion_matrix(truth, found) == peer_cluster.pair_confusion_matrix(truth, found)).all()
    for beta in (0.5, 2.0):
        ours = cluster.homogeneity_completeness_v_measure(truth, found, beta=beta)
        np.testing.assert_allclose(ours, theirs.homogeneity_completeness_v_measure(truth, found, beta=beta), atol=1e-12)


@pytest.mark.parametrize("method", ["arithmetic", "geometric", "min", "max"])
def test_means_of_entropies(method):
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 5, 200), rng.integers(0, 7, 200)
    for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
        ours = getattr(metrics, name)(truth, found, average_method=method)
        assert ours == pytest.approx(getattr(theirs, name)(truth, found, average_method=method), abs=1e-10)
    with pytest.raises(ParameterError, match="average_method"):
        metrics.normalized_mutual_info_score(truth, found, average_method="best")


def test_the_rand_index_counts_pairs():
    rng = np.random.default_rng(1)
    truth, found = rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    pairs = [(truth[i] == truth[j]) == (found[i] == found[j]) for i in range(30) for j in range(i)]
    assert metrics.rand_score(truth, found) == pytest.approx(np.mean(pairs))
    assert metrics.rand_score([0], [5]) == 1.0
    assert sparse.issparse(cluster.contingency_matrix(truth, found, sparse=True))


def by_hand(X, labels):
    """The silhouette of every row, from its definition."""
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    values = []
    for i, own in enumerate(labels):
        mates = (labels == own) & (np.arange(len(X)) != i)
        if not mates.any():
            values.append(0.0)
            continue
        a = distance[i, mates].mean()
        b = min(distance[i, labels == other].mean() for other in set(labels.tolist()) - {own})
        values.append((b - a) / max(a, b))
    return np.array(values)


@pytest.mark.parametrize("rows", [6, 50, 333])
def test_silhouettes(rows):
    rng = np.random.default_rng(rows)
    X, labels = rng.normal(size=(rows, 3)), rng.integers(0, 3, rows)
    labels[:3] = [0, 1, 5]
    found = metrics.silhouette_samples(X, labels)
    np.testing.assert_allclose(found, by_hand(X, labels), atol=1e-12)
    np.testing.assert_allclose(found, theirs.silhouette_samples(X, labels), atol=1e-12)
    assert metrics.silhouette_score(X, labels) == pytest.approx(theirs.silhouette_score(X, labels))
    distance = theirs.pairwise_distances(X)
    np.testing.assert_allclose(metrics.silhouette_samples(distance, labels, metric="precomputed"), found, atol=1e-12)
    ours = metrics.silhouette_samples(X, labels, metric="manhattan")
    np.testing.assert_allclose(ours, theirs.silhouette_samples(X, labels, metric="manhattan"), atol=1e-12)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, list])
def test_samples_for_silhouettes_are_those_of_scikit_learn(kind):
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    drawn = {"sample_size": 30, "random_state": 5}
    peer = theirs.silhouette_score(X, labels, **drawn)
    assert metrics.silhouette_score(kind(X), labels, **drawn) == pytest.approx(peer)
    distances = theirs.pairwise_distances(X)
    assert metrics.silhouette_score(distances, labels, metric="precomputed", **drawn) == pytest.approx(peer)


@pytest.mark.parametrize("name", [*AGREEMENT, "contingency_matrix", "pair_confusion_matrix"])
@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_labels_that_are_missing_are_refused_by_row(name, odd):
    score = getattr(cluster, name)
    with pytest.raises(DataError, match="the label of row 2 is"):
        score([0.0, 1.0, odd], [0, 1, 1])
    with pytest.raises(DataError, match="the label of row 1 is"):
        score([0, 1, 1], [0.0, odd, 1.0])


def test_silhouettes_of_texts_samples_and_threads():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(300, 4)), rng.normal(size=(200, 4)) + 4])
    labels = np.repeat(["near", "far"], [300, 200])
    part = metrics.silhouette_score(X, labels, sample_size=200, random_state=0)
    assert part == pytest.approx(metrics.silhouette_score(X, labels), abs=0.05)
    with learnable.threads(1):
        alone = metrics.silhouette_samples(X, labels)
    with learnable.threads(3):
        assert (metrics.silhouette_samples(X, labels) == alone).all()


@pytest.mark.parametrize("name", ["davies_bouldin_score", "calinski_harabasz_score"])
def test_shapes_of_clusters(name):
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
    assert getattr(metrics, name)(X, labels) == pytest.approx(getattr(theirs, name)(X, labels))
    same = np.repeat([[0.0, 0.0], [1.0, 1.0]], 3, axis=0)
    labels = [0, 0, 0, 1, 1, 1]
    assert getattr(metrics, name)(same, labels) == getattr(theirs, name)(same, labels)


def test_biclusters():
    rng = np.random.default_rng(4)
    a = rng.random((3, 8)) > 0.5, rng.random((3, 6)) > 0.5
    b = rng.random((4, 8)) > 0.5, rng.random((4, 6)) > 0.5
    assert metrics.consensus_score(a, b) == pytest.approx(theirs.consensus_score(a, b))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.silhouette_score(np.eye(3), [0, 0, 0]), "Number of labels is 1"),
        (lambda: metrics.silhouette_score(np.eye(3), [0, 1, 2]), "Number of labels is 3"),
        (lambda: metrics.silhouette_score(np.eye(3), [0, 1]), "the same number of rows"),
        (lambda: metrics.silhouette_score(np.eye(3), [0, 1, 1], metric="precomputed"), "diagonal"),
        (lambda: metrics.rand_score([0, 1], [0]), "the same number of rows"),
        (lambda: metrics.rand_score([[0, 1]], [0]), "must be 1D"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
