"""Sparse matrices of a million columns: work in proportion to their entries, or an error that says what is too much."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import DataError

WIDE, ROWS, FEW = 1_000_000, 60, 8
COLUMNS = np.sort(np.random.default_rng(1).choice(WIDE, FEW, replace=False))
CLASSES = np.arange(ROWS) % 2


def narrow(seed: int = 0) -> np.ndarray:
    """A few columns of whole numbers, most of them zero."""
    draws = np.random.default_rng(seed)
    return np.where(draws.random((ROWS, FEW)) < 0.5, 0.0, draws.integers(1, 5, (ROWS, FEW))) + CLASSES[:, None]


def spread_out(X: np.ndarray, positions: np.ndarray = COLUMNS) -> sparse.csr_array:
    """The same columns among a million, the others empty."""
    table = sparse.coo_array(X)
    return sparse.csr_array((table.data, (table.row, positions[table.col])), shape=(len(X), WIDE))


DENSE_INSIDE = {
    "AdaBoostClassifier": {},
    "BaggingClassifier": {"n_estimators": 2},
    "DecisionTreeClassifier": {},
    "DecisionTreeRegressor": {},
    "ExtraTreesClassifier": {},
    "GradientBoostingClassifier": {},
    "IsolationForest": {},
    "NearestCentroid": {},
    "RandomForestClassifier": {},
    "RandomTreesEmbedding": {},
    "RobustScaler": {"with_centering": False},
}


@pytest.mark.parametrize("name", DENSE_INSIDE)
def test_what_needs_a_dense_array_refuses_a_million_columns_at_once(name):
    model = getattr(learnable, name)(**DENSE_INSIDE[name])
    with pytest.raises(DataError, match=rf"{name}: .*sparse matrix of 1000000 columns.*0\.\d+ GiB; reduce the columns"):
        model.fit(spread_out(narrow()), CLASSES)


@pytest.mark.parametrize("name", ["PCA", "IncrementalPCA"])
def test_a_lack_of_memory_is_explained_by_the_columns(name):
    model = getattr(learnable, name)()
    with pytest.raises(DataError, match=rf"{name}: X has 1000000 columns, .*TiB.*reduce the columns"):
        model.fit(spread_out(narrow()))


NEIGHBOURS = {
    "DBSCAN": {"eps": 3.0, "min_samples": 3},
    "HDBSCAN": {"min_cluster_size": 3, "copy": True},
    "OPTICS": {"min_samples": 3},
    "LocalOutlierFactor": {"novelty": True},
    "KNeighborsClassifier": {},
    "RadiusNeighborsClassifier": {"radius": 30.0},
    "AgglomerativeClustering": {},
}


@pytest.mark.parametrize("name", [name for name in NEIGHBOURS if getattr(learnable, name).traits.sparse])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_neighbours_of_wide_rows_are_those_of_their_columns_with_entries(name, metric):
    make, X = getattr(learnable, name), narrow()
    few, wide = (make(metric=metric, **NEIGHBOURS[name]).fit(table, CLASSES) for table in (X, spread_out(X)))
    for attribute in ("labels_", "core_sample_indices_"):
        np.testing.assert_array_equal(getattr(wide, attribute, 0), getattr(few, attribute, 0))
    if hasattr(few, "predict"):
        np.testing.assert_array_equal(wide.predict(spread_out(narrow(2))), few.predict(narrow(2)))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_what_queries_hold_in_columns_that_no_row_has_counts(metric):
    X, Q = narrow(), narrow(3) + 1
    elsewhere = np.sort(np.random.default_rng(5).choice(WIDE, FEW, replace=False))
    moved = np.append(COLUMNS[:5], elsewhere[5:])
    assert not np.isin(elsewhere[5:], COLUMNS).any()
    dense = np.zeros((ROWS, 2 * FEW))
    queries = np.zeros_like(dense)
    dense[:, :FEW], queries[:, :5], queries[:, FEW + 5 :] = X, Q[:, :5], Q[:, 5:]
    few, wide = (learnable.NearestNeighbors(metric=metric).fit(table) for table in (dense, spread_out(X)))
    expected, found = few.kneighbors(queries), wide.kneighbors(spread_out(Q, moved))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("name", ["DummyClassifier", "DummyRegressor", "RandomOverSampler"])
def test_what_does_not_read_the_columns_does_not_make_them_dense(name):
    X = sparse.random_array((4000, 50_000), density=1e-4, format="csr", rng=np.random.default_rng(0))
    y = np.arange(4000) % 3 // 2
    model = getattr(learnable, name)()
    tracemalloc.start()
    try:
        model.fit_resample(X, y) if hasattr(model, "fit_resample") else model.fit(X, y).predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20e6, "of the 1.6e9 bytes of a dense table"


def test_quantiles_of_empty_columns_are_zero():
    X = spread_out(narrow())
    model = learnable.QuantileTransformer(n_quantiles=5).fit(X)
    few = learnable.QuantileTransformer(n_quantiles=5).fit(sparse.csc_array(narrow()))
    np.testing.assert_array_equal(model.quantiles_[:, COLUMNS], few.quantiles_)
    assert not np.delete(model.quantiles_, COLUMNS, axis=1).any()
    np.testing.assert_array_equal(model.transform(X)[:, COLUMNS].toarray(), few.transform(X[:, COLUMNS]).toarray())
