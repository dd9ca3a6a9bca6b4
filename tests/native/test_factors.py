"""Kernels of factorisation against naive sums and solvers."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

import learnable
from learnable.core.runtime.native import kernels

NONE = np.empty(0)


def gram_and_products(rows=40, atoms=7, features=12, seed=0):
    rng = np.random.default_rng(seed)
    D, X = rng.standard_normal((atoms, features)), rng.standard_normal((rows, features))
    return D, X, D @ D.T, X @ D.T


def csr(rows=30, columns=20, seed=0):
    X = sparse.random_array((rows, columns), density=0.3, rng=np.random.default_rng(seed), format="csr")
    return X, X.indptr.astype(np.int64), X.indices.astype(np.int32)


def on_every_number_of_threads(call):
    seen = []
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            seen.append(call().tobytes())
    assert len(set(seen)) == 1


def test_one_pass_of_coordinate_descent():
    _D, _X, G, B = gram_and_products()
    W = np.abs(np.random.default_rng(1).standard_normal((40, 7)))
    expected, violation, order = W.copy(), 0.0, np.array([3, 0, 6, 1, 2, 5, 4], dtype=np.int32)
    for w, b in zip(expected, B, strict=True):
        for t in order:
            derivative = G[t] @ w - b[t]
            violation += abs(min(derivative, 0)) if w[t] == 0 else abs(derivative)
            w[t] = max(w[t] - derivative / G[t, t], 0)
    found = W.copy()
    assert kernels.nonnegative_sweep(G, B, order, 1, 0.0, False, found) == pytest.approx(violation)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_many_passes_are_nonnegative_least_squares():
    D, X, G, B = gram_and_products()
    W = np.zeros((40, 7))
    kernels.nonnegative_sweep(G, B, np.arange(7, dtype=np.int32), 10_000, 1e-12, False, W)
    np.testing.assert_allclose(W, [nnls(D.T, x)[0] for x in X], atol=1e-8)
    exact = np.zeros((40, 7))
    kernels.nonnegative_sweep(G, B, np.arange(7, dtype=np.int32), 10_000, 1e-12, True, exact)
    np.testing.assert_allclose(exact, [nnls(D.T, x)[0] for x in X], atol=1e-12)
    assert ((exact == 0) == (W < 1e-9)).all()


def test_rows_without_a_unique_optimum_end_at_one():
    D = np.random.default_rng(5).standard_normal((4, 9))
    D = np.vstack([D, D[0], np.zeros((2, 9))])
    X = np.random.default_rng(6).standard_normal((30, 9))
    W = np.zeros((30, 7))
    kernels.nonnegative_sweep(D @ D.T, X @ D.T, np.arange(7, dtype=np.int32), 10_000, 1e-12, True, W)
    best = [nnls(D.T, x)[1] for x in X]
    np.testing.assert_allclose(np.linalg.norm(X - W @ D, axis=1), best, rtol=1e-9)


def test_products_at_the_entries():
    X, start, index = csr()
    rng = np.random.default_rng(2)
    W, H, out = rng.standard_normal((30, 5)), rng.standard_normal((20, 5)), np.empty(X.nnz)
    kernels.entry_products(start, index, W, H, out)
    np.testing.assert_allclose(out, (W @ H.T)[X.tocoo().coords], atol=1e-13)


@pytest.mark.parametrize("count", [1, 3, 8, 13])
@pytest.mark.parametrize("weighted", [False, True])
def test_normal_equations_of_rows(weighted, count):
    X, start, index = csr()
    rng = np.random.default_rng(3)
    V, weight = rng.standard_normal((20, count)), rng.random(X.nnz) + 0.5
    base = V.T @ V + 0.1 * np.eye(count)
    U = np.zeros((30, count))
    given = weight if weighted else NONE
    kernels.solve_rows(start, index, X.data, given, base, 0.2, V, "cholesky", 1, U)
    expected = []
    for i in range(30):
        part = slice(start[i], start[i + 1])
        v, c = V[index[part]], weight[part] if weighted else np.ones(start[i + 1] - start[i])
        A = base + (v.T * c) @ v + 0.2 * len(v) * np.eye(count)
        expected.append(np.linalg.solve(A, v.T @ X.data[part]))
    np.testing.assert_allclose(U, expected, atol=1e-10)
    by_gradients = np.zeros_like(U)
    kernels.solve_rows(start, index, X.data, given, base, 0.2, V, "gradients", 3 * count + 5, by_gradients)
    np.testing.assert_allclose(by_gradients, expected, atol=1e-8)
    positive = np.zeros_like(U)
    kernels.solve_rows(start, index, X.data, given, base, 0.2, V, "nonnegative", 500, positive)
    assert (positive >= 0).all()


def test_a_singular_system_has_zeros_without_a_pivot():
    start, index = np.array([0, 1], dtype=np.int64), np.zeros(1, dtype=np.int32)
    U = np.zeros((1, 3))
    kernels.solve_rows(
        start, index, np.ones(1), NONE, np.zeros((3, 3)), 0.0, np.array([[1.0, 2.0, 0.0]]), "cholesky", 1, U
    )
    assert U[0] @ [1.0, 2.0, 0.0] == pytest.approx(1.0)


def naive_pursuit(x, D, most):
    chosen, y = [], np.zeros(0)
    residual = x.copy()
    for _ in range(most):
        chosen.append(int(np.abs(D @ residual).argmax()))
        y = np.linalg.lstsq(D[chosen].T, x, rcond=None)[0]
        residual = x - y @ D[chosen]
    code = np.zeros(len(D))
    code[chosen] = y
    return code


def test_pursuits_by_number_and_by_error():
    D, X, G, B = gram_and_products(atoms=20)
    square, codes = (X**2).sum(axis=1), np.empty((40, 20))
    assert kernels.batch_omp(G, B, square, 4, -1.0, codes) == 0
    np.testing.assert_allclose(codes, [naive_pursuit(x, D, 4) for x in X], atol=1e-10)
    kernels.batch_omp(G, B, square, 12, 2.0, codes)
    errors = ((X - codes @ D) ** 2).sum(axis=1)
    assert (errors <= 2.0 + 1e-9).all()
    for x, code in zip(X, codes, strict=True):  # one atom less is not enough
        count = np.count_nonzero(code)
        assert count == 0 or ((x - naive_pursuit(x, D, count - 1) @ D) ** 2).sum() > 2.0


def test_equal_atoms_end_a_pursuit():
    D = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    codes = np.empty((1, 2))
    X = np.array([[2.0, 1.0, 0.0]])
    assert kernels.batch_omp(D @ D.T, X @ D.T, np.array([5.0]), 2, -1.0, codes) == 1
    assert codes.tolist() == [[2.0, 0.0]]


@pytest.mark.parametrize("positive", [False, True])
def test_lasso_codes_obey_the_optimality_conditions(positive):
    _D, _X, G, B = gram_and_products(atoms=20)
    codes = np.zeros((40, 20))
    assert kernels.batch_lasso(G, B, 0.7, positive, 1000, 1e-10, codes) <= 1e-10
    gradient = B - codes @ G
    used = codes != 0
    np.testing.assert_allclose(gradient[used], 0.7 * np.sign(codes[used]), atol=1e-8)
    assert ((gradient if positive else np.abs(gradient))[~used] <= 0.7 + 1e-8).all()
    assert not positive or (codes >= 0).all()
    assert 0 < used.mean() < 0.9


def test_bits_do_not_depend_on_threads():
    _D, X, G, B = gram_and_products(rows=3000, atoms=16, features=16)
    square = (X**2).sum(axis=1)

    def swept():
        W = np.ones((3000, 16))
        kernels.nonnegative_sweep(G, B, np.arange(16, dtype=np.int32), 3, 0.0, False, W)
        return W

    def pursued():
        codes = np.empty((3000, 16))
        kernels.batch_omp(G, B, square, 5, -1.0, codes)
        return codes

    def shrunk():
        codes = np.zeros((3000, 16))
        kernels.batch_lasso(G, B, 0.5, False, 100, 1e-10, codes)
        return codes

    for call in (swept, pursued, shrunk):
        on_every_number_of_threads(call)


def test_wrong_shapes_are_refused():
    _D, _X, G, B = gram_and_products()
    with pytest.raises(ValueError, match="square"):
        kernels.batch_omp(G[:3].copy(), B, np.ones(40), 2, -1.0, np.empty((40, 7)))
    with pytest.raises(ValueError, match="out of range"):
        kernels.nonnegative_sweep(G, B, np.array([9], dtype=np.int32), 1, 0.0, False, np.ones((40, 7)))
    with pytest.raises(ValueError, match="start must begin at 0"):
        kernels.entry_products(
            np.array([1, 1], dtype=np.int64), np.zeros(1, dtype=np.int32), np.ones((1, 2)), np.ones((1, 2)), np.ones(1)
        )
