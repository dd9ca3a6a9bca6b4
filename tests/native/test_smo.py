"""Kernel rows, sums over support vectors and the solver of kernel machines against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core.runtime.native import kernels

SHAPES = {
    "linear": lambda X, Y: X @ Y.T,
    "poly": lambda X, Y: (0.3 * X @ Y.T + 0.5) ** 3,
    "rbf": lambda X, Y: np.exp(-0.3 * ((X[:, None] - Y) ** 2).sum(axis=2)),
    "sigmoid": lambda X, Y: np.tanh(0.3 * X @ Y.T + 0.5),
}


def tables(rows=101, columns=7, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((rows, columns)), rng.standard_normal((rows // 2, columns))
    return np.where(np.abs(X) < 0.5, 0, X), np.where(np.abs(Y) < 0.5, 0, Y)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_rows_are_those_of_the_kernel(kind, store):
    X, _ = tables()
    centre = X.mean(axis=0) if store is np.asarray and kind == "rbf" else None
    table = kernels.KernelTable(store(X), kind, 0.3, 0.5, 3, centre)
    which = np.array([3, 100, 0, 57, 8], dtype=np.int32)
    expected = SHAPES[kind](X, X)
    np.testing.assert_allclose(table.rows(which), expected[which], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(table.largest, np.abs(np.diag(expected)).max(), rtol=1e-12)
    whole = table.whole()
    assert whole.rows(which).tobytes() == table.rows(which).tobytes()


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_sums_are_those_of_the_kernel(kind, store):
    X, Y = tables()
    coef = np.random.default_rng(1).standard_normal((len(Y), 3))
    centre = Y.mean(axis=0) if store is np.asarray and kind == "rbf" else None
    found = kernels.kernel_scores(store(X), store(Y), coef, kind, 0.3, 0.5, 3, centre)
    np.testing.assert_allclose(found, SHAPES[kind](X, Y) @ coef, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("gamma", [1e-30, 1e-3, 1e6, 1e16])
def test_gaussian_values_are_right_for_every_width(gamma):
    X, _ = tables(rows=40)
    X = np.vstack([X, X[:5], X[:5] + 1e-7])
    values = kernels.KernelTable(X, "rbf", gamma, 0.0, 1, X.mean(axis=0)).rows(np.arange(50, dtype=np.int32))
    np.testing.assert_allclose(values, np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2)), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(values, values.T)


def test_values_in_single_precision_are_within_their_error_bound():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 10))
    table = kernels.KernelTable(X, "rbf", 0.05, 0.0, 1, X.mean(axis=0))
    f32 = table.whole(f32=True)
    which = np.arange(0, 1500, 100, dtype=np.int32)
    off = np.abs(f32.rows(which) - table.rows(which)).max()
    assert 0 < off <= 4 * table.f32_error


def problem(rows=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4))
    sign = np.where(X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(rows) > 1, 1.0, -1.0)
    low, high = np.where(sign > 0, 0.0, -1.0), np.where(sign > 0, 1.0, 0.0)
    return X, low, high, -sign


def solved(X, low, high, q, f32, cache, shrinking=False, tolerance=1e-3, store=np.asarray):
    """Variables, scores, the solver, and how many rows rested at once."""
    table = kernels.KernelTable(store(X), "rbf", 0.25, 0.0, 1, X.mean(axis=0) if store is np.asarray else None)
    solver = kernels.Smo(table, low, high, q, np.zeros(len(q), dtype=np.int8), cache, f32, shrinking)
    b, scores, before = np.zeros(len(q)), np.zeros(len(X)), []
    resting, then = np.zeros(len(X), dtype=np.uint8), np.zeros((4, len(q)))
    moved, most, objective = 10**9, 0, 0.0  # as if all rows had followed for long
    for _ in range(1000):
        violation, _, change, moved, unbounded, stuck, before = solver.improve(
            b, scores, resting, then, moved, before, tolerance, 1, 10**6
        )
        assert not unbounded and not stuck
        most, objective = max(most, np.count_nonzero(resting)), objective + change
        if violation <= tolerance:
            assert not resting.any()
            np.testing.assert_allclose(objective, b @ (scores / 2 + q), rtol=1e-9)
            return b, scores, solver, most
    raise AssertionError("no end")


@pytest.mark.parametrize("f32", [True, False])
def test_bits_depend_neither_on_threads_nor_on_the_cache(f32):
    X, low, high, q = problem()
    seen = set()
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            b, scores, *_ = solved(X, low, high, q, f32, 1 << 28)
            seen.add((b.tobytes(), scores.tobytes()))
    assert len(seen) == 1
    plenty, _, large, _ = solved(X, low, high, q, f32, 1 << 28)
    scarce, _, small, _ = solved(X, low, high, q, f32, 100 * 3000 * 8)
    assert small.computed > large.computed
    assert scarce.tobytes() == plenty.tobytes()


@pytest.mark.parametrize(("f32", "store"), [(True, np.asarray), (False, np.asarray), (False, sparse.csr_array)])
def test_shrinking_does_not_change_the_solution(f32, store):
    X, low, high, q = problem(4000)
    tolerance = 1e-3 if f32 else 1e-6
    restless = solved(X, low, high, q, f32, 1 << 28, tolerance=tolerance, store=store)
    seen = set()
    for threads in (1, 2):
        with learnable.threads(threads):
            b, scores, solver, rested = solved(X, low, high, q, f32, 1 << 28, True, tolerance, store)
            seen.add((b.tobytes(), scores.tobytes(), solver.computed))
    assert rested > 1500 and restless[3] == 0 and len(seen) == 1
    np.testing.assert_allclose(scores, restless[1], atol=10 * tolerance)
    recomputed = np.empty(len(X))
    solver.score(b, recomputed)
    np.testing.assert_allclose(scores, recomputed, atol=1e-4 if f32 else 1e-9)


def test_scores_are_sums_of_rows():
    X, low, high, q = problem(500)
    b, scores, solver, _ = solved(X, low, high, q, False, 1 << 26)
    recomputed = np.empty(len(X))
    solver.score(b, recomputed)
    exact = np.exp(-0.25 * ((X[:, None] - X) ** 2).sum(axis=2)) @ b
    np.testing.assert_allclose(recomputed, exact, atol=1e-11)
    np.testing.assert_allclose(scores, exact, atol=1e-10)


def test_wrong_shapes_are_refused():
    X, low, high, q = problem(20)
    table = kernels.KernelTable(X, "rbf", 0.25, 0.0, 1, None)
    with pytest.raises(ValueError, match="differ in length"):
        kernels.Smo(table, low[:-1], high, q, np.zeros(20, dtype=np.int8), 1 << 20, False, True)
    with pytest.raises(ValueError, match="out of range"):
        table.rows(np.array([20], dtype=np.int32))
    with pytest.raises(ValueError, match="unknown kind"):
        kernels.KernelTable(X, "cubic", 0.25, 0.0, 1, None)
    with pytest.raises(ValueError, match="square"):
        kernels.KernelTable.given(X)


def test_bounds_of_a_hinge():
    sign, weight = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 2.0, 0.0, 0.0])
    low, high, q = kernels.svc_bounds(sign, weight, 3.0)
    assert low.tolist() == [0, -6, 0, 0] and high.tolist() == [3, 0, 0, 0] and q.tolist() == [-1, 1, -1, 1]
    low, high, _ = kernels.svc_bounds(sign, weight, np.inf)  # zero weight is zero cost
    assert low.tolist() == [0, -np.inf, 0, 0] and high.tolist() == [np.inf, 0, 0, 0]


def test_support_vectors_class_by_class():
    code = np.array([2, 0, 1, 0, 2, 0])
    decisions = np.array([[0.0, 1.0, 0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, -2.0, 1.0, 0.0]])
    counts, order = np.empty(3, dtype=np.int32), np.empty(6, dtype=np.int64)
    assert kernels.support_order(decisions, code, counts, order) == 3
    assert order[:3].tolist() == [1, 3, 4] and counts.tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match="class"):
        kernels.support_order(decisions, code, counts[:2], order)


@pytest.mark.parametrize("copies", [1, 2])
def test_the_objective_of_the_dual(copies):
    X, _ = tables(30)
    rng = np.random.default_rng(0)
    n = 30 * copies
    q, b, group = rng.normal(size=n), rng.normal(size=n), np.zeros(n, dtype=np.int8)
    table = kernels.KernelTable(X, "rbf", 0.3, 0.0, 1, None)
    K = np.tile(SHAPES["rbf"](X, X), (copies, copies))
    solver = kernels.Smo(table, np.full(n, -9.0), np.full(n, 9.0), q, group, 2**20, False, True)
    np.testing.assert_allclose(solver.objective(b, (K @ b)[:30]), b @ K @ b / 2 + q @ b, rtol=1e-12)


def test_few_variables_are_solved_nearly_down_to_rounding():
    X, _ = tables(40)
    sign = np.where(np.arange(40) % 3 == 0, 1.0, -1.0)
    low, high, q = kernels.svc_bounds(sign, np.ones(40), 2.0)
    K, table = SHAPES["rbf"](X, X), kernels.KernelTable(X, "rbf", 0.3, 0.0, 1, None)
    solver = kernels.Smo(table, low, high, q, np.zeros(40, dtype=np.int8), 2**20, False, True)

    def descended(at_once, most):
        b, scores, resting, then = np.zeros(40), np.zeros(40), np.zeros(40, dtype=np.uint8), np.zeros((4, 40))
        found = solver.descend(b, scores, resting, then, 0, [], 1e-2, 9, at_once, 0, most, 0.0)
        np.testing.assert_allclose(scores, K @ b, atol=1e-12)
        np.testing.assert_allclose(found[2], b @ K @ b / 2 + q @ b, rtol=1e-12)
        gradient = scores + q
        assert gradient[b > low].max() - gradient[b < high].min() <= found[0] + 1e-12
        return found

    violation, steps, *_ = descended(1000, 1000)
    assert violation <= 1e-11 and steps > 5
    violation, some, *_ = descended(5, 1000)
    assert violation > 1e-2 and some == 5
    violation, some, *_ = descended(1000, steps - 1)  # as far as steps are allowed
    assert 1e-11 < violation <= 1e-2 and some == steps - 1
