"""Modes and clusters equal those of scikit-learn."""

import numpy as np
import pytest
from sklearn import cluster as theirs
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from learnable import DataError, MeanShift, estimate_bandwidth, get_bin_seeds, mean_shift


@pytest.fixture
def rows():
    return make_blobs(150, centers=[[0, 0], [5, 0], [0, 6]], cluster_std=0.8, random_state=0)


@pytest.mark.parametrize(
    "options",
    [{"bandwidth": 2.0}, {}, {"bandwidth": 1.0, "cluster_all": False}, {"bandwidth": 2.0, "bin_seeding": True}],
    ids=str,
)
def test_as_scikit_learn(rows, options):
    X, truth = rows
    ours, other = MeanShift(**options).fit(X), theirs.MeanShift(**options).fit(X)
    np.testing.assert_allclose(ours.cluster_centers_, other.cluster_centers_, rtol=1e-9)
    np.testing.assert_array_equal(ours.labels_, other.labels_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    assert ours.certificate_.holds
    if options.get("bandwidth") == 2.0:
        assert adjusted_rand_score(truth, ours.labels_) > 0.97


def test_a_mode_is_the_mean_of_its_neighbours(rows):
    X, _ = rows
    for centre in MeanShift(bandwidth=2.0).fit(X).cluster_centers_:
        near = np.linalg.norm(X - centre, axis=1) <= 2.0
        assert np.linalg.norm(X[near].mean(axis=0) - centre) <= 2e-3


def test_seeds_and_bandwidths(rows):
    X, _ = rows
    assert estimate_bandwidth(X) == pytest.approx(theirs.estimate_bandwidth(X))
    few = estimate_bandwidth(X, quantile=0.1, n_samples=50, random_state=3)
    assert few == pytest.approx(theirs.estimate_bandwidth(X, quantile=0.1, n_samples=50, random_state=3))
    ours, other = get_bin_seeds(X, 1.0, 2), theirs.get_bin_seeds(X, 1.0, 2)
    assert sorted(map(tuple, ours)) == sorted(map(tuple, other))
    centres, labels = mean_shift(X, bandwidth=2.0, seeds=[[0.0, 0.0], [5.0, 0.0]])
    assert len(centres) == 2 and set(labels) == {0, 1}


def test_seeds_without_neighbours_are_refused():
    with pytest.raises(DataError, match="no row is within bandwidth=1"):
        MeanShift(bandwidth=1.0, seeds=[[99.0]]).fit([[0.0], [1.0]])
    with pytest.raises(DataError, match="must have the 1 columns"):
        MeanShift(bandwidth=1.0, seeds=[[99.0, 1.0]]).fit([[0.0], [1.0]])


def test_repeated_rows_are_modes():
    points = np.random.default_rng(0).normal(size=(3, 3))
    model = MeanShift().fit(np.repeat(points, 10, axis=0))
    assert model.bandwidth_ == 0
    assert sorted(model.cluster_centers_.tolist()) == sorted(points.tolist())
    np.testing.assert_array_equal(model.cluster_centers_[model.labels_], np.repeat(points, 10, axis=0))


@pytest.mark.parametrize("options", [{"bin_seeding": True, "min_bin_freq": 100}, {"seeds": np.empty((0, 1))}])
def test_starting_points_are_required(options):
    with pytest.raises(DataError, match="no initial points; give seeds, or lower min_bin_freq"):
        MeanShift(bandwidth=1.0, **options).fit([[0.0], [1.0], [5.0]])
