"""Distances of all rows against plain NumPy, at the edges of blocks and on any number of threads."""

import itertools

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

SIZES = [(1, 1, 1), (5, 3, 2), (96, 97, 5), (200, 95, 13), (130, 300, 70), (99, 121, 300)]


def draw(n, m, p):
    draws = np.random.default_rng(n + m + p)
    return draws.normal(size=(n, p)), draws.normal(size=(m, p))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_euclidean(size):
    X, Y = draw(*size)
    differences = X[:, None] - Y
    squares = (differences**2).sum(axis=2)
    np.testing.assert_allclose(kernels.euclidean_distances(X, Y, True), squares, rtol=1e-10)
    np.testing.assert_allclose(kernels.euclidean_distances(X, Y), np.sqrt(squares), rtol=1e-10)
    own = kernels.euclidean_distances(X, X)
    np.testing.assert_allclose(own, np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), rtol=1e-10)
    assert (own == own.T).all() and (own.diagonal() == 0).all()
    nearest, square = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    kernels.nearest_rows(X, Y, nearest, square)
    assert (nearest == squares.argmin(axis=1)).all()
    np.testing.assert_allclose(square, squares.min(axis=1), rtol=1e-10)


@pytest.mark.parametrize("columns", [7, 300])
@pytest.mark.parametrize("squared", [True, False])
def test_nearly_equal_rows_have_accurate_distances(columns, squared):
    """|x|^2 + |y|^2 - 2 x'y would lose every digit here; the last row and column of a block are among them."""
    draws = np.random.default_rng(3)
    X = 1e3 + draws.normal(size=(130, columns))
    Y = np.repeat(X[[0, 3, 95, 129]], 31, axis=0) + 1e-7 * draws.normal(size=(124, columns))
    squares = ((X[:, None] - Y) ** 2).sum(axis=2)
    expected = squares if squared else np.sqrt(squares)
    np.testing.assert_allclose(kernels.euclidean_distances(X, Y, squared), expected, rtol=1e-9)


def test_matrices_that_are_transposed_in_several_parts():
    X, Y = draw(100, 70_000, 1)
    nearest, square = np.empty(100, dtype=np.int64), np.empty(100)
    kernels.nearest_rows(X, Y, nearest, square)
    differences = (X - Y.T) ** 2
    np.testing.assert_array_equal(nearest, differences.argmin(axis=1))
    np.testing.assert_allclose(square, differences.min(axis=1), rtol=1e-9)


def missing(x, y):
    gap = x - y
    there = ~np.isnan(gap)
    return np.sqrt((gap[there] ** 2).mean() * len(x)) if there.any() else np.nan


WEIGHT, KIND = np.array([1.0, 2.0, 0.5, 1.0, 3.0]), np.array([0.0, 1.0, 0.0, 1.0, 0.0])


def gower(x, y):
    there = ~np.isnan(x - y)
    apart = np.where(KIND > 0, (x != y).astype(float), np.abs(x - y))
    return (WEIGHT * apart)[there].sum() / WEIGHT[there].sum()


def counts(x, y):
    """Columns that are yes in both, in the first only, in the second only, in neither."""
    return [((x != 0) == one) @ ((y != 0) == other).astype(float) for one, other in itertools.product([1, 0], [1, 0])]


def jaccard(x, y):
    both, a, b, _ = counts(x, y)
    return (a + b) / max(both + a + b, 1)


def dice(x, y):
    both, a, b, _ = counts(x, y)
    return (a + b) / (2 * both + a + b)


def yule(x, y):
    both, a, b, no = counts(x, y)
    return 2 * a * b / max(both * no + a * b, 1)


BY_HAND = {
    "manhattan": lambda x, y: np.abs(x - y).sum(),
    "chebyshev": lambda x, y: np.abs(x - y).max(),
    "minkowski": lambda x, y: (np.abs(x - y) ** 2.5).sum() ** (1 / 2.5),
    "canberra": lambda x, y: (np.abs(x - y) / (np.abs(x) + np.abs(y))).sum(),
    "braycurtis": lambda x, y: np.abs(x - y).sum() / np.abs(x + y).sum(),
    "hamming": lambda x, y: (x != y).mean(),
    "chi2": lambda x, y: ((x - y) ** 2 / (x + y)).sum(),
    "nan_euclidean": missing,
    "gower": gower,
    "jaccard": jaccard,
    "dice": dice,
    "yule": yule,
}


@pytest.mark.parametrize("kind", BY_HAND)
@pytest.mark.parametrize("rows", [1, 9, 100])
def test_sums_over_columns(kind, rows):
    X, Y = draw(rows, 99, 5)
    if kind == "chi2":
        X, Y = np.abs(X), np.abs(Y)
    if kind in ("hamming", "jaccard", "dice", "yule"):
        X, Y = X.round(), Y.round()
    if kind in ("nan_euclidean", "gower"):
        X[0, :2] = Y[1, 3] = np.nan
    more = (0.0, WEIGHT, KIND) if kind == "gower" else (2.5,)
    expected = np.array([[BY_HAND[kind](x, y) for y in Y] for x in X])
    for count in (1, 3):
        with threads(count):
            np.testing.assert_allclose(kernels.column_distances(X, Y, kind, *more), expected, rtol=1e-12)


def test_sums_for_clusters():
    X, _ = draw(333, 1, 4)
    starts = np.array([0, 1, 120, 120, 333])
    distance = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    expected = np.column_stack([distance[:, a:b].sum(axis=1) for a, b in itertools.pairwise(starts)])
    found = kernels.cluster_distances(X, starts)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    for count in (1, 2, 8):
        with threads(count):
            assert (kernels.cluster_distances(X, starts) == found).all()


def test_what_does_not_fit_is_refused():
    X, Y = np.ones((2, 3)), np.ones((2, 4))
    with pytest.raises(ValueError, match="equally many columns"):
        kernels.euclidean_distances(X, Y)
    with pytest.raises(ValueError, match="unknown distance"):
        kernels.column_distances(X, X, "nearby")
    with pytest.raises(ValueError, match="starts must rise"):
        kernels.cluster_distances(X, np.array([0, 3, 2]))
