"""HDBSCAN against scikit-learn and by definition."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist, squareform
from sklearn.cluster import HDBSCAN as Theirs
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from learnable import HDBSCAN, DataError, ParameterError, load, save


def shapes(seed):
    rng = np.random.default_rng(seed)
    moons, _ = make_moons(200, noise=0.06, random_state=seed)
    heap = rng.normal(size=(150, 2)) * 0.3 + [3, 2]
    return np.vstack([moons, heap, rng.uniform(-2, 5, (40, 2))])


OPTIONS = [
    {},
    {"min_cluster_size": 10, "min_samples": 3},
    {"cluster_selection_method": "leaf"},
    {"max_cluster_size": 120},
    {"alpha": 1.2, "min_samples": 1},
    {"metric": "manhattan"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_clusters_equal_those_of_scikit_learn(options):
    """Lengthened distances are often equal. Theirs depend on the order of such merges, ours do not: without them they
    are the same, with them nearly so."""
    for seed in range(3):
        X = shapes(seed)
        ours, theirs = HDBSCAN(**options).fit(X), Theirs(copy=True, **options).fit(X)
        np.testing.assert_allclose(ours.merges_[:, 2], np.sort(theirs._single_linkage_tree_["value"]), rtol=1e-9)
        agreement = adjusted_rand_score(theirs.labels_, ours.labels_)
        if ours.min_samples == 1:
            assert agreement == 1
            np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, atol=1e-9)
        assert agreement > 0.85
        np.testing.assert_array_equal(ours.predict(X), ours.labels_)


def clusters_by_definition(D, members, birth, least, method):
    """Stability and selected clusters of a subtree: the cluster itself, or clusters inside it."""
    alive, own, large = members, 0.0, []
    while len(large) < 2:
        inner = D[np.ix_(alive, alive)]
        height = linkage(squareform(inner, checks=False), "single")[-1, 2]
        part = connected_components(inner < height)[1]
        parts = [alive[part == k] for k in range(part.max() + 1)]
        large = [rows for rows in parts if len(rows) >= least]
        own += (1 / height - birth) * (len(alive) if len(large) != 1 else len(alive) - len(large[0]))
        if not large:
            return own, [members]
        alive = large[0] if len(large) == 1 else alive
    inside = [clusters_by_definition(D, rows, 1 / height, least, method) for rows in large]
    total = sum(stability for stability, _ in inside)
    if method == "leaf" or birth == 0 or total > own:
        return total, [cluster for _, clusters in inside for cluster in clusters]
    return own, [members]


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("least", [3, 5])
def test_clusters_equal_the_definition(method, least):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 4, rng.uniform(-4, 7, (10, 2))])
        apart = cdist(X, X)
        core = np.sort(apart, axis=1)[:, least - 1]
        D = np.maximum(np.maximum(apart, core), core[:, None])
        np.fill_diagonal(D, 0.0)
        expected = np.full(len(X), -1)
        for k, rows in enumerate(clusters_by_definition(D, np.arange(len(X)), 0.0, least, method)[1]):
            expected[rows] = k
        labels = HDBSCAN(least, cluster_selection_method=method).fit(X).labels_
        np.testing.assert_array_equal(labels == -1, expected == -1)
        assert adjusted_rand_score(expected, labels) == 1


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("whole", [False, True])
def test_the_order_of_the_rows_has_no_effect(method, whole):
    rng = np.random.default_rng(5)
    smooth = np.vstack([rng.normal(size=(80, 2)), rng.normal(size=(60, 2)) * 0.4 + 4, rng.uniform(-4, 7, (20, 2))])
    for X in (
        smooth,
        shapes(0),
        rng.integers(0, 12, (150, 2)).astype(float),
    ):  # the last has equal distances everywhere
        if whole:
            X = X.round(1)
        model = HDBSCAN(min_samples=4, cluster_selection_method=method).fit(X)
        for _ in range(3):
            order = rng.permutation(len(X))
            other = HDBSCAN(min_samples=4, cluster_selection_method=method).fit(X[order])
            np.testing.assert_array_equal(other.labels_ == -1, model.labels_[order] == -1)
            assert adjusted_rand_score(other.labels_, model.labels_[order]) == 1
            np.testing.assert_allclose(other.probabilities_, model.probabilities_[order], rtol=1e-9)


def test_clusters_below_epsilon_are_not_split():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)) * 0.3 + centre for centre in ([0, 0], [2, 0], [30, 0], [32, 0])])
    assert HDBSCAN(cluster_selection_method="leaf", min_cluster_size=15).fit(X).labels_.max() == 3
    wide = HDBSCAN(cluster_selection_method="leaf", min_cluster_size=15, cluster_selection_epsilon=3.0).fit(X)
    assert adjusted_rand_score(np.repeat([0, 0, 1, 1], 40), wide.labels_) == 1


def test_a_single_cluster_may_be_allowed():
    X = np.random.default_rng(0).normal(size=(80, 2))
    ours, theirs = HDBSCAN(allow_single_cluster=True).fit(X), Theirs(allow_single_cluster=True, copy=True).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert HDBSCAN(allow_single_cluster=True, cluster_selection_epsilon=0.5).fit(X).labels_.max() == 0


def test_precomputed_distances_and_missing_values():
    X = shapes(0)
    plain = HDBSCAN().fit(X)
    np.testing.assert_array_equal(HDBSCAN(metric="precomputed").fit(cdist(X, X)).labels_, plain.labels_)
    with_missing = np.vstack([X[:5], [[np.nan, 1.0]], X[5:]])
    model = HDBSCAN().fit(with_missing)
    np.testing.assert_array_equal(np.delete(model.labels_, 5), plain.labels_)
    assert model.labels_[5] == -3 and np.isnan(model.probabilities_[5])
    np.testing.assert_array_equal(model.predict(with_missing), model.labels_)


def test_distant_new_rows_are_noise():
    X, _ = make_blobs(100, centers=[[0, 0], [9, 9]], random_state=0)
    model = HDBSCAN(min_cluster_size=10).fit(X)
    assert model.predict([[0.1, 0.0], [60.0, 60.0]]).tolist() == [model.labels_[np.abs(X).sum(axis=1).argmin()], -1]


def test_cutting_as_dbscan_does():
    X = shapes(1)
    ours, theirs = HDBSCAN().fit(X), Theirs(copy=True).fit(X)
    for distance in (0.1, 0.3, 1.0):
        cut = ours.dbscan_clustering(distance, 4), theirs.dbscan_clustering(distance, 4)
        assert adjusted_rand_score(*cut) == 1


def test_cluster_centres():
    X = shapes(2)
    options = {"min_samples": 1, "store_centers": "both", "copy": True}
    ours, theirs = HDBSCAN(**options).fit(X), Theirs(**options).fit(X)
    order = [int(np.argmin(cdist([centre], ours.centroids_))) for centre in theirs.centroids_]
    np.testing.assert_allclose(ours.centroids_[order], theirs.centroids_, rtol=1e-6)
    np.testing.assert_allclose(ours.medoids_[order], theirs.medoids_, rtol=1e-6)


def test_too_few_rows_are_refused():
    with pytest.raises(ParameterError, match=r"min_samples=5 must not be larger than .* defaults to min_cluster_size"):
        HDBSCAN().fit([[0.0], [1.0], [2.0]])


@pytest.mark.parametrize("storage", [np.asarray, csr_array])
def test_rows_with_missing_or_infinite_values_are_labelled_as_by_scikit_learn(storage):
    X = shapes(1)
    X[3, 0], X[7, 1], X[40] = np.nan, np.inf, [-np.inf, 3.0]
    X[50] = [np.inf, np.nan]
    ours, theirs = HDBSCAN(8, copy=True).fit(storage(X)), Theirs(8, copy=True).fit(X)
    np.testing.assert_array_equal(ours.labels_ < -1, theirs.labels_ < -1)
    np.testing.assert_array_equal(ours.labels_[[3, 7, 40, 50]], theirs.labels_[[3, 7, 40, 50]])
    assert ours.labels_[[3, 7, 40, 50]].tolist() == [-3, -2, -2, -3]
    np.testing.assert_array_equal(ours.probabilities_[[3, 7, 40, 50]], [np.nan, 0, 0, np.nan])
    sound = ours.labels_ >= -1
    np.testing.assert_array_equal(ours.labels_[sound], HDBSCAN(8, copy=True).fit(X[sound]).labels_)
    np.testing.assert_array_equal(ours.predict(storage(X)), ours.labels_)
    np.testing.assert_array_equal(ours.dbscan_clustering(0.3)[[3, 7, 40, 50]], [-3, -2, -2, -3])


def test_unknown_distances_are_refused():
    far = cdist(shapes(1), shapes(1))
    far[2, 5] = far[5, 2] = np.nan
    with pytest.raises(DataError, match="HDBSCAN: X holds NaN among the distances"):
        HDBSCAN(metric="precomputed", copy=True).fit(far)
    far[2, 5], far[5, 2] = 0.5, 9.0
    for table in (far, csr_array(far)):
        with pytest.raises(DataError, match=r"HDBSCAN: the distance matrix X is not symmetric"):
            HDBSCAN(metric="precomputed", copy=True).fit(table)
    far[2, 5] = far[5, 2] = np.inf
    assert (HDBSCAN(metric="precomputed", copy=True).fit(far).labels_ >= -1).all()


def test_rows_of_many_columns_are_clustered_by_their_distances():
    """The reach of a row is the length of one of its links: where these are rounded apart, ties are none."""
    for seed in range(40):
        X = np.abs(np.random.default_rng(seed).normal(size=(90, 20))) + np.repeat([0.0, 1.6, 0.8], 30)[:, None]
        found, given = (HDBSCAN(4, metric=m).fit(rows) for m, rows in (("euclidean", X), ("precomputed", cdist(X, X))))
        np.testing.assert_array_equal(found.labels_, given.labels_)
        np.testing.assert_allclose(found.probabilities_, given.probabilities_)


@pytest.mark.parametrize("least", [3, 100])
def test_models_with_missing_rows_and_without_clusters_are_saved(least, tmp_path):
    X = shapes(0)[::4]
    X[3, 1], X[5, 0] = np.nan, np.inf
    model = HDBSCAN(min_cluster_size=min(least, 90), min_samples=3, store_centers="both").fit(X)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    count = model.labels_.max() + 1
    assert model.labels_[3] == -3 and again.centroids_.shape == again.medoids_.shape == (count, 2)
    assert (count == 0) == (least == 100)
