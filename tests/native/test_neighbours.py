"""The nearest rows, against all distances."""

import numpy as np
import pytest

import learnable
from learnable.core.runtime.native import kernels


def found(X, Y, k, same=False):
    nearest, square = np.empty((len(X), k), np.int64), np.empty((len(X), k))
    kernels.nearest_neighbours(X, Y, same, nearest, square)
    return nearest, square


def naive(X, Y, k, same=False):
    square = ((X[:, None, :] - Y) ** 2).sum(axis=2)
    if same:
        np.fill_diagonal(square, np.inf)
    nearest = np.argsort(square, axis=1, kind="stable")[:, :k]
    return nearest, np.take_along_axis(square, nearest, axis=1)


@pytest.mark.parametrize(
    ("n", "m", "p", "k"), [(1, 1, 1, 1), (5, 30, 3, 4), (130, 257, 7, 5), (70, 90, 33, 40), (64, 1000, 2, 1)]
)
def test_nearest_rows_of_another_table(n, m, p, k):
    rng = np.random.default_rng(n)
    X, Y = rng.normal(size=(n, p)), rng.normal(size=(m, p))
    nearest, square = found(X, Y, k)
    expected, distances = naive(X, Y, k)
    np.testing.assert_array_equal(nearest, expected)
    np.testing.assert_allclose(square, distances, rtol=1e-12)


@pytest.mark.parametrize("change", ["far", "tight", "ties", "equal", "scales"])
def test_single_precision_never_shows(change):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    if change == "far":
        X += 1e6
    elif change == "tight":
        X[:150] = 1000 + 1e-9 * X[:150]
    elif change == "ties":
        X = np.round(X)
    elif change == "equal":
        X = np.ones((300, 4))
    else:
        X *= [1e-8, 1, 1e5, 1e-3]
    nearest, square = found(X, X, 5, same=True)
    expected, distances = naive(X, X, 5, same=True)
    np.testing.assert_allclose(square, distances, rtol=1e-9, atol=0)
    np.testing.assert_array_equal(nearest, expected)


def test_the_same_bits_on_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(2000, 6))
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            seen.add(b"".join(part.tobytes() for part in found(X, X, 7, same=True)))
    assert len(seen) == 1


def test_sizes_are_checked():
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="too few rows"):
        found(X, X, 3, same=True)
    with pytest.raises(ValueError, match="equally many columns"):
        found(X, np.zeros((3, 1)), 1)
