"""Factors in blocks, corrected solutions and the diagonal of an inverse, on problems built from their solution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import learnable
from learnable.core.runtime.threads import single_threaded_blas
from learnable.engines.algebra.cholesky import cholesky, inverse_diagonal, solve_shifted


def positive(n, condition=100.0, seed=0):
    """A matrix with known eigenvalues between 1 and `condition`."""
    draws = np.random.default_rng(seed)
    vectors = np.linalg.qr(draws.normal(size=(n, n)))[0]
    A = (vectors * np.geomspace(1, condition, n)) @ vectors.T
    return (A + A.T) / 2


@pytest.mark.parametrize("n", [1, 7, 512, 513, 1300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_factor_gives_the_matrix_back(n, dtype):
    A = positive(n).astype(dtype)
    L = A.copy()
    cholesky(L)
    L = np.tril(L)
    assert_allclose(L @ L.T, A, atol=2e-5 * 100 if dtype == np.float32 else 1e-11)


@pytest.mark.parametrize("n", [3, 600, 1100])
@pytest.mark.parametrize("condition", [10.0, 1e4, 1e9])
def test_the_solution_is_the_one_the_problem_was_built_from(n, condition):
    K, x = positive(n, condition) - 0.5 * np.eye(n), np.random.default_rng(1).normal(size=(n, 3))
    b = K @ x + 0.5 * x
    found = solve_shifted(K, 0.5, b)
    assert_allclose(found.x, x, rtol=0, atol=1e-14 * condition * np.abs(x).max())
    assert found.error <= 4e-16
    kept = solve_shifted(K, 0.5, b, keep_factor=True)
    assert_allclose(inverse_diagonal(kept.factor), np.diag(np.linalg.inv(K + 0.5 * np.eye(n))), rtol=1e-13 * condition)


def test_single_precision_serves_where_it_can():
    K, x = positive(1100, 50.0), np.ones((1100, 1))
    assert solve_shifted(K, 1.0, K @ x + x).factor is None
    assert solve_shifted(K, 1e-6, K @ x + 1e-6 * x).factor is not None


def test_bits_do_not_depend_on_threads():
    K, b = positive(1500), np.random.default_rng(2).normal(size=(1500, 1))
    found = []
    for count in (1, 2, 3, 8):
        with learnable.threads(count), single_threaded_blas():
            found.append((solve_shifted(K, 1.0, b).x, solve_shifted(K, 1.0, b, keep_factor=True).factor))
    for x, factor in found[1:]:
        assert_array_equal(x, found[0][0])
        assert_array_equal(np.tril(factor), np.tril(found[0][1]))


def test_what_is_not_positive_definite_is_refused():
    for matrix in (np.diag([1.0, -1.0]), np.zeros((2, 2)), np.diag(np.r_[np.ones(700), -1.0])):
        with pytest.raises(np.linalg.LinAlgError):
            solve_shifted(matrix, 0.0, np.ones((len(matrix), 1)))
