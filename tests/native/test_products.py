"""Products with a design against plain NumPy, for every storage."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

DENSE = {"rows": np.ascontiguousarray, "columns": np.asfortranarray}
SPARSE = {"csr": sparse.csr_array, "csc": sparse.csc_array}
SIZES = [(1, 1), (3, 2), (50, 3), (130, 17), (2000, 40), (257, 205)]


def draw(rows, columns, targets, kind):
    draws = np.random.default_rng(rows + columns)
    X = draws.normal(size=(rows, columns))
    if kind in SPARSE:
        X[draws.random(X.shape) > 0.2] = 0
    shape = () if targets is None else (targets,)
    w, b = draws.normal(size=(columns, *shape)), draws.normal(size=targets or 1)
    return X, w, b, draws.normal(size=(rows, *shape)), draws.random(rows)


def close(found, expected, tolerance=1e-12):
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * (1 + np.abs(expected).max(initial=0)))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("targets", [None, 1, 2, 5, 13])
@pytest.mark.parametrize("kind", [*DENSE, *SPARSE])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_against_numpy(size, targets, kind, dtype):
    X, w, b, r, weight = draw(*size, targets, kind)
    X = X.astype(dtype)
    stored = (DENSE | SPARSE)[kind](X)
    X = X.astype(float)
    close(kernels.matvec(stored, w), X @ w)
    close(kernels.matvec(stored, w, b), X @ w + b)
    close(kernels.rmatvec(stored, r), X.T @ r)
    residual = r - X @ w - b
    weighted = residual * (weight if targets is None else weight[:, None])
    expected = (weighted * residual).sum(axis=0), X.T @ weighted, weighted.sum(axis=0)
    for one, other in zip(kernels.residual_products(stored, r, w, b, weight), expected, strict=True):
        close(one, other)
    close(kernels.residual_products(stored, r, w)[1], X.T @ (r - X @ w))
    mean = np.linspace(-1, 1, size[1])
    residual = r - (X - mean) @ w - b
    weighted = residual * (weight if targets is None else weight[:, None])
    expected = (weighted * residual).sum(axis=0), (X - mean).T @ weighted, weighted.sum(axis=0)
    for one, other in zip(kernels.residual_products(stored, r, w, b, weight, mean), expected, strict=True):
        close(one, other)


@pytest.mark.parametrize("kind", DENSE)
@pytest.mark.parametrize("targets", [None, 3])
def test_residuals_about_means_do_not_depend_on_the_location_of_columns(kind, targets):
    X, w, b, r, weight = draw(50, 4, targets, kind)
    near, mean = DENSE[kind](np.ldexp(np.round(np.ldexp(X, 20)), -20)), np.array([0.0, 2.0**30, -(2.0**32), 1.0])
    expected = kernels.residual_products(near, r, w, b, weight, np.zeros(4))
    for one, other in zip(kernels.residual_products(near + mean, r, w, b, weight, mean), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_strides_of_small_inputs():
    X, w, b, _, _ = draw(30, 8, 4, "rows")
    coefficients = np.ascontiguousarray(w.T)
    close(kernels.matvec(X, coefficients.T, b.astype(np.float32)), X @ w + b.astype(np.float32))
    wide = np.column_stack([X, X])
    close(kernels.matvec(wide[:, :8], w[:, 2]), X @ w[:, 2])
    close(kernels.rmatvec(X, np.repeat(X[:, 1], 2)[::2]), X.T @ X[:, 1])


@pytest.mark.parametrize("kind", [*DENSE, *SPARSE])
@pytest.mark.parametrize("targets", [None, 3])
def test_same_bits_on_any_number_of_threads(kind, targets):
    X, w, b, r, weight = draw(40_000, 30, targets, kind)
    X = (DENSE | SPARSE)[kind](X)

    def everything():
        return [kernels.matvec(X, w, b), kernels.rmatvec(X, r), *kernels.residual_products(X, r, w, b, weight)]

    with threads(1):
        expected = everything()
    for count in (2, 3, 8):
        with threads(count):
            assert all(np.array_equal(one, other) for one, other in zip(everything(), expected, strict=True))


def test_read_only_inputs():
    arrays = draw(20, 3, 2, "rows")
    for array in arrays:
        array.setflags(write=False)
    X, w, b, r, weight = arrays
    close(kernels.matvec(X, w, b), X @ w + b)
    close(kernels.residual_products(X, r, w, b, weight)[1], X.T @ ((r - X @ w - b) * weight[:, None]))


@pytest.mark.parametrize(
    "call",
    [
        lambda X, w, r: kernels.matvec(X, r),
        lambda X, w, r: kernels.matvec(X, w, np.ones(2)),
        lambda X, w, r: kernels.rmatvec(X, w),
        lambda X, w, r: kernels.residual_products(X, r, w, None, np.ones(2)),
        lambda X, w, r: kernels.residual_products(X, np.ones((5, 2)), w),
        lambda X, w, r: kernels.residual_products(X, r, w, None, None, np.ones(2)),
        lambda X, w, r: kernels.matvec(X, np.ones((3, 0))),
        lambda X, w, r: kernels.rmatvec(X, np.ones((5, 0))),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError, match=r"must have"):
        call(np.ones((5, 3)), np.ones(3), np.ones(5))


def test_no_rows_and_no_columns():
    assert kernels.matvec(np.empty((0, 3)), np.ones(3)).shape == (0,)
    assert kernels.rmatvec(np.empty((0, 3)), np.empty(0)).tolist() == [0, 0, 0]
    assert kernels.matvec(np.empty((2, 0)), np.empty(0), np.array([4.0])).tolist() == [4, 4]
