"""Core samples and clusters of DBSCAN against the definition and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN as Theirs
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import radius_neighbors_graph

from learnable import DBSCAN, dbscan
from learnable.core.runtime.native import kernels
from learnable.engines.neighbours import RowComparison, TreeSearch


def by_definition(X, eps, least, weight=None):
    """Chains through dense rows, one row after the other; who is beside several is with the first (E-154)."""
    near = cdist(X, X) <= eps
    heavy = np.ones(len(X)) if weight is None else weight
    core = (near @ heavy >= least) & (heavy > 0)
    labels, count = np.full(len(X), -1), 0
    for start in np.flatnonzero(core):
        if labels[start] >= 0:
            continue
        waiting, cluster = [start], {start}
        while waiting:
            for other in np.flatnonzero(near[waiting.pop()]):
                if other not in cluster and labels[other] < 0:
                    cluster.add(other)
                    waiting += [other] if core[other] else []
        labels[list(cluster)] = count
        count += 1
    return core, labels


@given(
    st.lists(st.tuples(*[st.integers(-6, 6)] * 2), min_size=1, max_size=60),
    st.sampled_from([0.5, 1.0, 1.5, 2.0]),
    st.integers(1, 6),
    st.integers(0, 3),
)
def test_clusters_equal_the_definition(rows, eps, least, heaviest):
    X = np.array(rows, dtype=float)
    weight = np.random.default_rng(len(X)).integers(0, heaviest + 1, len(X)) + 1.0 * (np.arange(len(X)) == 0)
    weight = weight if heaviest else None
    model = DBSCAN(eps=eps, min_samples=least).fit(X, sample_weight=weight)
    core, labels = by_definition(X, eps, least, weight)
    np.testing.assert_array_equal(model.core_sample_indices_, np.flatnonzero(core))
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.predict(X), labels)


@pytest.mark.parametrize("columns", [1, 2, 3, 10, 20])
@pytest.mark.parametrize("rows", [30, 3000])
def test_labels_are_those_of_scikit_learn(rows, columns):
    rng = np.random.default_rng(columns)
    X = rng.normal(size=(rows, columns)) + 3 * rng.integers(0, 3, (rows, 1))
    for eps in (0.05 * columns**0.5, 0.3 * columns**0.5, 0.8 * columns**0.5):
        ours, theirs = DBSCAN(eps=eps, min_samples=6).fit(X), Theirs(eps=eps, min_samples=6).fit(X)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
        np.testing.assert_array_equal(ours.components_, theirs.components_)
        np.testing.assert_array_equal(ours.predict(X), ours.labels_)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "canberra", "cosine", "hamming", "seuclidean"])
def test_any_metric(metric):
    X = np.random.default_rng(0).normal(size=(200, 3))
    X = np.round(X) if metric == "hamming" else X
    eps = {"cosine": 0.02, "canberra": 0.4, "hamming": 0.1}.get(metric, 0.5)
    ours = DBSCAN(eps=eps, min_samples=4, metric=metric).fit(X)
    options = {"metric_params": {"V": X.var(axis=0, ddof=1)}} if metric == "seuclidean" else {}
    theirs = Theirs(eps=eps, min_samples=4, metric=metric, algorithm="brute", **options).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    assert len(set(ours.labels_)) > 1


def test_precomputed_distances_or_graph():
    X = np.random.default_rng(1).normal(size=(150, 2))
    plain = DBSCAN(eps=0.3, min_samples=4).fit(X)
    table = cdist(X, X)
    whole = DBSCAN(eps=0.3, min_samples=4, metric="precomputed").fit(table)
    graph = radius_neighbors_graph(X, 0.5, mode="distance")
    sparse = DBSCAN(eps=0.3, min_samples=4, metric="precomputed").fit(graph)
    np.testing.assert_array_equal(whole.labels_, plain.labels_)
    np.testing.assert_array_equal(whole.predict(table), plain.labels_)
    np.testing.assert_array_equal(sparse.labels_, plain.labels_)
    np.testing.assert_array_equal(DBSCAN(eps=0.3, min_samples=4).fit(csr_array(X)).labels_, plain.labels_)
    np.testing.assert_array_equal(dbscan(X, 0.3, min_samples=4)[1], plain.labels_)


def test_border_points_do_not_extend_clusters():
    X = np.array([[0.0], [0.1], [0.2], [1.1], [2.0], [2.9], [3.0], [3.1]])
    model = DBSCAN(eps=0.95, min_samples=4).fit(X)
    assert model.core_sample_indices_.tolist() == [2, 5] and model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert model.predict([[1.12], [1.96], [1.3], [9.0]]).tolist() == [0, 1, -1, -1]


def test_weights_equal_copies_of_rows():
    X = np.random.default_rng(2).normal(size=(60, 2))
    count = np.random.default_rng(3).integers(0, 4, 60)
    weighted = DBSCAN(eps=0.4, min_samples=6).fit(X, sample_weight=count.astype(float))
    copied = DBSCAN(eps=0.4, min_samples=6).fit(np.repeat(X, count, axis=0))
    np.testing.assert_array_equal(np.repeat(weighted.labels_, count), copied.labels_)
    assert 0 < len(weighted.core_sample_indices_) < 60


def test_moons_and_rings_are_found():
    for X, truth in (
        make_moons(500, noise=0.05, random_state=0),
        make_circles(500, noise=0.03, factor=0.5, random_state=0),
    ):
        labels = DBSCAN(eps=0.2).fit_predict(X)
        assert adjusted_rand_score(truth, labels) == 1


def test_without_core_samples_all_rows_are_noise():
    model = DBSCAN(eps=0.1).fit([[0.0], [1.0], [2.0]])
    assert model.labels_.tolist() == [-1] * 3 and model.predict([[0.0]]).tolist() == [-1]
    assert model.components_.shape == (0, 1) and model.certificate_.holds


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_grid_equals_the_tree(power, weighted):
    rng = np.random.default_rng(0)
    tried = 0
    for rows in (1, 2, 40, 700, 9000):
        X = rng.uniform(0, rows**0.5, (rows, 2)) if rows != 700 else rng.integers(0, 30, (rows, 2)).astype(float)
        weight = rng.integers(0, 3, rows).astype(float) if weighted else None
        for offset, eps in ((0.0, 1.0), (1e9, 1.25), (-3.0, 2.0)):
            search, table = TreeSearch(X + offset, RowComparison(power=power)), X + offset
            found = [(np.empty(rows, dtype=np.uint8), np.empty(rows, dtype=np.int64)) for _ in range(2)]
            suited = kernels.dbscan_grid(table * search.unit, power, eps * search.unit, weight, 5.0, *found[0])
            kernels.dbscan_tree(search.tree.parts, 2, *search.kind, eps * search.unit, weight, 5.0, *found[1])
            tried += suited
            if suited:
                np.testing.assert_array_equal(found[0][0], found[1][0])
                np.testing.assert_array_equal(found[0][1], found[1][1])
    assert tried >= 14  # all, but perhaps one


def test_crowded_and_scattered_points_use_the_tree():
    rng = np.random.default_rng(1)
    core, labels = np.empty(2000, dtype=np.uint8), np.empty(2000, dtype=np.int64)
    for X, eps in ((rng.normal(size=(2000, 2)), 50.0), (rng.uniform(0, 1, (2000, 2)), 1e-5)):
        assert not kernels.dbscan_grid(X, 2.0, eps, None, 5.0, core, labels)
        np.testing.assert_array_equal(DBSCAN(eps=eps).fit(X).labels_, Theirs(eps=eps).fit(X).labels_)
