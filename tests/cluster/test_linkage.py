"""Merges equal SciPy's, by every method, from rows, from distances and along graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import AgglomerativeClustering as Theirs
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from learnable import AgglomerativeClustering, DataError, ParameterError, cut_linkage, dendrogram, linkage

METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
RULED_BY_PAIRS = ("single", "complete", "average")


def in_order(model, X):
    """The clusters of rows, numbered by their first rows."""
    labels = model.predict(X) if hasattr(model, "predict") else model.labels_
    place = {label: k for k, label in enumerate(dict.fromkeys(labels.tolist()))}
    return [place[label] for label in labels.tolist()]


def members(merges):
    """The rows of the cluster that every merge creates."""
    rows = len(merges) + 1
    clusters = [frozenset([i]) for i in range(rows)]
    for left, right in merges[:, :2].astype(int):
        clusters.append(clusters[left] | clusters[right])
    return clusters[rows:]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [2, 3, 10, 64, 700])
def test_merges_equal_those_of_scipy(method, rows):
    for seed in range(5 if rows < 700 else 1):
        X = np.random.default_rng(seed).normal(size=(rows, 1 + seed))
        theirs = hierarchy.linkage(X, method)
        for ours in (linkage(X, method), linkage(pdist(X), method)):
            np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-9)
            np.testing.assert_array_equal(ours[:, 3], theirs[:, 3])
            assert members(ours) == members(theirs)


@pytest.mark.parametrize("method", ("single", "complete", "average", "weighted", "ward"))
@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=2, max_size=30),
    st.sampled_from([1.0, 1e-150, 1e120]),
)
def test_heights_are_right_where_distances_are_tied(method, rows, unit):
    X = np.array(rows, dtype=float)
    ours = linkage(X * unit, method)
    assert (np.diff(ours[:, 2]) >= 0).all() and ours[-1, 3] == len(X)
    if method == "single":  # the only one whose heights do not hang on how ties are broken
        np.testing.assert_allclose(ours[:, 2] / unit, hierarchy.linkage(pdist(X), method)[:, 2], rtol=1e-9)
    for k, cluster in enumerate(members(ours)):
        left, right = (set(_rows(ours, node)) for node in ours[k, :2].astype(int))
        np.testing.assert_allclose(ours[k, 2] / unit, _apart(X, left, right, ours, method), rtol=1e-7, atol=1e-9)
        assert cluster == left | right


def _rows(merges, node):
    return [node] if node <= len(merges) else members(merges)[node - len(merges) - 1]


def _apart(X, left, right, merges, method):
    """The distance of two clusters by its definition."""
    left, right = sorted(left), sorted(right)
    table = squareform(pdist(X))[np.ix_(left, right)]
    if method == "ward":
        gap = X[left].mean(axis=0) - X[right].mean(axis=0)
        return np.sqrt(2 * len(left) * len(right) / (len(left) + len(right)) * gap @ gap)
    if method == "weighted":
        share = {i: _weight(merges, set(left), i) for i in left} | {i: _weight(merges, set(right), i) for i in right}
        return sum(share[i] * share[j] * table[a, b] for a, i in enumerate(left) for b, j in enumerate(right))
    return {"single": table.min(), "complete": table.max(), "average": table.mean()}[method]


def _weight(merges, cluster, row):
    """The weight of a row in a cluster under weighted linkage: 1/2 for every merge on its path."""
    return 0.5 ** sum(row in made and made <= cluster for made in members(merges))


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine", "seuclidean"])
@pytest.mark.parametrize("method", RULED_BY_PAIRS)
def test_other_metrics(method, metric):
    X = np.random.default_rng(0).normal(size=(60, 3))
    ours, theirs = linkage(X, method, metric), hierarchy.linkage(X, method, metric)
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-9)
    assert members(ours) == members(theirs)


def test_centroid_linkage_needs_euclidean_distances():
    with pytest.raises(ParameterError, match="centroid linkage is based on centroids"):
        linkage([[0.0], [1.0]], "centroid", "cityblock")
    with pytest.raises(DataError, match="4 distances are not a condensed distance matrix"):
        linkage([1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("linked", ("ward", "complete", "average", "single"))
@pytest.mark.parametrize("count", [1, 2, 7, 80])
def test_labels_are_those_of_scikit_learn(linked, count):
    X = np.random.default_rng(count).normal(size=(80, 3))
    options = {"n_clusters": count, "linkage": linked, "compute_distances": True}
    ours, theirs = AgglomerativeClustering(**options).fit(X), Theirs(**options).fit(X)
    np.testing.assert_array_equal(in_order(ours, X), in_order(theirs, X))
    np.testing.assert_allclose(ours.distances_, theirs.distances_, rtol=1e-9)
    assert ours.n_clusters_ == count and ours.n_leaves_ == 80
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)


@pytest.mark.parametrize("linked", ("ward", "complete", "average", "single"))
@pytest.mark.parametrize("neighbours", [1, 5])
@pytest.mark.filterwarnings("ignore:.*connect:UserWarning")
def test_along_a_graph_as_scikit_learn(linked, neighbours):
    X = np.random.default_rng(3).normal(size=(60, 2))
    graph = kneighbors_graph(X, neighbours)
    options = {"n_clusters": 4, "linkage": linked, "compute_distances": True}
    ours = AgglomerativeClustering(connectivity=graph, **options).fit(X)
    theirs = Theirs(connectivity=graph + graph.T, **options).fit(X)
    np.testing.assert_array_equal(in_order(ours, X), in_order(theirs, X))
    np.testing.assert_allclose(np.sort(ours.distances_), np.sort(theirs.distances_), rtol=1e-9)
    assert ours.n_connected_components_ == theirs.n_connected_components_


def test_a_complete_graph_changes_nothing():
    X = np.random.default_rng(4).normal(size=(40, 2))
    all_connected = np.ones((40, 40))
    for linked in ("ward", "complete", "average", "single"):
        free = AgglomerativeClustering(3, linkage=linked, compute_distances=True).fit(X)
        bound = AgglomerativeClustering(3, linkage=linked, compute_distances=True, connectivity=all_connected).fit(X)
        np.testing.assert_allclose(bound.distances_, free.distances_, rtol=1e-9)
        np.testing.assert_array_equal(in_order(bound, X), in_order(free, X))


def test_clusters_beyond_the_distance_threshold_are_not_merged():
    X = np.array([[0.0], [1.0], [5.0], [6.5], [20.0]])
    model = AgglomerativeClustering(None, linkage="single", distance_threshold=3.5).fit(X)
    np.testing.assert_array_equal(in_order(model, X), [0, 0, 1, 1, 2])
    assert model.n_clusters_ == 3 and model.distances_.tolist() == [1.0, 1.5, 4.0, 13.5]
    assert model.predict([[5.9], [13.0], [-7.0]]).tolist() == model.labels_[[3, 3, 0]].tolist()


def test_distances_may_be_precomputed_or_a_function():
    X = np.random.default_rng(5).normal(size=(30, 2))
    table = squareform(pdist(X, "cityblock"))
    named = AgglomerativeClustering(3, metric="cityblock", linkage="average").fit(X)
    given_table = AgglomerativeClustering(3, metric="precomputed", linkage="average").fit(table)
    measured = AgglomerativeClustering(3, metric=lambda A: squareform(pdist(A, "cityblock")), linkage="average").fit(X)
    for other, rows in ((given_table, table), (measured, X)):
        np.testing.assert_array_equal(other.labels_, named.labels_)
        np.testing.assert_array_equal(other.predict(rows), named.labels_)


def test_single_linkage_follows_moons_and_ward_does_not():
    X, truth = make_moons(300, noise=0.05, random_state=0)
    assert adjusted_rand_score(truth, AgglomerativeClustering(2, linkage="single").fit_predict(X)) == 1
    assert adjusted_rand_score(truth, AgglomerativeClustering(2).fit_predict(X)) < 0.9


def test_invalid_cuts_are_refused():
    X = [[0.0], [1.0], [2.0]]
    for options, words in (
        ({"n_clusters": 4}, "is larger than the number of rows"),
        ({"n_clusters": None}, "exactly one of"),
        ({"distance_threshold": 1.0}, "exactly one of"),
        ({"metric": "cosine"}, "needs metric='euclidean'"),
    ):
        with pytest.raises(ParameterError, match=words):
            AgglomerativeClustering(**options).fit(X)
    with pytest.raises(DataError, match="minimum of 2 rows"):
        AgglomerativeClustering().fit(X[:1])


def test_cuts_and_dendrograms_equal_those_of_scipy():
    X = np.random.default_rng(6).normal(size=(25, 2))
    merges = linkage(X, "average")
    for count in (1, 3, 25):
        theirs = hierarchy.fcluster(merges, count, "maxclust")
        np.testing.assert_array_equal(cut_linkage(merges, count), _by_first(theirs))
    height = float(merges[-4, 2])
    np.testing.assert_array_equal(
        cut_linkage(merges, height=height), _by_first(hierarchy.fcluster(merges, height, "distance"))
    )
    ours, theirs = dendrogram(merges), hierarchy.dendrogram(merges, no_plot=True)
    assert ours["leaves"] == theirs["leaves"] and ours["ivl"] == theirs["ivl"]
    assert sorted(ours["icoord"]) == sorted(theirs["icoord"]) and sorted(ours["dcoord"]) == sorted(theirs["dcoord"])


@pytest.mark.parametrize("method", ["centroid", "median"])
def test_cuts_at_a_height_with_inversions(method):
    rng, turned = np.random.default_rng(8), 0
    for _ in range(40):
        X = rng.normal(size=(rng.integers(3, 20), 2))
        merges = linkage(X, method)
        turned += (np.diff(merges[:, 2]) < 0).any()
        height = float(rng.choice(merges[:, 2]))
        theirs = _by_first(hierarchy.fcluster(merges, height, "distance"))
        np.testing.assert_array_equal(cut_linkage(merges, height=height), theirs)
        model = AgglomerativeClustering(None, linkage=method, distance_threshold=np.nextafter(height, np.inf)).fit(X)
        np.testing.assert_array_equal(_by_first(model.labels_), theirs)
        assert model.n_clusters_ == theirs.max() + 1
    assert turned > 5


def _by_first(labels):
    _, first, code = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[code]


@pytest.mark.parametrize("method", ["complete", "average", "weighted"])
def test_many_rows_merge_as_in_scipy(method):
    rng = np.random.default_rng(7)
    X = rng.uniform(-9, 9, (8, 4))[rng.integers(0, 8, 1300)] + rng.normal(size=(1300, 4))  # the table closes up twice
    ours, theirs = linkage(X, method), hierarchy.linkage(X, method)
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-9)
    assert members(ours) == members(theirs)


@pytest.mark.parametrize("linkage", RULED_BY_PAIRS)
def test_of_asymmetric_distances_the_upper_triangle_is_read(linkage):
    far = np.abs(np.random.default_rng(0).normal(size=(20, 20)))
    np.fill_diagonal(far, 0.0)
    ours, theirs = (
        model(3, metric="precomputed", linkage=linkage, compute_distances=True).fit(far)
        for model in (AgglomerativeClustering, Theirs)
    )
    np.testing.assert_allclose(ours.distances_, theirs.distances_)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1


@pytest.mark.parametrize("method", RULED_BY_PAIRS)
def test_a_metric_may_be_a_function_of_two_rows_as_for_scipy(method):
    X = np.random.default_rng(5).normal(size=(20, 3))

    def apart(one, other):
        return float(np.abs(one - other).max())

    for ordered in (False, True):
        theirs = hierarchy.linkage(X, method, apart, optimal_ordering=ordered)
        np.testing.assert_allclose(linkage(X, method, apart, ordered), theirs, rtol=1e-12)


def test_leaves_are_ordered_by_metrics_with_other_names_in_scipy():
    X = np.random.default_rng(6).normal(size=(20, 3))
    theirs = hierarchy.linkage(X, "average", "cityblock", optimal_ordering=True)
    np.testing.assert_allclose(linkage(X, "average", "manhattan", optimal_ordering=True), theirs, rtol=1e-12)
