"""The lasso engine on problems whose optimum is known, and what it promises on any problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from learnable.core import Trace, threads
from learnable.engines.minimise.coordinate import (
    SolverSettings,
    StandardisedLeastSquares,
    WorkingSets,
    path_errors,
    solve,
    solve_path,
)
from learnable.parts.penalties import ElasticNet, GroupL2

TIGHT = SolverSettings(1e-13, 100_000)


def backwards(n: int, p: int, used: int, l1: float, l2: float, seed: int, targets: int = 1) -> tuple[np.ndarray, ...]:
    """X, Y, W and b such that W (features, targets) is the optimum, made from the optimality conditions.

    On the support the residual must correlate with column j as l1 W_j / |W_j| + l2 W_j, off it by less than l1.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    centred = X - X.mean(axis=0)
    W = np.zeros((p, targets))
    W[:used] = rng.standard_normal((used, targets)) + 0.5
    by_penalty = l1 * W[:used] / np.linalg.norm(W[:used], axis=1, keepdims=True) + l2 * W[:used]
    residual = n * np.linalg.pinv(centred[:, :used].T) @ by_penalty
    slack = np.linalg.norm(centred[:, used:].T @ residual / n, axis=1)
    X[:, used:] *= 0.9 * np.minimum(1, l1 / np.where(slack > 0, slack, 1))
    return X, X @ W + 3.0 + residual, W, np.full(targets, 3.0)


def penalty_of(l1, l2=0.0, targets=1):
    """The penalty with these factors of its l1 and squared terms."""
    alpha = l1 + l2
    return (GroupL2 if targets > 1 else ElasticNet)(alpha, l1 / alpha if alpha else 1.0)


def fitted(X, y, l1, l2=0.0, settings=TIGHT, **options):
    targets = y.shape[1] if y.ndim == 2 else 1
    problem = StandardisedLeastSquares(X, targets=targets, **options)
    problem.set_target(y)
    trace = Trace()
    return problem, solve(problem, penalty_of(l1, l2, targets), settings, trace), trace


@pytest.mark.parametrize(("n", "p", "used"), [(50, 20, 5), (40, 100, 10), (350, 500, 280), (5000, 30, 30)])
@pytest.mark.parametrize("l2", [0.0, 0.2])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("form", [np.asfortranarray, np.ascontiguousarray, sparse.csc_array])
def test_the_optimum_that_the_data_were_made_from_is_found(n, p, used, l2, targets, form):
    X, Y, W, b = backwards(n, p, used, 0.3, l2, seed=n, targets=targets)
    _, found, trace = fitted(form(X), Y if targets > 1 else Y[:, 0], 0.3, l2)
    assert trace.stopped == "converged"
    np.testing.assert_allclose(found.coef, W.T, atol=2e-5)
    np.testing.assert_allclose(found.intercept, b, atol=2e-4)
    assert 0 <= found.gap <= found.tolerance


@given(
    seed=st.integers(0, 10_000), share=st.floats(0.01, 0.9), l2=st.sampled_from([0.0, 0.1]), passes=st.integers(1, 5)
)
def test_the_gap_bounds_the_distance_to_the_optimum(seed, share, l2, passes):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((30, 12)), rng.standard_normal(30)
    problem, best, _ = fitted(X, y, 0.0)
    l1 = share * problem.l1_max
    _, best, _ = fitted(X, y, l1, l2)
    _, rough, _ = fitted(X, y, l1, l2, SolverSettings(1e-1, passes))
    assert rough.objective - best.objective <= rough.gap + 1e-12
    assert rough.objective >= best.objective - best.gap - 1e-12


@pytest.mark.parametrize("form", [np.asfortranarray, np.ascontiguousarray, sparse.csc_array])
@pytest.mark.parametrize(("n", "p", "targets"), [(60, 40, 1), (60, 40, 2), (400, 700, 1)])
def test_a_path_is_its_points_one_by_one(form, n, p, targets):
    X, Y, *_ = backwards(n, p, p // 4, 0.3, 0.0, seed=1, targets=targets)
    y = Y if targets > 1 else Y[:, 0]
    problem, _, _ = fitted(form(X), y, 0.3)
    l1 = problem.l1_max * np.geomspace(1, 1e-2, 15)
    along = solve_path(problem, [penalty_of(value, 0.1, targets) for value in l1], SolverSettings(1e-9, 100_000))
    assert along.coef.shape == (targets, p, 15)
    assert not along.coef[..., 0].any()
    assert (along.gap <= along.tolerance).all()
    for place in (1, 7, 14):
        _, alone, _ = fitted(form(X), y, l1[place], 0.1)
        np.testing.assert_allclose(along.coef[..., place], alone.coef, atol=1e-3)


def test_problems_side_by_side_are_problems_one_by_one():
    X, Y, *_ = backwards(90, 40, 10, 0.3, 0.0, seed=1)
    y, penalties = Y[:, 0], [ElasticNet(alpha, 1.0) for alpha in np.geomspace(1.0, 0.01, 12)]
    weights = (np.arange(90) % 3 != np.arange(3)[:, None]).astype(float)
    problems = [StandardisedLeastSquares(X, weight) for weight in weights]
    for problem in problems:
        problem.set_target(y)
    errors, converged, stopped = path_errors(problems, penalties, SolverSettings(1e-10), 1 - weights)
    assert converged.all() and not stopped
    for weight, problem, found in zip(weights, problems, errors, strict=True):
        path = solve_path(problem, penalties, SolverSettings(1e-10))
        test = weight == 0
        predicted = (X[test] - problem.mean_x) @ path.coef[0] + problem.mean_y
        np.testing.assert_allclose(found, ((predicted - y[test, None]) ** 2).mean(axis=0), rtol=1e-5)


@pytest.mark.parametrize("form", [np.asfortranarray, np.ascontiguousarray, sparse.csc_array])
def test_bits_do_not_depend_on_threads(form):
    X, Y, *_ = backwards(1100, 600, 300, 0.05, 0.0, seed=2)
    bits = set()
    for count in (1, 2, 3, 8):
        with threads(count):
            _, found, _ = fitted(form(X), Y[:, 0], 0.05, 0.01, SolverSettings(1e-6, 1000))
        bits.add((found.coef.tobytes(), found.gap))
    assert len(bits) == 1


@pytest.mark.parametrize("form", [np.asfortranarray, sparse.csc_array])
def test_a_round_depends_on_its_state_alone(form):
    X, Y, *_ = backwards(120, 700, 300, 0.02, 0.0, seed=3)
    X = form(X)
    problem, _, _ = fitted(X, Y[:, 0], 0.02, 0.0, SolverSettings(1e-2, 1000))  # has seen other rounds before
    fresh = StandardisedLeastSquares(X)
    fresh.set_target(Y[:, 0])
    for owner in (problem, fresh):
        method = WorkingSets(owner, ElasticNet(0.02, 1.0), SolverSettings(1e-6), owner.start())
        state = method.step(method.step(method.start()))
        again = StandardisedLeastSquares(X)
        again.set_target(Y[:, 0])
        resumed = WorkingSets(again, ElasticNet(0.02, 1.0), SolverSettings(1e-6), again.start()).step(state)
        assert resumed["w"].tobytes() == method.step(state)["w"].tobytes()


def test_a_random_order_leads_to_the_same_optimum():
    X, Y, W, _ = backwards(40, 100, 10, 0.3, 0.0, seed=4)
    _, found, _ = fitted(X, Y[:, 0], 0.3, settings=SolverSettings(1e-13, 100_000, seed=7))
    np.testing.assert_allclose(found.coef, W.T, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e150])
def test_the_scale_of_columns_and_target_does_not_matter(scale):
    X, Y, W, _ = backwards(40, 60, 8, 0.3, 0.0, seed=5)
    _, wide, _ = fitted(X * scale, Y[:, 0], 0.3 * scale)
    np.testing.assert_allclose(wide.coef * scale, W.T, atol=1e-6)
    _, tall, _ = fitted(X, Y[:, 0] * scale, 0.3 * scale)
    np.testing.assert_allclose(tall.coef / scale, W.T, atol=1e-6)


def test_constant_columns_and_targets_get_nothing():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0), np.zeros(9)])
    _, found, _ = fitted(X, np.arange(9.0), 0.01)
    assert found.coef[0, 0] == found.coef[0, 2] == 0 and found.coef[0, 1] > 0.9
    _, flat, trace = fitted(X, np.full(9, 2.0), 0.01)
    assert not flat.coef.any() and flat.intercept == 2.0 and trace.stopped == "converged"


def test_large_means_do_not_spoil_the_solution():
    X, Y, W, _ = backwards(60, 20, 5, 0.3, 0.0, seed=6)
    for form in (np.asfortranarray, np.ascontiguousarray):
        _, found, _ = fitted(form(X + 1e6), Y[:, 0], 0.3)
        np.testing.assert_allclose(found.coef, W.T, atol=1e-6)


def test_an_iteration_limit_is_reported():
    X, Y, *_ = backwards(40, 100, 30, 0.01, 0.0, seed=8)
    _, found, trace = fitted(X, Y[:, 0], 0.01, settings=SolverSettings(1e-12, 2))
    assert trace.stopped == "limit" and found.gap > found.tolerance and found.passes <= 3
