"""Every road of the search for neighbours against all distances, with many of them equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import learnable
from learnable.engines.neighbours import NeighbourSearch, RowComparison, TableSearch
from learnable.metrics import haversine_distances

ROADS = {
    "boxes": (RowComparison(power=2), "kd_tree", "euclidean"),
    "straight": (RowComparison(power=2), "brute", "euclidean"),
    "manhattan": (RowComparison(power=1), "auto", "cityblock"),
    "chebyshev": (RowComparison(power=np.inf), "auto", "chebyshev"),
    "canberra": (RowComparison(ball="canberra", table=cdist), "ball_tree", "canberra"),
    "hamming": (RowComparison(ball="hamming", table=cdist), "ball_tree", "hamming"),
    "table": (RowComparison(table=cdist), "brute", "euclidean"),
}


def on_a_grid(rng, rows, columns):
    return np.round(rng.normal(size=(rows, columns)) * 4) / 4


def first_of(distances, k):
    """The k smallest of every row, of equals the first."""
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


@given(
    road=st.sampled_from(sorted(ROADS)),
    shape=st.sampled_from([(1, 1), (9, 2), (40, 3), (300, 2), (700, 5), (60, 40)]),
    k=st.integers(1, 12),
    seed=st.integers(0, 1000),
)
def test_every_search_finds_what_brute_force_finds(road, shape, k, seed):
    how, algorithm, metric = ROADS[road]
    rng = np.random.default_rng(seed)
    X, Q = on_a_grid(rng, *shape), on_a_grid(rng, 15, shape[1])
    search, k = NeighbourSearch.of(X, how, algorithm), min(k, len(X))
    table = cdist(Q, X, metric)
    distances, rows = search.nearest(Q, k)
    expected, indices = first_of(table, k)
    np.testing.assert_allclose(distances, expected, rtol=1e-13, atol=1e-13)
    if metric not in ("canberra", "hamming"):  # whose sums of fractions round as the order of columns wants
        np.testing.assert_array_equal(rows, indices)
    radius = 1.0001 * float(np.median(expected))
    near, within, start = search.within(Q, radius)
    np.testing.assert_array_equal(within, np.nonzero(table <= radius)[1])
    np.testing.assert_array_equal(np.diff(start), (table <= radius).sum(axis=1))
    np.testing.assert_allclose(near, table[table <= radius], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("road", sorted(ROADS))
def test_no_row_is_its_own_neighbour(road):
    how, algorithm, metric = ROADS[road]
    X = on_a_grid(np.random.default_rng(0), 200, 3)
    search = NeighbourSearch.of(X, how, algorithm)
    table = cdist(X, X, metric)
    np.fill_diagonal(table, np.inf)
    distances, rows = search.nearest_others(6)
    np.testing.assert_allclose(distances, first_of(table, 6)[0], rtol=1e-13, atol=1e-13)
    assert not (rows == np.arange(200)[:, None]).any()
    near, _, start = search.others_within(0.6)
    assert len(near) == start[-1] == (table <= 0.6).sum()


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
@pytest.mark.parametrize(
    "turn", [np.array([2.0, 0.5, 1.0]), np.array([[1.0, 0.5, 0.0], [0.0, 2.0, 0.25], [0.5, 0.0, 1.0]])]
)
def test_queries_are_turned_as_the_rows_are(algorithm, turn):
    rng = np.random.default_rng(7)
    X, Q = on_a_grid(rng, 80, 3), np.vstack([on_a_grid(rng, 15, 3), np.full((1, 3), 1e20)])
    how = RowComparison(power=2, turn=turn)
    table = cdist(how.turned(Q), how.turned(X))
    search = NeighbourSearch.of(X, how, algorithm)
    np.testing.assert_allclose(search.nearest(Q, 4)[0], first_of(table, 4)[0], rtol=1e-13, atol=1e-13)
    near, within, start = search.within(Q, 2.3)
    np.testing.assert_array_equal(within, np.nonzero(table <= 2.3)[1])
    np.testing.assert_array_equal(np.diff(start), (table <= 2.3).sum(axis=1))
    np.testing.assert_allclose(near, table[table <= 2.3], rtol=1e-13, atol=1e-13)


def test_points_on_a_globe():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(-1.5, 1.5, 400), rng.uniform(-3.1, 3.1, 400)])
    Q = X[:30] + 0.01
    distances, rows = NeighbourSearch.of(X, RowComparison(ball="haversine")).nearest(Q, 5)
    expected, indices = first_of(haversine_distances(Q, X), 5)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(rows, indices)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-40, 1e-20, 1.0, 1e20, 1e40, 1e150, 1e300])
def test_any_scale_is_in_range(scale):
    X = np.random.default_rng(2).normal(size=(100, 3))
    for algorithm in ("kd_tree", "brute"):
        distances, rows = NeighbourSearch.of(X * scale, RowComparison(power=2), algorithm).nearest_others(3)
        plain, indices = NeighbourSearch.of(X, RowComparison(power=2), algorithm).nearest_others(3)
        np.testing.assert_array_equal(rows, indices)
        np.testing.assert_allclose(distances / scale, plain, rtol=1e-12)


def test_queries_far_away_from_all_rows_find_the_nearest():
    X = np.random.default_rng(2).normal(size=(100, 20))
    distances, rows = NeighbourSearch.of(X, RowComparison(power=2), "brute").nearest(np.vstack([1e40 * X[:20], X]), 1)
    np.testing.assert_array_equal(rows[20:, 0], np.arange(100))
    np.testing.assert_allclose(distances[:20, 0], 1e40 * np.linalg.norm(X[:20], axis=1), rtol=1e-12)


def test_single_precision_is_compared_as_it_is():
    rng = np.random.default_rng(6)
    X, Q = rng.normal(size=(300, 20)).astype(np.float32), rng.normal(size=(40, 20)).astype(np.float32)
    wide = NeighbourSearch.of(X.astype(np.float64), RowComparison(power=2), "brute")
    for table, queries in ((X, Q), (X, Q.astype(np.float64)), (X.astype(np.float64), Q)):
        for found, expected in zip(
            NeighbourSearch.of(table, RowComparison(power=2), "brute").nearest(queries, 4),
            wide.nearest(Q.astype(np.float64), 4),
            strict=True,
        ):
            np.testing.assert_array_equal(found, expected)


def test_the_same_bits_on_any_number_of_threads():
    X = np.random.default_rng(3).normal(size=(5000, 3))
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            distances, rows = NeighbourSearch.of(X, RowComparison(power=2), "kd_tree").nearest_others(4)
            near, within, _ = NeighbourSearch.of(X, RowComparison(power=2), "kd_tree").within(X[:500], 0.3)
            seen.add(distances.tobytes() + rows.tobytes() + near.tobytes() + within.tobytes())
    assert len(seen) == 1


def test_few_queries_give_the_same_result_as_many():
    rng = np.random.default_rng(4)
    X, Q = rng.normal(size=(300, 30)), rng.normal(size=(40, 30))
    search = NeighbourSearch.of(X, RowComparison(power=2), "brute")
    distances, rows = search.nearest(Q, 5)
    one, row = search.nearest(Q[:1], 5)
    np.testing.assert_array_equal(row[0], rows[0])
    np.testing.assert_array_equal(one[0], distances[0])


def test_large_sparse_tables_stay_sparse():
    from scipy.sparse import random_array

    X = random_array((400, 300_000), density=2e-5, rng=0, format="csr")
    nearest = learnable.NearestNeighbors(n_neighbors=2).fit(X)
    assert isinstance(nearest._search, TableSearch)
    distances, rows = nearest.kneighbors(X[:20], 1)
    np.testing.assert_allclose(distances, 0, atol=1e-6)
    full = np.flatnonzero(np.diff(X.indptr)[:20] > 0)
    np.testing.assert_array_equal(rows[full, 0], full)


def test_a_metric_without_a_tree_is_refused_one():
    with pytest.raises(learnable.core.ParameterError, match="brute"):
        NeighbourSearch.of(np.ones((3, 1)), RowComparison(table=cdist), "kd_tree")
