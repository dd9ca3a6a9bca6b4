"""Clustering from precomputed matrices: distances, edges, weights."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons

from learnable import cluster
from learnable.metrics import pairwise_distances
from learnable.neighbors import kneighbors_graph

ROWS = make_moons(150, noise=0.12, random_state=1)[0]
FAR = pairwise_distances(ROWS)
LINKS = np.exp(-20 * FAR**2) * (1 - np.eye(len(ROWS)))
NEAR = kneighbors_graph(ROWS, 8, mode="distance")
NEAR = NEAR.maximum(NEAR.T)  # no row has an edge to itself


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (cluster.DBSCAN(eps=0.1, min_samples=1, metric="precomputed"), NEAR),
        (cluster.DBSCAN(eps=0.12, min_samples=3, metric="precomputed"), NEAR),
        (cluster.HDBSCAN(3, metric="precomputed", copy=True), csr_array(FAR)),
        (cluster.OPTICS(metric="precomputed"), FAR),
        (cluster.AgglomerativeClustering(9, metric="precomputed", linkage="average"), FAR),
        (cluster.KMedoids(9, metric="precomputed", random_state=0), FAR),
        (cluster.AffinityPropagation(affinity="precomputed", random_state=0), -(FAR**2)),
        (cluster.SpectralClustering(5, affinity="precomputed", random_state=0), LINKS),
        (cluster.SpectralClustering(5, affinity="precomputed", random_state=0), csr_array(LINKS)),
        (cluster.SpectralClustering(5, affinity="precomputed_nearest_neighbors", random_state=0), FAR),
        (cluster.SpectralClustering(5, affinity="precomputed_nearest_neighbors", n_neighbors=5, random_state=0), NEAR),
    ],
    ids=lambda value: type(value).__name__,
)
def test_training_rows_keep_their_clusters_where_they_are_not_nearest_to_themselves(model, table):
    """Tables of edges mostly have none from a row to itself."""
    model.fit(table)
    assert len(set(model.labels_)) > 2
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    np.testing.assert_array_equal(model.predict(table[20:40]), model.labels_[20:40])
