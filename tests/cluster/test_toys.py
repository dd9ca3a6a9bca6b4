"""Toy data: which clusters each method finds, and which it does not."""

import numpy as np
import pytest

from learnable import DBSCAN, FuzzyCMeans, GaussianMixture, KernelKMeans, KMeans, SpectralClustering
from learnable.datasets import make_anisotropic_blobs, make_blobs, make_circles, make_moons
from learnable.metrics import adjusted_rand_score

CORNERS = [[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]]
TOYS = {
    "blobs": make_blobs(240, centers=CORNERS, random_state=0),
    "long": make_anisotropic_blobs(240, random_state=0),
    "uneven": make_blobs([200, 30, 30], centers=CORNERS, cluster_std=[2.0, 0.3, 0.3], random_state=0),
    "moons": make_moons(240, noise=0.05, random_state=0),
    "rings": make_circles(240, noise=0.03, factor=0.4, random_state=0),
}


def found(model, toy):
    X, truth = TOYS[toy]
    return adjusted_rand_score(truth, model.fit_predict(X))


@pytest.mark.parametrize("toy", TOYS)
def test_k_means_finds_spherical_clusters_of_equal_size(toy):
    count = len(np.unique(TOYS[toy][1]))
    for model in (KMeans(count, n_init=5, random_state=0), FuzzyCMeans(count, random_state=0)):
        assert found(model, toy) == 1 if toy == "blobs" else found(model, toy) < 0.85


@pytest.mark.parametrize("toy", ["blobs", "long", "uneven"])
def test_gaussian_mixtures_find_elongated_and_uneven_clusters(toy):
    model = GaussianMixture(3, n_init=5, random_state=0)
    assert found(model, toy) > 0.93
    shares = model.predict_proba(TOYS[toy][0])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.predict(TOYS[toy][0]))


@pytest.mark.parametrize("toy", ["moons", "rings"])
def test_curved_clusters_are_found_by_density_and_graphs(toy):
    assert found(DBSCAN(eps=0.25), toy) == 1
    assert found(DBSCAN(eps=1.0), toy) == 0, "a radius that is too large gives one cluster"
    assert found(SpectralClustering(2, affinity="nearest_neighbors", random_state=0), toy) == 1
    assert found(GaussianMixture(2, n_init=5, random_state=0), toy) < 0.6


def test_a_kernel_of_squared_radii_separates_rings():
    assert found(KernelKMeans(2, kernel=lambda a, b: (a @ a) * (b @ b), random_state=0), "rings") == 1
