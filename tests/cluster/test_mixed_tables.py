"""Clustering of tables with numeric, text, categorical and Boolean columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

import learnable
from learnable import DBSCAN, HDBSCAN, OPTICS, AgglomerativeClustering, KMedoids, KModes, KPrototypes
from learnable.cluster import choose_clusters, dbscan, k_distances, linkage
from learnable.metrics import gower_distances, silhouette_score

FRAMES: list[Callable[[pandas.DataFrame], Any]] = [
    lambda table: table, polars.from_pandas, lambda table: table.to_numpy(dtype=object),
    lambda table: table.to_numpy(dtype=object).tolist(),
]  # fmt: skip
CLUSTERERS = [
    KMedoids(3, metric="gower", random_state=0), AgglomerativeClustering(3, metric="gower", linkage="average"),
    DBSCAN(0.2, min_samples=4, metric="gower"), HDBSCAN(6, metric="gower", copy=True),
    OPTICS(min_samples=5, metric="gower"), KPrototypes(3, random_state=0),
]  # fmt: skip


def people(rows: int = 90, seed: int = 0) -> pandas.DataFrame:
    """Three clusters that differ in all columns, with some noise."""
    rng = np.random.default_rng(seed)
    cluster = np.arange(rows) % 3
    return pandas.DataFrame({
        "age": 20.0 + 25 * cluster + rng.normal(0, 2, rows),
        "town": np.array(["Bonn", "Ulm", "Kiel"])[cluster],
        "kind": pandas.Categorical(np.array(["a", "b", "c"])[cluster]),
        "member": rng.random(rows) < 0.5,
    })  # fmt: skip


def same_partition(labels: np.ndarray, others: np.ndarray) -> bool:
    return len(set(zip(labels.tolist(), others.tolist(), strict=True))) == len(set(labels)) == len(set(others))


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "objects", "lists"])
@pytest.mark.parametrize("model", CLUSTERERS, ids=lambda model: type(model).__name__)
def test_clusters_of_a_mixed_table(model, frame):
    table = people()
    found = model.clone().fit(frame(table))
    np.testing.assert_array_equal(found.labels_, model.clone().fit(table).labels_)
    inside = found.labels_ >= 0
    assert inside.mean() > 0.8
    pure = {frozenset(np.flatnonzero(found.labels_ == k) % 3) for k in set(found.labels_[inside])}
    assert pure == {frozenset({0}), frozenset({1}), frozenset({2})}
    np.testing.assert_array_equal(found.predict(frame(table)), found.labels_)
    new = people(9, seed=1)
    new.loc[0, "town"] = "Rom"  # which no training row has
    assert set(found.predict(frame(new))) <= {*found.labels_, -1}


@pytest.mark.parametrize("model", CLUSTERERS[:-1], ids=lambda model: type(model).__name__)
def test_clusters_equal_those_of_precomputed_distances(model):
    table = people()
    table.loc[3, "age"] += 30
    far = gower_distances(table)
    given = model.clone().set_params(metric="precomputed").fit(far)
    assert same_partition(model.clone().fit(table).labels_, given.labels_)


@pytest.mark.parametrize("model", CLUSTERERS[:-1], ids=lambda model: type(model).__name__)
def test_a_saved_model_keeps_its_categories(model, tmp_path):
    table, new = people(), people(30, seed=2)
    found = model.clone().fit(table)
    learnable.save(found, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").predict(new), found.predict(new))


def test_medoids_have_categories_as_indices():
    table = people()
    medoids = KMedoids(3, metric="gower", random_state=0).fit(table)
    middles = table.iloc[medoids.medoid_indices_]
    np.testing.assert_array_equal(medoids.cluster_centers_[:, 0], middles["age"])
    assert [medoids.categories_[1][int(place)] for place in medoids.cluster_centers_[:, 1]] == middles["town"].tolist()
    np.testing.assert_allclose(medoids.transform(table), gower_distances(table)[:, medoids.medoid_indices_])
    lasting = HDBSCAN(6, metric="gower", store_centers="medoid", copy=True).fit(table)
    assert set(lasting.medoids_[:, 1]) == {0, 1, 2}
    with pytest.raises(learnable.ParameterError, match='categories have no mean; use store_centers="medoid"'):
        HDBSCAN(6, metric="gower", store_centers="both", copy=True).fit(table)


def test_numbers_may_be_marked_as_categories():
    table = pandas.DataFrame({"zip": [1.0, 2.0, 9.0, 1.0], "size": [0.0, 1.0, 0.5, 1.0]})
    far = gower_distances(table, categorical=["zip"])
    for model in (DBSCAN(0.3, min_samples=2, metric="gower", metric_params={"categorical": ["zip"]}),
                  KMedoids(2, metric="gower", metric_params={"categorical": ["zip"]}, random_state=0)):  # fmt: skip
        given = model.clone().set_params(metric="precomputed", metric_params=None)
        assert same_partition(model.fit(table).labels_, given.fit(far).labels_)


@pytest.mark.parametrize(
    "model",
    [KMedoids(2, metric="hamming", random_state=0), AgglomerativeClustering(2, metric="hamming", linkage="single"),
     DBSCAN(0.4, min_samples=2, metric="hamming"), OPTICS(min_samples=2, metric="hamming"),
     HDBSCAN(2, metric="hamming", copy=True)],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_texts_are_compared_by_mismatches(model):
    texts = np.array([["red", "s", "x"], ["red", "s", "y"], ["red", "m", "x"], ["blue", "l", "z"], ["blue", "l", "w"]])
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in texts.T], axis=1).astype(float)
    found = model.clone().fit(texts)
    np.testing.assert_array_equal(found.labels_, model.clone().fit(codes).labels_)
    np.testing.assert_array_equal(found.predict(texts), found.labels_)
    assert found.predict([["green", "s", "x"]])[0] in set(found.labels_) | {-1}
    with pytest.raises(learnable.DataError, match="compare categories by metric"):
        model.clone().set_params(metric="jaccard").fit(texts)


def test_missing_values_are_ignored_in_distances():
    table = people()
    table.loc[::7, "age"] = np.nan
    table.loc[::11, "town"] = None
    far = gower_distances(table)
    for model in (*CLUSTERERS[:3], CLUSTERERS[4]):
        given = model.clone().set_params(metric="precomputed").fit(far)
        assert same_partition(model.clone().fit(table).labels_, given.labels_)
    lasting = HDBSCAN(6, metric="gower", copy=True).fit(table)
    np.testing.assert_array_equal(lasting.labels_ == -3, table.isna().any(axis=1))


@pytest.mark.filterwarnings("ignore:gower_distances")
def test_rows_without_common_columns_are_named():
    table = pandas.DataFrame({"a": [1.0, np.nan, 2.0], "b": [None, "x", "y"]})
    for model in (AgglomerativeClustering(2, metric="gower", linkage="average"), KMedoids(2, metric="gower")):
        with pytest.raises(learnable.DataError, match=r"rows [01] and [01] have no (distance|dissimilarity)"):
            model.fit(table)


def test_functions_take_tables_too():
    table = people()
    far = gower_distances(table)
    expected = np.sort(np.sort(far, axis=1)[:, 3])[::-1]
    np.testing.assert_allclose(k_distances(table, 4, "gower").distances, expected, atol=1e-12)
    merges = scipy_linkage(squareform(far, checks=False), "average")
    np.testing.assert_allclose(linkage(table, "average", "gower")[:, 2], merges[:, 2])
    np.testing.assert_allclose(linkage(table, "average", "gower", optimal_ordering=True)[:, 2], merges[:, 2])
    differ = squareform(
        (table[["town", "kind"]].to_numpy()[:, None] != table[["town", "kind"]].to_numpy()).mean(axis=2)
    )
    found = linkage(table[["town", "kind"]], "complete", "hamming")
    np.testing.assert_allclose(found[:, 2], scipy_linkage(differ, "complete")[:, 2])
    labels = DBSCAN(0.2, min_samples=4, metric="gower").fit(table).labels_
    np.testing.assert_array_equal(dbscan(table, 0.2, min_samples=4, metric="gower")[1], labels)


@pytest.mark.parametrize("criterion", ["elbow", "silhouette"])
@pytest.mark.parametrize("model", [KPrototypes(random_state=0, n_init=5), KModes(random_state=0, n_init=5),
                                   KMedoids(metric="gower", random_state=0)], ids=str)  # fmt: skip
def test_n_clusters_is_selected_for_a_table(model, criterion):
    table = people()
    table = table.drop(columns=["member", "age"] if isinstance(model, KModes) else "member")
    choice = choose_clusters(model, table, range(2, 7), criterion=criterion)
    if criterion == "silhouette":
        assert choice.best == 3
        assert choice.scores[1] == pytest.approx(
            silhouette_score(gower_distances(table), np.arange(90) % 3, metric="precomputed")
        )
    assert set(choice.model.predict(table)) == set(range(choice.best))
    with pytest.raises(learnable.ParameterError, match='criterion="gap" needs numeric columns'):
        choose_clusters(model, table, range(2, 5), criterion="gap")


def test_silhouettes_are_by_the_metric_of_the_model():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = KMedoids(metric="manhattan", random_state=0)
    choice = choose_clusters(model, X, [2, 3], criterion="silhouette")
    labels = model.clone().set_params(n_clusters=2).fit(X).labels_
    assert choice.scores[0] == pytest.approx(silhouette_score(X, labels, metric="manhattan"))


def test_modes_are_the_values_themselves():
    model = KModes(2, random_state=0).fit([["a", 1], ["a", 1], ["b", 2], ["b", 2]])
    assert sorted(model.cluster_centers_.tolist()) == [["a", 1], ["b", 2]]
    assert model.predict([["b", 2.0]])[0] == model.labels_[2]
