"""Medoids against all ways to choose them, and swaps against their definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

import learnable
from learnable.cluster import KMedoids, k_medoids


def cost(far: np.ndarray, medoids, weight=None) -> float:
    least = far[:, list(medoids)].min(axis=1)
    return float(least.sum() if weight is None else least @ weight)


def rows(n: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 3))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "precomputed"])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_no_swap_lowers_the_sum(metric, k):
    X = rows()
    far = pairwise_distances(X, metric="chebyshev" if metric == "precomputed" else metric)
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    model = KMedoids(k, metric=metric, random_state=0).fit(far if metric == "precomputed" else X, sample_weight=weight)
    found = cost(far, model.medoid_indices_, weight)
    assert (
        model.inertia_ == pytest.approx(found) and model.certificate_.kind == "swap gain" and model.certificate_.holds
    )
    for out in model.medoid_indices_:
        kept = [m for m in model.medoid_indices_ if m != out]
        assert min(cost(far, [*kept, row], weight) for row in range(len(X))) >= found * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_nearly_as_good_as_exhaustive_search(seed):
    X = rows(14, seed)
    far = pairwise_distances(X)
    best = min(cost(far, chosen) for chosen in combinations(range(14), 3))
    found = [KMedoids(3, init=init, random_state=seed).fit(X).inertia_ for init in ("k-medoids++", "build", "random")]
    assert min(found) == pytest.approx(best) and max(found) <= 1.1 * best


def test_one_medoid_is_the_best_row():
    X = rows(20)
    far = pairwise_distances(X)
    model = KMedoids(1).fit(X)
    assert model.medoid_indices_[0] == far.sum(axis=1).argmin() and model.trace_.stopped == "exact"


def test_alternation_ends_with_the_best_row_of_each_cluster():
    X = rows(80)
    far = pairwise_distances(X)
    model = KMedoids(4, method="alternate", random_state=0).fit(X)
    for cluster, medoid in enumerate(model.medoid_indices_):
        members = np.flatnonzero(model.labels_ == cluster)
        totals = far[np.ix_(members, members)].sum(axis=1)
        assert totals[members == medoid][0] <= totals.min() * (1 + 1e-12)
    assert KMedoids(4, random_state=0).fit(X).inertia_ <= model.inertia_ * 1.05


def test_new_rows_go_to_the_nearest_medoid_and_training_rows_stay():
    X, more = rows(), rows(20, 5)
    model = KMedoids(4, metric="manhattan", random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    far = pairwise_distances(more, model.cluster_centers_, metric="manhattan")
    np.testing.assert_array_equal(model.predict(more), far.argmin(axis=1))
    np.testing.assert_allclose(model.transform(more), far)
    given = KMedoids(4, metric="precomputed", random_state=0).fit(pairwise_distances(X, metric="manhattan"))
    assert given.cluster_centers_ is None
    np.testing.assert_array_equal(
        given.predict(pairwise_distances(more, X, metric="manhattan")),
        pairwise_distances(more, X[given.medoid_indices_], metric="manhattan").argmin(axis=1),
    )


def test_an_outlier_moves_a_medoid_less_than_a_mean():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [1000.0]])
    assert KMedoids(1).fit(X).cluster_centers_[0, 0] == 2.0
    assert learnable.KMeans(1).fit(X).cluster_centers_[0, 0] == pytest.approx(201.2)


def test_mixed_columns_by_gower_and_functions_of_two_rows():
    X = np.column_stack([rows(40)[:, 0] * 100, np.random.default_rng(0).integers(3, size=40)])
    model = KMedoids(3, metric="gower", metric_params={"categorical": [1]}, random_state=0).fit(X)
    alone = np.concatenate([model.predict(X[[i]]) for i in range(40)])
    np.testing.assert_array_equal(alone, model.labels_)
    by_function = KMedoids(3, metric=lambda a, b: np.abs(a - b).max(), random_state=0).fit(X)
    np.testing.assert_array_equal(by_function.labels_, KMedoids(3, metric="chebyshev", random_state=0).fit(X).labels_)


def test_errors_name_the_parameter():
    X = rows(10)
    with pytest.raises(learnable.ParameterError, match="KMedoids: init must be the indices of 3 different rows"):
        KMedoids(3, init=[1, 1, 2]).fit(X)
    with pytest.raises(learnable.ParameterError, match="needs its scale: metric_params"):
        KMedoids(3, metric="mahalanobis").fit(X)
    with pytest.raises(learnable.ParameterError, match="square"):
        KMedoids(3, metric="precomputed").fit(abs(X))


@pytest.mark.parametrize(
    ("options", "looks"),
    [({"n_clusters": 3, "init": "build"}, 20), ({"n_clusters": 60}, 59), ({"metric": "precomputed"}, 10)],
    ids=["build", "far apart", "given"],
)
@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
def test_initialisation_checks_the_time_budget(options, looks, monkeypatch):
    """Once for every ten rows of the table, or for every medoid."""
    requested = []
    monkeypatch.setattr(k_medoids, "give_way", lambda: requested.append(1))
    monkeypatch.setattr(k_medoids, "BLOCK", 10)
    model = KMedoids(max_iter=1, random_state=0, **options)
    model.fit(pairwise_distances(rows(100)) if "metric" in options else rows(100))
    assert len(requested) >= looks


def test_precomputed_dissimilarities_may_be_asymmetric():
    far = np.random.default_rng(0).random((40, 40))
    found = KMedoids(3, metric="precomputed", random_state=0).fit(far)
    assert found.inertia_ == pytest.approx(cost(far, found.medoid_indices_))
    for out in found.medoid_indices_:
        kept = [m for m in found.medoid_indices_ if m != out]
        assert min(cost(far, [*kept, row]) for row in range(40)) >= found.inertia_ * (1 - 1e-9)
