"""Quantile regression in the engine: weak duality, both methods, vertices, and the linear programme."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.trace import Trace
from learnable.engines.iterate import iterate
from learnable.engines.minimise.quantile.interior_point import InteriorPoint
from learnable.engines.minimise.quantile.irls import ReweightedLeastSquares
from learnable.engines.minimise.quantile.linear_program import solve_programme
from learnable.engines.minimise.quantile.pinball import Pinball, WeightedRows
from learnable.engines.minimise.quantile.vertex_solution import nearest_vertex
from learnable.engines.minimise.row_losses import normalised_weights


def drawn(
    n: int = 60, p: int = 4, alpha: float = 0.0, ridge: float = 0.0, level: float = 0.3, seed: int = 0
) -> Pinball:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, 0] - 2 * X[:, 1] + rng.standard_t(2, size=n)
    return Pinball(X, y, normalised_weights(rng.uniform(0.5, 2, n), n), level, np.full(p, alpha), True, ridge)


def residual(problem: Pinball, coef: np.ndarray, intercept: float) -> np.ndarray:
    return problem.target - problem.scores(coef, intercept)


@pytest.mark.parametrize("alpha, ridge", [(0.0, 0.0), (0.05, 0.0), (0.0, 0.3), (0.05, 0.3)])
def test_the_optimum_is_below_every_other_and_above_every_bound(alpha, ridge):
    problem = drawn(alpha=alpha, ridge=ridge)
    trace = Trace()
    unit = problem.value(np.zeros(4), problem.target)
    state = iterate(InteriorPoint(problem, 1e-10, unit), 100, trace)
    assert trace.stopped == "converged" and trace.iterations < 30
    best = problem.value(state["coef"], residual(problem, state["coef"], state["intercept"]))
    assert best == pytest.approx(state["objective"], rel=1e-9)
    rng = np.random.default_rng(1)
    for size in (1e-5, 1e-2, 1.0):
        for _ in range(50):
            coef, intercept = state["coef"] + size * rng.normal(size=4), state["intercept"] + size * rng.normal()
            assert problem.value(coef, residual(problem, coef, intercept)) >= best - 1e-9 * unit
    assert (trace["bound"] <= best + 1e-12).all()
    sums, total = problem.column_sums(state["dual"])
    np.testing.assert_allclose(sums, ridge * state["coef"], atol=1e-10)
    assert total == pytest.approx(0, abs=1e-12)
    assert (problem.low <= state["dual"] + 1e-15).all() and (state["dual"] <= problem.high + 1e-15).all()


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("level", [0.2, 0.5, 0.9])
def test_interior_points_reweighting_and_the_programme_meet_at_a_vertex(alpha, level):
    problem = drawn(alpha=alpha, level=level)
    unit = problem.value(np.zeros(4), problem.target)
    inside = iterate(InteriorPoint(problem, 1e-13, unit), 100, Trace())
    weighted = iterate(ReweightedLeastSquares(problem, 1e-13, unit, np.zeros(4), 0.0), 2000, Trace())
    coef, intercept, dual, report = solve_programme(problem, "highs", None)
    assert report.success
    for state in (inside, weighted):
        np.testing.assert_allclose(state["coef"], coef, atol=1e-10)
        assert state["intercept"] == pytest.approx(intercept, abs=1e-10)
    met = np.abs(residual(problem, inside["coef"], inside["intercept"])) < 1e-12
    assert met.sum() == 5
    assert problem.bound(coef, dual) == pytest.approx(inside["objective"], rel=1e-12)


def test_every_weighting_gives_a_bound():
    """Weighted residuals of a least squares keep X'a at zero, so they bound the optimum from below."""
    problem = drawn()
    best = iterate(InteriorPoint(problem, 1e-12, 1.0), 100, Trace())["objective"]
    for seed in range(20):
        weight = np.random.default_rng(seed).uniform(0.01, 1, 60)
        coef, intercept = WeightedRows(problem, weight).solve(weight * problem.target, np.zeros(4))
        dual = weight * residual(problem, coef, intercept)
        np.testing.assert_allclose(problem.column_sums(dual)[0], 0, atol=1e-12)
        assert problem.bound(coef, dual) <= best


def test_a_vertex_needs_independent_rows_and_sparse_columns_are_columns():
    problem = drawn()
    dual = iterate(InteriorPoint(problem, 1e-10, 1.0), 100, Trace())["dual"]
    coef, intercept, _ = nearest_vertex(problem, dual)
    sparse_problem = Pinball(
        sparse.csr_array(problem.X), problem.y, problem.row_weight, problem.level, problem.alpha, True
    )
    same, _, _ = nearest_vertex(sparse_problem, dual)
    np.testing.assert_allclose(same, coef, rtol=1e-12)
    assert (np.abs(residual(problem, coef, intercept)) < 1e-12).sum() == 5
    double = Pinball(np.tile(problem.X, 2), problem.y, problem.row_weight, problem.level, np.zeros(8), True)
    assert nearest_vertex(double, dual) is None


def test_reweighting_starts_at_least_squares_and_its_floor_sinks():
    problem = drawn(level=0.5)
    method = ReweightedLeastSquares(problem, 1e-13, 1.0, np.zeros(4), 0.0)
    state = method.start()
    floors = []
    for _ in range(30):
        state = method.step(state)
        floors.append(state["floor"])
    assert (np.diff(floors) <= 0).all() and floors[-1] < floors[0] / 10
    assert state["objective"] >= state["bound"]
