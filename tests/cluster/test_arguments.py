"""Invalid arguments of clustering functions: the errors name the function and the argument."""

import numpy as np
import pytest

import learnable
from learnable import cluster

X = np.random.default_rng(0).normal(size=(20, 2))
VISIT = cluster.OPTICS(min_samples=3).fit(X)
GRAPH = [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster.dendrogram(np.ones((3, 3))), "dendrogram: merges must be"),
        (lambda: cluster.dendrogram(np.full((3, 4), 9.0)), "dendrogram: merges must be"),
        (lambda: cluster.dendrogram(cluster.linkage(X), labels=["a"]), "dendrogram: labels must name each of the 20"),
        (lambda: cluster.cut_linkage([[1.0, 2.0]], 1), "cut_linkage: merges must be"),
        (lambda: cluster.cut_linkage(cluster.linkage(X), 2.5), "cut_linkage: n_clusters must be"),
        (lambda: cluster.graph_laplacian(GRAPH, "round"), "graph_laplacian: kind must be"),
        (lambda: cluster.cut_value([[0.0, -1.0], [-1.0, 0.0]], [0, 1]), "cut_value: affinity must be symmetric"),
        (lambda: cluster.cut_value([[0.0, 1.0], [0.0, 0.0]], [0, 1]), "cut_value: affinity must be symmetric"),
        (lambda: cluster.k_distances(X, 2.5), "k_distances: min_samples must be"),
        (lambda: cluster.knee([1, 2, 3], [1.0, np.nan, 2.0]), "knee: x and y must be finite"),
        (lambda: cluster.get_bin_seeds(X, -1.0), "get_bin_seeds: bin_size must be at least 0"),
        (lambda: cluster.compute_optics_graph(X, min_samples=0, max_eps=np.inf), "min_samples must be an integer"),
        (lambda: cluster.OPTICS(min_samples=1).fit(X), "OPTICS: min_samples must be an integer of at least 2"),
        (lambda: cluster.OPTICS(min_cluster_size=1.5).fit(X), "OPTICS: min_cluster_size must be an integer"),
        (lambda: cluster.AffinityPropagation(preference=[1.0, 2.0]).fit(X), "preference must be a number, or an array"),
        (lambda: cluster.ConstrainedKMeans(2, cannot_link=[(3, 3)]).fit(X), "cannot_link names the row 3 twice"),
        (lambda: cluster.slic(np.ones((4, 4)), compactness=np.nan), "slic: compactness must be finite and above 0"),
        (lambda: cluster.slic(np.ones((4, 4)), n_segments=np.nan), "slic: n_segments must be int"),
        (lambda: cluster.dendrogram(cluster.linkage(X), labels=3), "dendrogram: labels must be a list"),
        (lambda: cluster.estimate_bandwidth(X, n_samples=0), "estimate_bandwidth: n_samples must be at least 1"),
        (lambda: cluster.estimate_bandwidth(X, quantile="half"), "estimate_bandwidth: quantile must be float"),
        (lambda: learnable.kneighbors_graph(X, 2, include_self="no"), "kneighbors_graph: include_self must be"),
        (lambda: learnable.radius_neighbors_graph(X, np.nan), "radius_neighbors_graph: radius must be at least 0"),
        (lambda: learnable.NearestNeighbors().fit(X).radius_neighbors(X, np.nan), "NearestNeighbors: radius must be"),
        (lambda: learnable.choose_components(learnable.GaussianMixture(), X, counts=3), "counts must be"),
        (lambda: learnable.choose_components(learnable.GaussianMixture(), X, cv="x"), "choose_components: cv must be"),
        (lambda: learnable.principal_component_pursuit(X, max_iter=0), "max_iter must be at least 1"),
        (lambda: learnable.lower_bound([[np.nan, 0.0]], [[0.5, 0.5]]), "lower_bound: log_joint must be a table"),
        (lambda: learnable.score_every_k(X, np.arange(20) % 2, most=10**12), "more than the 19 rows"),
        (
            lambda: cluster.cluster_optics_dbscan(
                reachability=VISIT.reachability_[:3],
                core_distances=VISIT.core_distances_,
                ordering=VISIT.ordering_,
                eps=0.5,
            ),
            "cluster_optics_dbscan: reachability must have the length of ordering, 20",
        ),
        (
            lambda: cluster.cluster_optics_xi(
                reachability=[1.0, 2.0], predecessor=[0, 1], ordering=[0, 0], min_samples=2
            ),
            "cluster_optics_xi: ordering must be a permutation",
        ),
        (
            lambda: cluster.choose_clusters(cluster.AgglomerativeClustering(), X, [2, 3], criterion="held-out"),
            'choose_clusters: criterion="held-out" needs a model with score',
        ),
        (lambda: learnable.score_every_k(X, np.arange(20) % 2, most=0), "score_every_k: most must be at least 1"),
        (lambda: learnable.score_every_k(X, np.arange(20) % 2), "most=30 neighbours are more than the 19 rows"),
        (lambda: learnable.score_every_k(X, np.arange(20) % 2, most=14, cv=3), "most=14 .* more than the 13 rows"),
        (lambda: learnable.score_every_k(X, [0, 1], most=3), "X has 20 rows but y has 2"),
        (
            lambda: learnable.score_every_k(X, np.arange(20) % 2, estimator=learnable.Ridge()),
            "score_every_k: estimator must be KNeighborsClassifier",
        ),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.parametrize("criterion", ["elbow", "gap", "bic"])
def test_n_clusters_is_selected_for_models_without_inertia(criterion):
    rows, _ = learnable.make_blobs(90, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    model = cluster.AgglomerativeClustering()
    assert cluster.choose_clusters(model, rows, range(1, 6), criterion=criterion, random_state=0).best == 3
