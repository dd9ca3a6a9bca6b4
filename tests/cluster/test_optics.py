"""The order of the visit, reachabilities and valleys equal those of scikit-learn."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import cluster as theirs_module
from sklearn.metrics import adjusted_rand_score

from learnable import DBSCAN, OPTICS, ParameterError, cluster_optics_dbscan, cluster_optics_xi, compute_optics_graph


def heaps(seed, rows=60):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=(rows, 2)) * spread + centre for spread, centre in ((0.2, 0), (0.5, 4), (1.0, -6))]
    return np.vstack([*parts, rng.uniform(-9, 7, (20, 2))])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_samples": 10, "xi": 0.1},
        {"max_eps": 1.0},
        {"metric": "manhattan", "min_cluster_size": 0.1},
        {"predecessor_correction": False},
        {"cluster_method": "dbscan", "eps": 0.6},
        {"metric": "cosine", "min_samples": 8},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_as_scikit_learn(options, seed):
    X = heaps(seed)
    ours, theirs = OPTICS(**options).fit(X), theirs_module.OPTICS(**options).fit(X)
    np.testing.assert_array_equal(ours.ordering_, theirs.ordering_)
    np.testing.assert_allclose(ours.reachability_, theirs.reachability_, rtol=1e-9)
    np.testing.assert_allclose(ours.core_distances_, theirs.core_distances_, rtol=1e-9)
    np.testing.assert_array_equal(ours.predecessor_, theirs.predecessor_)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)


def test_functions_do_the_steps():
    X = heaps(5)
    order, core, reach, before = compute_optics_graph(X, min_samples=5, max_eps=np.inf)
    model = OPTICS().fit(X)
    labels, valleys = cluster_optics_xi(reachability=reach, predecessor=before, ordering=order, min_samples=5)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(valleys, model.cluster_hierarchy_)
    for eps in (0.3, 1.0):
        cut = cluster_optics_dbscan(reachability=reach, core_distances=core, ordering=order, eps=eps)
        dense = DBSCAN(eps=eps).fit(X)
        core_rows = dense.core_sample_indices_
        assert adjusted_rand_score(cut[core_rows], dense.labels_[core_rows]) == 1
    table = OPTICS(metric="precomputed").fit(cdist(X, X))
    np.testing.assert_array_equal(table.labels_, model.labels_)
    np.testing.assert_array_equal(table.predict(cdist(X, X)), model.labels_)


def test_distant_new_rows_are_noise():
    model = OPTICS(min_samples=3).fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    assert model.predict([[0.12], [5.15], [30.0]]).tolist() == [0, 1, -1]


def test_contradictory_parameters_are_refused():
    X = np.zeros((3, 1))
    with pytest.raises(ParameterError, match="min_samples=5 must be no greater"):
        OPTICS().fit(X)
    with pytest.raises(ParameterError, match="must not be larger than max_eps"):
        OPTICS(min_samples=2, max_eps=1.0, eps=2.0, cluster_method="dbscan").fit(X)


def test_rows_of_many_columns_are_ordered_by_their_distances():
    """The reach of a row is the length of one of its links: where these are rounded apart, ties break by chance."""
    for seed in range(10):
        X = np.abs(np.random.default_rng(seed).normal(size=(70, 20))) + np.repeat([0.0, 1.6], 35)[:, None]
        found, given = OPTICS(min_samples=4).fit(X), OPTICS(min_samples=4, metric="precomputed").fit(cdist(X, X))
        np.testing.assert_array_equal(found.ordering_, given.ordering_)
        np.testing.assert_allclose(found.reachability_, given.reachability_)
