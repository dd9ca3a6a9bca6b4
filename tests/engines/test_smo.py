"""The solver of kernel machines against a general quadratic solver, and on problems whose solution is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from learnable.core.errors import DataError
from learnable.core.runtime.native import kernels
from learnable.core.runtime.trace import Trace
from learnable.engines.kernel_machines import smo
from learnable.engines.kernel_machines.smo import DualProblem, SmoSettings, Start, solve


def table(K):
    return kernels.KernelTable.given(np.ascontiguousarray(K))


def problem(K, low, high, q, group=None):
    groups = np.zeros(len(q), dtype=np.int8) if group is None else np.asarray(group, dtype=np.int8)
    return DualProblem(table(K), *(np.ascontiguousarray(part, dtype=np.float64) for part in (low, high, q)), groups)


def violation(K, low, high, q, group, b):
    """The largest descent of a pair, from the definition."""
    gradient = np.tile(K @ b.reshape(-1, len(K)).sum(axis=0), len(b) // len(K)) + q
    worst = 0.0
    for g in np.unique(group):
        rise, fall = (group == g) & (b < high), (group == g) & (b > low)
        if rise.any() and fall.any():
            worst = max(worst, gradient[fall].max() - gradient[rise].min())
    return worst


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.sampled_from([1, 2]), st.sampled_from([1, 2]))
def test_no_quadratic_solver_does_better(seed, rows, copies, groups):
    rng = np.random.default_rng(seed)
    n = rows * copies
    A = rng.standard_normal((rows, rows))
    K = A @ A.T / rows + 0.1 * np.eye(rows)
    low, high, q = -rng.uniform(0, 2, n), rng.uniform(0, 2, n), rng.standard_normal(n)
    group = np.arange(n) % groups
    start = rng.uniform(low, high)
    found = solve(problem(K, low, high, q, group), SmoSettings(1e-9), Trace(), Start(start))
    assert (found.b >= low).all() and (found.b <= high).all()
    sums = np.array([[group == g] for g in range(groups)])[:, 0].astype(float)
    np.testing.assert_allclose(sums @ found.b, sums @ start, atol=1e-10)
    big = np.tile(K, (copies, copies))
    reference = minimize(
        lambda b: b @ big @ b / 2 + q @ b,
        start,
        jac=lambda b: big @ b + q,
        method="SLSQP",
        bounds=list(zip(low, high, strict=True)),
        constraints=[{"type": "eq", "fun": lambda b: sums @ (b - start), "jac": lambda b: sums}],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assume(np.abs(sums @ (reference.x - start)).max() < 1e-9)
    ours = found.b @ big @ found.b / 2 + q @ found.b
    assert ours <= reference.fun + 1e-9 * max(1, abs(reference.fun))
    assert found.objective == pytest.approx(ours, abs=1e-9)
    assert violation(K, low, high, q, group, found.b) <= 1e-8


def test_a_solution_built_backwards_is_found():
    rng = np.random.default_rng(3)
    n = 60
    A = rng.standard_normal((n, n))
    K = A @ A.T / n + np.eye(n)
    b = np.concatenate([np.full(20, -1.0), np.full(20, 1.0), rng.uniform(-0.9, 0.9, 20)])
    gradient = np.concatenate([np.full(20, 0.7), np.full(20, -0.7), np.zeros(20)])  # at the optimum: bounds, free
    q = gradient + 0.3 - K @ b
    start = np.clip(np.full(n, b.sum() / n), -1, 1)
    found = solve(problem(K, np.full(n, -1.0), np.full(n, 1.0), q), SmoSettings(1e-11), Trace(), Start(start))
    np.testing.assert_allclose(found.b, b, atol=1e-8)
    assert found.levels[0] == pytest.approx(0.3, abs=1e-8)


def test_kernels_that_are_not_inner_products_survive():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    K = np.tanh(X @ X.T - 1)
    assert np.linalg.eigvalsh(K).min() < -1
    sign = np.where(rng.random(80) < 0.5, 1.0, -1.0)
    low, high = np.where(sign > 0, 0.0, -5.0), np.where(sign > 0, 5.0, 0.0)
    found = solve(problem(K, low, high, -sign), SmoSettings(1e-3), Trace())
    assert violation(K, low, high, -sign, np.zeros(80), found.b) <= 1.1e-3


def test_all_levels_of_size_agree():
    """All variables at once, in rounds, and in rounds in single precision with a cache that is too small."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2300, 3))
    sign = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(len(X)) > 0, 1.0, -1.0)
    low, high = np.where(sign > 0, 0.0, -1.0), np.where(sign > 0, 1.0, 0.0)
    rows = kernels.KernelTable(X, "rbf", 0.5, 0.0, 1, X.mean(axis=0))
    parts = (low, high, -sign, np.zeros(len(X), dtype=np.int8))
    exact = solve(DualProblem(rows.whole(), *parts), SmoSettings(1e-6), Trace())
    rounds = solve(DualProblem(rows, *parts), SmoSettings(1e-6), Trace())
    coarse = solve(DualProblem(rows, *parts), SmoSettings(1e-3, cache_size=8.0), Trace())
    assert rounds.objective == pytest.approx(exact.objective, rel=1e-9)
    np.testing.assert_allclose(rounds.scores, exact.scores, atol=1e-4)
    assert coarse.objective == pytest.approx(exact.objective, rel=1e-5)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    assert violation(K, low, high, -sign, np.zeros(len(X)), coarse.b) <= 1e-3
    assert violation(K, low, high, -sign, np.zeros(len(X)), exact.b) <= 1e-6


def test_unbounded_problems_are_refused_in_words():
    K = np.ones((2, 2))
    with pytest.raises(DataError, match="not separable"):
        solve(problem(K, [0, -np.inf], [np.inf, 0], [-1.0, 1.0]), SmoSettings(), Trace())


def test_steps_are_counted_and_limited():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((50, 50))
    trace = Trace()
    found = solve(
        problem(A @ A.T, np.full(50, -1.0), np.full(50, 1.0), rng.standard_normal(50)), SmoSettings(1e-9, 7), trace
    )
    assert found.steps == 7 and trace.stopped == "limit" and found.violation > 1e-9
    assert np.diff(solve_trace(A, 9)).max() <= 1e-12


def solve_trace(A, limit):
    """Objectives after 1, 2, ... steps, which fall."""
    q = np.linspace(-1, 1, 50)
    values = []
    for steps in range(1, limit):
        found = solve(problem(A @ A.T, np.full(50, -1.0), np.full(50, 1.0), q), SmoSettings(1e-12, steps), Trace())
        values.append(found.objective)
    return np.array(values)


def nonlinear_problem(rows=3000, seed=1):
    """A problem large enough for rounds, with its kernel matrix."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4))
    sign = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(rows) > 0, 1.0, -1.0)
    low, high = np.where(sign > 0, 0.0, -1.0), np.where(sign > 0, 1.0, 0.0)
    rows_of = kernels.KernelTable(X, "rbf", 0.3, 0.0, 1, X.mean(axis=0))
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    return DualProblem(rows_of, low, high, -sign, np.zeros(rows, dtype=np.int8)), K


def test_the_violation_covers_inactive_rows_too(monkeypatch):
    """A run that ends while rows are shrunk reports the violation over all rows."""
    problem_of, K = nonlinear_problem()
    monkeypatch.setattr(smo, "NONE_MOVED", 10**9)
    cut = False
    for limit in range(2000, 6000, 400):
        trace = Trace()
        found = solve(problem_of, SmoSettings(1e-7, limit), trace)
        exact = violation(K, problem_of.low, problem_of.high, problem_of.q, problem_of.group, found.b)
        assert found.violation == pytest.approx(exact, abs=1e-9)
        np.testing.assert_allclose(found.scores, K @ found.b, atol=1e-9)
        cut |= trace.stopped == "limit"
    assert cut


@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_the_solution_is_right_with_and_without_shrinking(tol):
    problem_of, K = nonlinear_problem()
    with_rest, without = (solve(problem_of, SmoSettings(tol, shrinking=way), Trace()) for way in (True, False))
    assert with_rest.objective == pytest.approx(without.objective, rel=1e-6)
    exact = violation(K, problem_of.low, problem_of.high, problem_of.q, problem_of.group, with_rest.b)
    assert exact <= tol
