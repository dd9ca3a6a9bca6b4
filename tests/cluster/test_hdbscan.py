"""Groups that last, against scikit-learn and by their definition."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import HDBSCAN as Theirs
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from learnable import HDBSCAN, ParameterError
from learnable.cluster.condensed_tree import Choice, condensed, labelled


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
def test_groups_are_those_of_scikit_learn(options):
    """Distances that are lengthened are often equal; their order makes the tree, so ours is grown from their merges."""
    for seed in range(3):
        X = shapes(seed)
        ours, theirs = HDBSCAN(**options).fit(X), Theirs(copy=True, **options).fit(X)
        table = theirs._single_linkage_tree_
        merges = np.column_stack([table[name] for name in table.dtype.names]).astype(float)
        np.testing.assert_allclose(ours.merges_[:, 2], np.sort(merges[:, 2]), rtol=1e-9)
        choice = Choice(ours.cluster_selection_method, False, ours.max_cluster_size or 10**9, 0.0)
        labels, firm = labelled(condensed(merges, ours.min_cluster_size), choice)
        assert adjusted_rand_score(theirs.labels_, labels) == 1 and labels.max() == theirs.labels_.max()
        np.testing.assert_array_equal(labels == -1, theirs.labels_ == -1)
        np.testing.assert_allclose(firm, theirs.probabilities_, atol=1e-9)
        assert adjusted_rand_score(theirs.labels_, ours.labels_) > (1 - 1e-9 if ours.min_samples == 1 else 0.85)
        np.testing.assert_array_equal(ours.predict(X), ours.labels_)


def test_groups_that_begin_near_are_not_parted():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)) * 0.3 + centre for centre in ([0, 0], [2, 0], [30, 0], [32, 0])])
    assert HDBSCAN(cluster_selection_method="leaf", min_cluster_size=15).fit(X).labels_.max() == 3
    wide = HDBSCAN(cluster_selection_method="leaf", min_cluster_size=15, cluster_selection_epsilon=3.0).fit(X)
    assert adjusted_rand_score(np.repeat([0, 0, 1, 1], 40), wide.labels_) == 1


def test_one_group_may_be_allowed():
    X = np.random.default_rng(0).normal(size=(80, 2))
    ours, theirs = HDBSCAN(allow_single_cluster=True).fit(X), Theirs(allow_single_cluster=True, copy=True).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert HDBSCAN(allow_single_cluster=True, cluster_selection_epsilon=0.5).fit(X).labels_.max() == 0


def test_distances_may_be_given_and_rows_may_have_gaps():
    X = shapes(0)
    plain = HDBSCAN().fit(X)
    np.testing.assert_array_equal(HDBSCAN(metric="precomputed").fit(cdist(X, X)).labels_, plain.labels_)
    with_gaps = np.vstack([X[:5], [[np.nan, 1.0]], X[5:]])
    model = HDBSCAN().fit(with_gaps)
    np.testing.assert_array_equal(np.delete(model.labels_, 5), plain.labels_)
    assert model.labels_[5] == -3 and np.isnan(model.probabilities_[5])
    np.testing.assert_array_equal(model.predict(with_gaps), model.labels_)


def test_new_rows_far_away_are_in_no_group():
    X, _ = make_blobs(100, centers=[[0, 0], [9, 9]], random_state=0)
    model = HDBSCAN(min_cluster_size=10).fit(X)
    assert model.predict([[0.1, 0.0], [60.0, 60.0]]).tolist() == [model.labels_[np.abs(X).sum(axis=1).argmin()], -1]


def test_cutting_as_dbscan_does():
    X = shapes(1)
    ours, theirs = HDBSCAN().fit(X), Theirs(copy=True).fit(X)
    for distance in (0.1, 0.3, 1.0):
        cut = ours.dbscan_clustering(distance, 4), theirs.dbscan_clustering(distance, 4)
        assert adjusted_rand_score(*cut) == 1


def test_centres_of_groups():
    X = shapes(2)
    ours, theirs = HDBSCAN(store_centers="both").fit(X), Theirs(store_centers="both", copy=True).fit(X)
    order = [int(np.argmin(cdist([centre], ours.centroids_))) for centre in theirs.centroids_]
    np.testing.assert_allclose(ours.centroids_[order], theirs.centroids_, rtol=1e-6)
    np.testing.assert_allclose(ours.medoids_[order], theirs.medoids_, rtol=1e-6)


def test_too_few_rows_are_refused():
    with pytest.raises(ParameterError, match="min_samples=5 must not be more than the rows"):
        HDBSCAN().fit([[0.0], [1.0], [2.0]])
