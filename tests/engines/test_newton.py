from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, sparse

from learnable.core.runtime.trace import Trace
from learnable.engines.iterate import iterate
from learnable.engines.minimise.line_search import LineValue, line_search
from learnable.engines.minimise.newton import Newton
from learnable.engines.minimise.orthogonalise import Rotation
from learnable.engines.minimise.problem import Problem
from learnable.engines.minimise.robust.huber_scale import ConcomitantHuber
from learnable.engines.minimise.row_losses import LossRows, normalised_weights
from learnable.engines.minimise.smooth_solver import Smooth, gradient_tolerance
from learnable.engines.minimise.spd_solve import PositiveSystem
from learnable.parts.losses import Gamma, LogCosh, Poisson, Squared
from learnable.parts.penalties import L2

from .problems import poisson_with_optimum, starting_point


def minimised(problem: Problem, tolerance: float = 1e-12, limit: int = 100) -> tuple[dict, Trace]:
    trace = Trace()
    return iterate(Newton(problem, tolerance, *starting_point(problem)), limit, trace), trace


def test_finds_the_optimum_that_the_data_were_built_from():
    problem, coef, intercept = poisson_with_optimum()
    state, trace = minimised(problem)
    assert trace.stopped == "converged"
    np.testing.assert_allclose(state["coef"], coef, rtol=1e-9)
    np.testing.assert_allclose(state["intercept"], intercept, rtol=1e-9)


def test_one_step_solves_a_quadratic():
    rng = np.random.default_rng(1)
    X, y, weight = rng.normal(size=(40, 3)), rng.normal(size=40), rng.uniform(0.5, 2, 40)
    problem = Problem.of(X, LossRows(Squared(), y, normalised_weights(weight, 40)), L2(0.3), True)
    state, trace = minimised(problem)
    s = weight / weight.sum()
    mean = s @ X
    centred = X - mean
    coef = np.linalg.solve(centred.T * s @ centred + 0.3 * np.eye(3), centred.T * s @ (y - s @ y))
    assert trace.iterations == 1
    np.testing.assert_allclose(state["coef"], coef, rtol=1e-10)
    np.testing.assert_allclose(state["intercept"], s @ y - mean @ coef, rtol=1e-10)


@pytest.mark.parametrize("loss", [Poisson(), Gamma(), LogCosh()])
def test_the_objective_never_rises_and_the_end_is_fast(loss):
    problem, _, _ = poisson_with_optimum(seed=3)
    problem = Problem.of(problem.X, LossRows(loss, problem.rows.y, problem.rows.row_weight), L2(0.01), True)
    _, trace = minimised(problem)
    objective, criterion = trace["objective"], trace["criterion"]
    assert trace.stopped == "converged"
    assert (np.diff(objective) <= 1e-14 * np.abs(objective[:-1])).all()
    assert criterion[-1] <= criterion[-2] ** 1.5 + 1e-13


def test_the_criterion_does_not_depend_on_units():
    problem, _, _ = poisson_with_optimum()
    scaled = Problem.of(problem.X * 2.0 ** np.arange(-20, 28, 8), problem.rows, L2(0.0), True)
    _, first = minimised(problem, 1e-10)
    _, second = minimised(scaled, 1e-10)
    np.testing.assert_allclose(first["criterion"], second["criterion"], rtol=1e-6, atol=1e-13)


def test_sparse_and_dense_columns_give_the_same_solution():
    rng = np.random.default_rng(5)
    X = rng.poisson(0.3, size=(200, 5)).astype(float)
    y = rng.poisson(np.exp(X @ np.full(5, 0.2))).astype(float)
    rows = LossRows(Poisson(), y, normalised_weights(None, 200))
    dense, _ = minimised(Problem.of(X, rows, L2(0.1), True))
    csr, _ = minimised(Problem.of(sparse.csr_array(X), rows, L2(0.1), True))
    np.testing.assert_allclose(csr["coef"], dense["coef"], rtol=1e-10)


def test_stops_and_says_so_when_rounding_allows_no_more():
    problem, _, _ = poisson_with_optimum()
    _, trace = minimised(problem, 0.0, 10_000)
    assert trace.stopped in ("stalled", "converged")
    assert trace.iterations < 200
    assert trace["criterion"][-1] < 1e-13


def huber_rows(n: int = 80, seed: int = 0) -> tuple[ConcomitantHuber, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.standard_t(2, size=n)
    return ConcomitantHuber(y, normalised_weights(rng.uniform(0.1, 1, n), n), 1.35, 1e-12), 0.3 * rng.normal(size=n)


def test_the_scale_of_huber_rows_is_the_best_one():
    rows, z = huber_rows()
    scale = rows.scale(z)
    size = np.abs(rows.y - z)

    def value(c: float) -> float:
        return c + float(rows.row_weight @ np.where(size <= 1.35 * c, size**2 / c, 2 * 1.35 * size - 1.35**2 * c))

    assert scale == pytest.approx(optimize.minimize_scalar(value, (0.1, 1.0), tol=1e-14).x, rel=1e-7)
    assert rows.terms(z).value == pytest.approx(value(scale), rel=1e-14)
    assert 1 - rows.row_weight @ np.minimum(size / scale, 1.35) ** 2 == pytest.approx(0, abs=1e-13)


def test_the_derivatives_of_huber_rows_are_those_of_their_value():
    rows, z = huber_rows()
    terms = rows.terms(z)
    steps = np.eye(len(z)) * 1e-6
    gradient = [(rows.terms(z + b).value - rows.terms(z - b).value) / 2e-6 for b in steps]
    second = np.array([(rows.terms(z + b).gradient - rows.terms(z - b).gradient) / 2e-6 for b in steps])
    np.testing.assert_allclose(terms.gradient, gradient, atol=1e-8)
    np.testing.assert_allclose(np.diag(terms.curvature) - np.outer(terms.rank_one, terms.rank_one), second, atol=1e-7)
    for move in np.random.default_rng(1).normal(size=(20, len(z))):
        bound = terms.value + terms.gradient @ move + terms.majorizer @ move**2 / 2
        assert rows.terms(z + move).value <= bound * (1 + 1e-14)


def smooth(X: np.ndarray, y: np.ndarray, strength: float, intercept: bool = True, solver: str = "newton-cholesky"):
    trace = Trace()
    task = Smooth(X, LossRows(Poisson(), y, normalised_weights(None, len(y))), strength, intercept, solver, 200, 1e-6)
    coef, constant = task.solve(np.zeros(X.shape[1]), 0.0, trace)
    assert trace.stopped == "converged" and trace.certificate.holds
    return coef, constant


@pytest.mark.parametrize("solver", ["newton-cholesky", "lbfgs"])
def test_of_many_optima_the_shortest_is_found(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) + 5
    y = rng.poisson(3, 50).astype(float)
    single, constant = smooth(X, y, 0.0)
    double, same = smooth(np.column_stack([X, X]), y, 0.0, solver=solver)
    np.testing.assert_allclose(double, np.tile(single / 2, 2), rtol=1e-7)
    assert same == pytest.approx(constant, rel=1e-7)


@pytest.mark.parametrize("solver", ["newton-cholesky", "lbfgs"])
def test_more_columns_than_rows_is_the_problem_in_the_span_of_the_rows(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 40)), rng.poisson(2, 12).astype(float)
    coef, constant = smooth(X, y, 0.1, solver=solver)
    mean = np.exp(X @ coef + constant)
    np.testing.assert_allclose(X.T @ (mean - y) / 12 + 0.1 * coef, 0, atol=1e-9)
    assert mean.sum() == pytest.approx(y.sum(), rel=1e-9)


def test_nearly_equal_columns_do_not_spoil_the_gradient():
    t = np.linspace(0, 1, 60)
    X = np.column_stack([t**k for k in range(1, 9)])
    y = np.exp(np.sin(3 * t)) + 0.1 * np.cos(20 * t)
    coef, constant = smooth(X, y, 0.0)
    residual = np.exp(X @ coef + constant) - y
    assert np.abs(np.column_stack([np.ones(60), X]).T @ residual / 60).max() < 1e-8


def test_a_rotation_keeps_scores_and_gives_the_shortest_coefficients():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(20, 4)), np.full(20, 7.0)])
    X = np.column_stack([X, X[:, 0] * 1e6 + X[:, 1]])
    turn = Rotation.of(X, centre=True)
    assert turn.columns.shape[1] == 4
    np.testing.assert_allclose(turn.columns.T @ turn.columns, np.eye(4), atol=1e-13)
    u = rng.normal(size=4)
    w = turn.basis @ u
    np.testing.assert_allclose((X - turn.mean) @ w, turn.columns @ u, atol=1e-8)
    np.testing.assert_allclose(w, np.linalg.pinv(X - turn.mean) @ (turn.columns @ u), atol=1e-8 * np.abs(w).max())


@pytest.mark.parametrize("size", [3, 150])
def test_factor_solves_regular_and_singular_systems(size):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(size, size)) * 10.0 ** rng.uniform(-5, 5, size)
    H, x = A.T @ A, rng.normal(size=size) / np.abs(A).max(axis=0)
    np.testing.assert_allclose(A @ PositiveSystem(H).solve(H @ x), A @ x, rtol=1e-3, atol=1e-3)
    singular = np.ones((size, size))
    np.testing.assert_allclose(PositiveSystem(singular).solve(np.ones(size)), np.full(size, 1 / size), rtol=1e-4)


def test_line_search_meets_the_wolfe_rules_and_refuses_an_ascent():
    def line(t: float) -> tuple[LineValue, float]:
        return LineValue(np.cosh(t - 30), np.sinh(t - 30)), t

    start = line(0.0)[0]
    step, found = line_search(line, start, 0.0)
    there = line(step)[0]
    assert found == step and there.value <= start.value + 1e-4 * step * start.derivative
    assert there.derivative >= 0.9 * start.derivative
    assert line_search(lambda t: (LineValue(1 + t, -1.0), None), LineValue(1.0, -1.0), 0.0) is None


def test_the_tolerance_is_never_looser_than_requested():
    requested = 10.0 ** np.arange(-16, 0.0)
    met = np.array([gradient_tolerance(tol) for tol in requested])
    assert (met <= requested).all() and (np.diff(met) >= 0).all()
