from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.trace import Trace
from learnable.engines.iterate import iterate
from learnable.engines.minimise.lbfgs import LBFGS
from learnable.engines.minimise.newton import Newton
from learnable.engines.minimise.problem import Problem
from learnable.engines.minimise.row_losses import LossRows, normalised_weights
from learnable.parts.losses import Gamma, Poisson, Squared
from learnable.parts.penalties import L2

from .problems import poisson_with_optimum, starting_point


def minimised(problem: Problem, full: bool, tolerance: float = 1e-11) -> tuple[dict, Trace]:
    trace = Trace()
    point, model = starting_point(problem)
    return iterate(LBFGS(problem, tolerance, point, model if full else None), 2000, trace), trace


@pytest.mark.parametrize("full", [True, False])
def test_finds_the_optimum_that_the_data_were_built_from(full):
    problem, coef, intercept = poisson_with_optimum()
    state, trace = minimised(problem, full)
    assert trace.stopped == "converged"
    np.testing.assert_allclose(state["coef"], coef, rtol=1e-7)
    np.testing.assert_allclose(state["intercept"], intercept, rtol=1e-7)


def test_the_full_curvature_solves_a_quadratic_in_one_step_and_the_diagonal_one_with_orthogonal_columns():
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(np.column_stack([np.ones(40), rng.normal(size=(40, 3))]))[0][:, 1:]
    y = rng.normal(size=40)
    rows = LossRows(Squared(), y, normalised_weights(None, 40))
    for X, full in ((rng.normal(size=(40, 3)), True), (Q * [1.0, 100.0, 1e-3], False)):
        state, trace = minimised(Problem.of(X, rows, L2(0.0), True), full)
        assert trace.iterations == 1
        np.testing.assert_allclose(X.T @ (y - X @ state["coef"] - state["intercept"]), 0, atol=1e-9 * np.abs(X).max())


@pytest.mark.parametrize("loss", [Poisson(), Gamma()])
@pytest.mark.parametrize("full", [True, False])
def test_the_objective_never_rises(loss, full):
    problem, _, _ = poisson_with_optimum(seed=3)
    problem = Problem.of(problem.X, LossRows(loss, problem.rows.y, problem.rows.row_weight), L2(0.01), True)
    _, trace = minimised(problem, full)
    objective = trace["objective"]
    assert trace.stopped == "converged"
    assert (np.diff(objective) <= 1e-14 * np.abs(objective[:-1])).all()


def test_agrees_with_newton_on_many_sparse_columns():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 80), density=0.1, rng=rng, format="csr")
    y = rng.poisson(np.exp(X @ rng.normal(size=80) / 3)).astype(float)
    problem = Problem.of(X, LossRows(Poisson(), y, normalised_weights(None, 300)), L2(0.01), True)
    state, trace = minimised(problem, full=False)
    newton = iterate(Newton(problem, 1e-12, *starting_point(problem)), 100, Trace())
    assert trace.stopped == "converged"
    np.testing.assert_allclose(state["coef"], newton["coef"], atol=1e-8)


def test_without_an_intercept_it_stays_zero():
    problem, _, _ = poisson_with_optimum()
    problem = Problem.of(problem.X, problem.rows, L2(0.1), False)
    for full in (True, False):
        state, _ = minimised(problem, full)
        mean = np.exp(problem.X @ state["coef"])
        gradient = problem.X.T @ (problem.rows.row_weight * (mean - problem.rows.y)) + 0.1 * state["coef"]
        assert state["intercept"] == 0.0
        assert np.abs(gradient / problem.norm).max() < 1e-8
