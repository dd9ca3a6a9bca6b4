"""Cholesky factors that gain and lose rows, against factors computed from scratch."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels


def gram(size: int, seed: int = 0) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(size + 5, size))
    return X.T @ X


def grown(G: np.ndarray, room: int) -> np.ndarray:
    L = np.full((room, room), np.nan)
    for k in range(len(G)):
        kernels.cholesky_append(L, k, np.ascontiguousarray(G[k, :k]), G[k, k], 0.0)
    return L


def lower(L: np.ndarray, size: int) -> np.ndarray:
    return np.tril(L[:size, :size])


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_appended_rows_build_the_factor(size):
    G = gram(size)
    L = grown(G, size + 3)
    np.testing.assert_allclose(lower(L, size), np.linalg.cholesky(G), rtol=1e-12, atol=1e-13)
    assert np.isnan(L[np.triu_indices(size, 1)]).all()


def test_append_returns_the_squared_distance():
    X = np.array([[3.0, 1.0], [0.0, 2.0]])
    L = np.zeros((2, 2))
    assert kernels.cholesky_append(L, 0, np.empty(0), 9.0, 0.0) == 9.0
    assert kernels.cholesky_append(L, 1, np.array([X[:, 0] @ X[:, 1]]), 5.0, 0.0) == pytest.approx(4.0, rel=1e-15)


def test_a_dependent_column_is_detected():
    L = grown(np.array([[4.0]]), 2)
    assert kernels.cholesky_append(L, 1, np.array([4.0]), 4.0, 1e-14) <= 1e-14
    assert L[1, 1] == 0.0


@pytest.mark.parametrize("gone", [0, 1, 4, 9])
def test_deleted_row(gone):
    G = gram(10)
    L = grown(G, 10)
    kernels.cholesky_delete(L, 10, gone)
    kept = [i for i in range(10) if i != gone]
    np.testing.assert_allclose(lower(L, 9), np.linalg.cholesky(G[np.ix_(kept, kept)]), rtol=1e-12, atol=1e-13)


def test_solve_several_sides():
    G = gram(12)
    L = grown(G, 20)
    sides = np.random.default_rng(1).normal(size=(3, 12))
    expected = np.linalg.solve(G, sides.T).T
    kernels.cholesky_solve(L, 12, sides)
    np.testing.assert_allclose(sides, expected, rtol=1e-9)


def test_wrong_sizes_are_refused():
    L = np.eye(3)
    with pytest.raises(ValueError, match="size"):
        kernels.cholesky_solve(L, 4, np.ones((1, 4)))
    with pytest.raises(ValueError, match="side"):
        kernels.cholesky_append(L, 3, np.ones(3), 1.0, 0.0)
    with pytest.raises(ValueError, match="product"):
        kernels.cholesky_append(L, 1, np.ones(2), 1.0, 0.0)
    with pytest.raises(ValueError, match="removed"):
        kernels.cholesky_delete(L, 2, 2)
    with pytest.raises(TypeError):
        kernels.cholesky_delete(L.astype(np.float32), 2, 0)
