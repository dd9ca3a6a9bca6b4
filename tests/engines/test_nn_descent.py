"""Approximate neighbours: exact distances, nearly all neighbours, the same with any number of threads."""

import numpy as np
import pytest

import learnable
from learnable.engines.nn_descent import reverse_lists, search_by_descent
from learnable.neighbors import NearestNeighbors


@pytest.mark.parametrize(("rows", "columns", "k"), [(3000, 20, 10), (2000, 5, 15)])
def test_nearly_all_neighbours_are_found(rows, columns, k):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)) + 20 * (np.arange(rows) % 4)[:, None]
    distances, found = search_by_descent(X, k, 0)
    exact_distances, exact = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    assert np.mean([len(set(one) & set(other)) for one, other in zip(found, exact, strict=True)]) > 0.97 * k
    np.testing.assert_allclose(distances, np.linalg.norm(X[found] - X[:, None], axis=2), rtol=1e-12)
    assert (distances >= exact_distances - 1e-12).all() and (np.diff(distances) >= 0).all()
    assert (found != np.arange(rows)[:, None]).all()


def test_few_rows_have_all_their_neighbours():
    X = np.random.default_rng(1).standard_normal((12, 4))
    assert (np.sort(search_by_descent(X, 11, 0)[1]) == [np.delete(np.arange(12), i) for i in range(12)]).all()


def test_units_do_not_matter():
    X = np.random.default_rng(2).standard_normal((300, 6))
    distances, rows = search_by_descent(X * 2.0**500, 5, 0)
    np.testing.assert_array_equal(rows, search_by_descent(X, 5, 0)[1])
    np.testing.assert_array_equal(distances, search_by_descent(X, 5, 0)[0] * 2.0**500)


def test_reversed_lists():
    start, rows = reverse_lists(np.array([[1, 2], [0, 2], [0, 1]]))
    assert start.tolist() == [0, 2, 4, 6] and rows.tolist() == [1, 2, 0, 2, 0, 1]


def test_threads_do_not_matter():
    X = np.random.default_rng(3).standard_normal((1000, 8))
    found = []
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            found.append(search_by_descent(X, 6, 0)[1].tobytes())
    assert len(set(found)) == 1
