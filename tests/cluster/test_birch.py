"""BIRCH: subclusters of scikit-learn, radii below the threshold, rows in batches, far from the origin, files."""

import numpy as np
import pytest
from sklearn.cluster import Birch as TheirBirch
from sklearn.metrics import adjusted_rand_score

import learnable
from learnable.cluster import Birch, KMeans
from learnable.core import ConvergenceWarning


def rows(count, features, seed=0):
    return np.random.RandomState(seed).randn(count, features)


def in_order(centres):
    return centres[np.lexsort(centres.T)]


@pytest.mark.parametrize(("features", "branching", "threshold"), [(2, 50, 0.1), (5, 7, 0.8), (3, 2, 0.2)])
def test_the_subclusters_are_those_of_scikit_learn(features, branching, threshold):
    X = rows(1000, features)
    ours = Birch(threshold=threshold, branching_factor=branching, n_clusters=None).fit(X)
    theirs = TheirBirch(threshold=threshold, branching_factor=branching, n_clusters=None).fit(X)
    assert np.allclose(in_order(ours.subcluster_centers_), in_order(theirs.subcluster_centers_), rtol=0, atol=1e-12)


def test_clusters_are_those_of_scikit_learn():
    X, _ = learnable.datasets.make_blobs(2000, centers=12, random_state=3)
    ours, theirs = Birch(n_clusters=12, threshold=0.3).fit(X), TheirBirch(n_clusters=12, threshold=0.3).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) > 0.999
    assert np.allclose(
        np.sort(ours.transform(X), axis=1), np.sort(theirs.transform(X), axis=1), atol=1e-6
    )  # near zero theirs cancel


def test_sums_of_subclusters_are_those_of_their_rows():
    X = rows(400, 3)
    model = Birch(threshold=0.4, branching_factor=5, n_clusters=None).fit(X)
    assert model.subcluster_sizes_.sum() == len(X)
    assert np.allclose(model.subcluster_sizes_ @ model.subcluster_centers_, X.sum(axis=0), atol=1e-10)
    inner = model.children_ < 0
    within = model.sums_[inner, 1].sum()
    between = model.subcluster_sizes_ @ ((model.subcluster_centers_ - X.mean(axis=0)) ** 2).sum(axis=1)
    assert np.isclose(within + between, ((X - X.mean(axis=0)) ** 2).sum(), rtol=1e-12)
    root = model.sums_[: model.node_sizes_[0]]
    assert root[:, 0].sum() == len(X)
    assert model.certificate_.holds and model.certificate_.value <= 0.4 * (1 + 1e-9)


def test_an_offset_changes_no_subcluster():
    X = np.round(rows(500, 2) * 1024) / 1024  # so that the offset loses no digit
    near, far = (Birch(threshold=0.3, n_clusters=None).fit(X + offset) for offset in (0.0, 2.0**30))
    assert np.array_equal(near.labels_, far.labels_)
    assert len(TheirBirch(threshold=0.3, n_clusters=None).fit(X + 2.0**30).subcluster_centers_) != len(
        near.subcluster_centers_
    )


def test_batches_of_rows_make_the_same_tree(tmp_path):
    X = rows(600, 4)
    whole = Birch(threshold=0.7, branching_factor=6).fit(X)
    batches = Birch(threshold=0.7, branching_factor=6)
    for batch in np.array_split(X, 7):
        learnable.save(batches.partial_fit(batch), tmp_path / "model")
        batches = learnable.load(tmp_path / "model")
    for name in ("node_sizes_", "children_", "sums_", "means_", "leaves_", "subcluster_labels_"):
        assert np.array_equal(getattr(whole, name), getattr(batches, name)), name
    assert np.array_equal(whole.predict(X), batches.predict(X))


def test_partial_fit_without_rows_clusters_again():
    model = Birch(n_clusters=None, threshold=0.1).fit(rows(200, 2))
    count = len(model.subcluster_centers_)
    assert len(np.unique(model.subcluster_labels_)) == count
    model.n_clusters = 4
    assert len(np.unique(model.partial_fit().subcluster_labels_)) == 4


def test_another_clusterer_of_the_subclusters():
    X, _ = learnable.datasets.make_blobs(500, centers=3, cluster_std=0.5, random_state=1)
    kmeans = KMeans(3, random_state=0)
    model = Birch(threshold=0.5, n_clusters=kmeans).fit(X)
    assert adjusted_rand_score(model.labels_, KMeans(3, random_state=0).fit_predict(X)) == 1.0
    assert not hasattr(kmeans, "labels_")


def test_fewer_subclusters_than_clusters_are_reported():
    with pytest.warns(ConvergenceWarning, match="decrease threshold"):
        model = Birch(n_clusters=5, threshold=10.0).fit([[0.0], [1.0], [2.0]])
    assert model.labels_.tolist() == [0, 0, 0]


def test_damaged_trees_are_refused(tmp_path):
    for name, damage in (("children_", -1), ("leaves_", 0), ("node_sizes_", 0), ("sums_", np.nan)):
        model = Birch(threshold=0.5, branching_factor=4).fit(rows(200, 2))
        getattr(model, name).flat[0] = damage
        with pytest.raises(learnable.ModelFileError, match="Birch"):
            learnable.save(model, tmp_path / "model")
