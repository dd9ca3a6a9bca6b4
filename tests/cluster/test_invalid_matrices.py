"""Tables of distances, weights of edges, codes and ranks that mean nothing are refused with a reason."""

import numpy as np
import pandas
import pytest
from sklearn.cluster import KMeans as PeerKMeans

import learnable
from learnable import cluster, decomposition

X = np.random.default_rng(0).random((12, 3))
FAR = np.abs(X[:, None] - X).sum(axis=2)
WORDS = pandas.DataFrame({"a": list("xyzxyzxyzxyz"), "b": X[:, 0]})
BOOK = cluster.vector_quantize(X, 3, random_state=0)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: BOOK.decode([99]), "codes must be integers from 0 to 2"),
        (lambda: BOOK.decode([-1]), "codes must be integers from 0 to 2"),
        (lambda: BOOK.decode([0.5]), "codes must be integers from 0 to 2"),
        (lambda: cluster.linkage("abc"), "linkage: y must be a table of numbers"),
        (lambda: cluster.linkage([1.0, -2.0, 3.0]), "linkage: the distances must be finite and non-negative"),
        (
            lambda: cluster.choose_clusters(PeerKMeans(), X, [2, 3]),
            "choose_clusters: model must be a clusterer",
        ),
        (lambda: cluster.KMedoids(2, metric="precomputed").fit(FAR - 1), "KMedoids: .* numbers below zero"),
        (lambda: cluster.DBSCAN(metric="precomputed").fit(FAR - 1), "DBSCAN: .* numbers below zero"),
        (lambda: cluster.OPTICS(metric="precomputed").fit(FAR - 1), "OPTICS: .* numbers below zero"),
        (
            lambda: cluster.SpectralClustering(2, affinity="precomputed").fit(np.exp(-FAR) - 0.9),
            "SpectralClustering: affinity must be symmetric and non-negative",
        ),
        (
            lambda: cluster.SpectralClustering(2, affinity="precomputed").fit(np.triu(np.exp(-FAR))),
            "SpectralClustering: affinity must be symmetric and non-negative",
        ),
        (lambda: cluster.DBSCAN().fit([["a", 1.0], ["b", 2.0]]), 'encode .* or compare categories by metric="gower"'),
        (
            lambda: learnable.KNeighborsRegressor().fit(WORDS, X[:, 0]),
            'or drop it, or compare categories by metric="gower"',
        ),
        (
            lambda: cluster.DBSCAN(metric="gower").fit(WORDS).predict(WORDS.assign(b="q")),
            "the column was numeric in fit; pass numbers",
        ),
        (lambda: cluster.linkage(WORDS, "ward", "gower"), "linkage: ward linkage is based on centroids"),
        (lambda: cluster.slic("abc"), "slic: image must be a list, an array or a table whose rows are equally long"),
        (
            lambda: learnable.choose_components(learnable.GaussianMixture(), X, ["a"]),
            "choose_components: counts must be list of int",
        ),
        (
            lambda: cluster.DBSCAN(metric="mahalanobis", metric_params={"VI": np.eye(2)}).fit(X),
            "DBSCAN: VI of the metric mahalanobis must be 3 x 3 numbers",
        ),
        (lambda: decomposition.low_rank(X, 1.5), "low_rank: rank must be int, at least 0; got 1.5"),
        (
            lambda: learnable.NearestNeighbors(n_neighbors=5).fit(X[:3]).kneighbors(X),
            r"5 neighbours are required \(n_neighbors\) of 3 training rows; fit more rows, n_samples = 3 now",
        ),
    ],
)
def test_invalid_tables_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_error_of_a_low_rank_is_finite_where_the_norm_is():
    left = decomposition.low_rank(X * 1e200, 1).frobenius_error
    assert left == pytest.approx(1e200 * decomposition.low_rank(X, 1).frobenius_error, rel=1e-12)
