"""Moments against sums in extended precision."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads


def oracle(X, y, weight, centre):
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.longdouble)
    y = y.astype(np.longdouble)
    s = np.ones(len(X), np.longdouble) if weight is None else weight.astype(np.longdouble)
    mean_x = X[-1] + s @ (X - X[-1]) / s.sum() if centre else np.zeros(X.shape[1])
    mean_y = y[-1] + s @ (y - y[-1]) / s.sum() if centre else np.zeros(y.shape[1:])
    Z, r = X - mean_x, y - mean_y
    return s.sum(), mean_x, mean_y, (Z.T * s) @ Z, (Z.T * s) @ r, s @ r**2


def check(X, y, weight, centre, tolerance=1e-13):
    found, expected = kernels.moments(X, y, weight, centre), oracle(X, y, weight, centre)
    assert [np.shape(part) for part in found] == [np.shape(part) for part in expected]
    scale = np.sqrt(np.diag(expected[3]).astype(float) + 1e-300)
    target_scale = np.sqrt(expected[5].astype(float) + 1e-300)
    np.testing.assert_allclose(found[0], float(expected[0]), rtol=1e-13)
    np.testing.assert_allclose(found[1], expected[1].astype(float), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(found[2], expected[2].astype(float), rtol=1e-13, atol=1e-13)
    assert np.abs((found[3] - expected[3]) / np.outer(scale, scale)).max(initial=0) < tolerance
    relative = (found[4] - expected[4]) / (np.multiply.outer(scale, target_scale))
    assert np.abs(relative).max(initial=0) < tolerance
    np.testing.assert_allclose(found[5], expected[5].astype(float), rtol=1e-13)
    assert (found[3] == found[3].T).all()


def draw(rows, columns, targets=None, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns))
    y = draws.normal(size=rows if targets is None else (rows, targets)) + 3
    weight = draws.random(rows) * (draws.random(rows) > 0.3)
    return X, y, weight


SIZES = [
    (1, 1, None),
    (2, 3, None),
    (50, 3, None),
    (200, 5, 1),
    (700, 13, 2),
    (1500, 53, None),
    (400, 97, 3),
    (90, 521, 2),
    (70, 1030, 1),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("store", [np.ascontiguousarray, np.asfortranarray], ids=["rows", "columns"])
def test_dense(size, centre, weighted, store):
    X, y, weight = draw(*size)
    weight[0] = 1
    check(store(X), y, weight if weighted else None, centre)


@pytest.mark.parametrize("store", [np.ascontiguousarray, np.asfortranarray], ids=["rows", "columns"])
def test_float32(store):
    X, y, weight = (part.astype(np.float32) for part in draw(1500, 11, 2))
    check(store(X), y, weight, True)


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("density", [0.02, 0.2, 0.7])
@pytest.mark.parametrize("centre", [True, False])
def test_sparse(store, density, centre):
    X, y, weight = draw(800, 37, 2)
    X[np.random.default_rng(1).random(X.shape) > density] = 0
    check(store(X), y, weight, centre)
    check(store(X.astype(np.float32)), y, None, centre)


def test_large_means_cost_no_digits():
    X, y, weight = draw(70_000, 4)
    X += [1e8, -1e8, 1e12, 0]
    X[:, 3] = np.sort(X[:, 3]) + 1e6
    check(np.asfortranarray(X), y + 1e9, None, True, tolerance=1e-12)
    check(X, y + 1e9, weight, True, tolerance=1e-12)


def test_first_rows_far_from_the_rest():
    X, y, _ = draw(40_000, 3)
    X[5000:] += 1e9
    check(X, y, None, True, tolerance=1e-12)


def test_rows_of_no_weight_do_not_matter():
    X, y, weight = draw(60_000, 3)
    weight[:40_000] = 0
    X[:40_000] = 1e200
    check(X, y, weight, True)


def test_weights_count_rows():
    X, y, _ = draw(500, 6)
    counts = np.random.default_rng(2).integers(0, 4, 500)
    counted = kernels.moments(X, y, counts.astype(float))
    copied = kernels.moments(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    for one, other in zip(counted, copied, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [(100_000, 7, None), (9000, 130, 2), (5000, 530, None), (600, 1030, 1)], ids=str)
@pytest.mark.parametrize("store", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array])
def test_same_bits_on_any_number_of_threads(size, store):
    X, y, weight = draw(*size)
    X = store(np.where(X > 1, X, 0) if store is sparse.csr_array else X)
    with threads(1):
        expected = kernels.moments(X, y, weight)
    for count in (2, 3, 8):
        with threads(count):
            for one, other in zip(kernels.moments(X, y, weight), expected, strict=True):
                assert np.array_equal(one, other)


def test_many_rows_of_many_columns():
    """Rows that are added in several steps."""
    X, y, weight = draw(20_000, 500)
    total, mean, _, gram, cross, _ = kernels.moments(X + 5, y, weight)
    Z = X - weight @ X / weight.sum()
    np.testing.assert_allclose(mean, 5 + weight @ X / weight.sum(), rtol=1e-13)
    np.testing.assert_allclose(gram, (Z.T * weight) @ Z, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(cross, (Z.T * weight) @ y, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(total, weight.sum(), rtol=1e-13)


def test_no_rows():
    assert kernels.moments(np.empty((0, 2)), np.empty(0))[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (np.ones((3, 2)), np.ones(2)),
        (np.ones((3, 2)), np.ones(3), np.ones(2)),
        (np.ones((3, 2)), np.ones(3), -np.ones(3)),
    ],
)
def test_what_does_not_fit_is_refused(arguments):
    with pytest.raises(ValueError, match=r"row|negative"):
        kernels.moments(*arguments)
