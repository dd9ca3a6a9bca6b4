"""Neighbours by Gower's distance in tables of numbers beside texts, categories and flags."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

import learnable
from learnable import GridSearchCV, KNeighborsClassifier, KNeighborsRegressor, LocalOutlierFactor, NearestNeighbors
from learnable.metrics import gower_distances
from learnable.neighbors import LocallyWeightedRegressor, RadiusNeighborsClassifier, kneighbors_graph


def people(rows: int = 60, seed: int = 0) -> pandas.DataFrame:
    rng = np.random.default_rng(seed)
    table = pandas.DataFrame({
        "age": rng.integers(18, 90, rows).astype(float),
        "town": rng.choice(["Bonn", "Ulm", "Trier"], rows),
        "kind": pandas.Categorical(rng.choice(["a", "b"], rows)),
        "member": rng.random(rows) < 0.5,
    })  # fmt: skip
    table.loc[::7, "age"] = np.nan
    table.loc[::11, "town"] = None
    return table


def nearest(table: pandas.DataFrame, queries: pandas.DataFrame, k: int) -> tuple[np.ndarray, np.ndarray]:
    reach = table["age"].max() - table["age"].min()
    distances = gower_distances(queries, table, ranges=[reach, 1, 1, 1])
    rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, rows, axis=1), rows


@pytest.mark.parametrize("frame", [lambda table: table, polars.from_pandas, lambda table: table.to_numpy(dtype=object)])
def test_neighbours_are_those_of_the_table_of_distances(frame):
    table, queries = people(), people(20, seed=1)
    queries.loc[0, "town"] = "Rom"  # which no training row has
    distances, rows = NearestNeighbors(n_neighbors=4, metric="gower").fit(frame(table)).kneighbors(frame(queries))
    expected, indices = nearest(table, queries, 4)
    np.testing.assert_allclose(distances, expected, atol=1e-12)
    np.testing.assert_array_equal(rows, indices)


def test_every_neighbour_method_takes_tables():
    table, rng = people(), np.random.default_rng(2)
    labels = np.where(table["town"].to_numpy() == "Ulm", "south", "north")
    _, rows = nearest(table, table, 1)
    model = KNeighborsClassifier(1, metric="gower").fit(table, labels)
    np.testing.assert_array_equal(model.predict(table), labels[rows[:, 0]])
    weighted = KNeighborsClassifier(3, metric="gower").fit(table, labels, sample_weight=rng.integers(0, 3, len(table)))
    assert weighted.score(table, labels) > 0.6
    ages = table["age"].fillna(50).to_numpy()
    assert KNeighborsRegressor(1, metric="gower").fit(table, ages).predict(table).shape == ages.shape
    assert RadiusNeighborsClassifier(0.6, metric="gower").fit(table, labels).score(table, labels) > 0.5
    assert LocalOutlierFactor(5, metric="gower").fit_predict(table).shape == ages.shape
    assert LocallyWeightedRegressor(5, degree=0, metric="gower").fit(table, ages).predict(table).shape == ages.shape
    graph = kneighbors_graph(table, 3, metric="gower", include_self=True)
    np.testing.assert_array_equal(graph.indices.reshape(-1, 3), nearest(table, table, 3)[1])
    search = GridSearchCV(KNeighborsClassifier(metric="gower"), {"n_neighbors": [1, 3]}, cv=3).fit(table, labels)
    assert search.best_score_ > 0.5


def test_a_saved_model_knows_its_categories(tmp_path):
    table, queries = people(), people(10, seed=1)
    model = NearestNeighbors(n_neighbors=3, metric="gower").fit(table)
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    np.testing.assert_array_equal(again.kneighbors(queries)[0], model.kneighbors(queries)[0])


def test_what_tables_cannot_do_is_refused():
    table, ages = people(), np.arange(60.0)
    with pytest.raises(learnable.DataError, match="degree=1 needs numeric columns"):
        LocallyWeightedRegressor(metric="gower").fit(table, ages)
    with pytest.raises(learnable.DataError, match="metric_params"):
        KNeighborsRegressor(metric="gower", feature_weights="learn").fit(table, ages)
    with pytest.raises(learnable.DataError, match="X contains text, but the training data were numeric"):
        KNeighborsRegressor(metric="gower").fit(table[["age"]], ages).predict(table[["town"]].set_axis(["age"], axis=1))
    with pytest.raises(learnable.DataError):
        KNeighborsRegressor().fit(table, ages)


@pytest.mark.parametrize("metric", ["hamming", "gower"])
def test_truth_values_are_compared_with_the_numbers_that_fit_saw(metric):
    flags = np.random.default_rng(3).integers(0, 2, (30, 4)).astype(bool)
    nearest = learnable.NearestNeighbors(n_neighbors=3, metric=metric).fit(flags.astype(float))
    for found, expected in zip(nearest.kneighbors(flags), nearest.kneighbors(flags.astype(float)), strict=True):
        np.testing.assert_array_equal(found, expected)
