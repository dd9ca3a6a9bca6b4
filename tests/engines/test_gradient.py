"""Gradient descent against hand-written loops, known optima and the bound on its rate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from learnable.core import Trace, generator
from learnable.engines.iterate import iterate
from learnable.engines.minimise.gradient_descent.batch_gradient import GradientDescent, LinearProblem, batch_curvature
from learnable.parts import losses, penalties, schedules

SQUARED, FREE = losses.Squared(), penalties.Free()


def problem(seed=0, n=40, p=3, loss=SQUARED, penalty=FREE, intercept=True, weighted=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.arange(1, p + 1)
    y = X @ rng.normal(size=p) + 2 + 0.1 * rng.normal(size=n)
    weight = rng.uniform(0.2, 3, n) if weighted else np.ones(n)
    return LinearProblem(X, y, weight / weight.sum(), loss, penalty, intercept)


def descend(task, rate, batch=None, epochs=1, seed=0, tol=-np.inf, schedule=None, **options):
    schedule = schedule or schedules.Constant(rate)
    p = task.X.shape[1]
    trace = Trace()
    method = GradientDescent(
        task, schedule, batch, seed, tol, np.zeros(p), 0.0, np.zeros(p), np.ones(p), 1.0, **options
    )
    return iterate(method, epochs, trace), trace


def augmented(task):
    return np.column_stack([task.X, np.ones(len(task.y))])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("batch", [None, 1, 7, 40, 100])
def test_an_epoch_is_the_textbook_loop(batch, weighted):
    task, rate = problem(weighted=weighted), 0.01
    state, _ = descend(task, rate, batch, epochs=3, seed=5)
    Z, theta, n = augmented(task), np.zeros(4), len(task.y)
    for epoch in range(3):
        order = np.arange(n) if batch in (None, 40, 100) else generator(5, epoch).permutation(n)
        size = min(batch or n, n)
        for begin in range(0, n, size):
            gradient = np.zeros(4)
            rows = order[begin : begin + size]
            for i in rows:
                gradient += n * task.row_weight[i] * (Z[i] @ theta - task.y[i]) * Z[i]
            theta = theta - rate * gradient / len(rows)
    np.testing.assert_allclose(np.append(state["coef"], state["intercept"]), theta, rtol=1e-10)
    assert state["step"] == 3 * int(np.ceil(n / size))


def test_all_derivatives_come_before_any_update():
    """Updating b with the new w would give another result after the first step."""
    task = problem()
    state, _ = descend(task, 0.05)
    assert state["intercept"] == pytest.approx(0.05 * float(task.row_weight @ task.y), rel=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_curvature_is_the_top_eigenvalue(intercept):
    task = problem(p=6, weighted=True, intercept=intercept)
    Z = augmented(task)[:, : 6 + intercept]
    assert task.curvature() == pytest.approx(np.linalg.eigvalsh(Z.T * task.row_weight @ Z)[-1], rel=1e-6)
    rows = len(task.y) * task.row_weight * (Z**2).sum(axis=1)
    assert task.row_curvature() == pytest.approx(rows.max())
    assert batch_curvature(task, None) == batch_curvature(task, 40) == task.curvature()
    assert batch_curvature(task, 1) == pytest.approx(task.row_curvature())
    assert task.curvature() < batch_curvature(task, 5) < task.row_curvature()


def test_sparse_rows_have_the_same_curvature():
    task = problem()
    sparse_task = LinearProblem(sparse.csr_array(task.X), task.y, task.row_weight, task.loss, task.penalty, True)
    assert sparse_task.curvature() == pytest.approx(task.curvature())
    assert sparse_task.row_curvature() == pytest.approx(task.row_curvature())


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.05, 0.99))
def test_below_the_bound_the_objective_falls(seed, fraction):
    task = problem(seed)
    _, trace = descend(task, fraction * 2 / task.curvature(), epochs=30)
    assert (np.diff(trace["objective"]) <= 1e-12 * trace["objective"][0]).all()


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.floats(1.02, 3))
def test_beyond_the_bound_it_diverges(seed, fraction):
    task = problem(seed)
    state, trace = descend(task, fraction * 2 / task.curvature(), epochs=5000)
    assert trace.stopped == "diverged"
    assert trace["objective"][-1] > 1e6 * trace["objective"][0]
    assert np.isfinite(state["coef"]).all()


def test_overflow_keeps_the_last_finite_weights():
    state, trace = descend(problem(), 1e200, epochs=10)
    assert trace.stopped == "diverged"
    assert trace["objective"][-1] == np.inf
    assert np.isfinite(state["coef"]).all()


@pytest.mark.parametrize(
    "penalty", [penalties.Free(), penalties.L2(0.3), penalties.L1(0.4), penalties.ElasticNet(0.4, 0.5)], ids=repr
)
@pytest.mark.parametrize("loss", [losses.Squared(), losses.Huber(0.5), losses.LogCosh()], ids=repr)
def test_the_end_is_an_optimum(loss, penalty):
    task = problem(loss=loss, penalty=penalty, weighted=True)
    state, trace = descend(task, 1 / (task.curvature() + 0.3), epochs=20_000, tol=1e-9)
    assert trace.stopped == "converged"
    gradient, by_intercept = task.gradient(task.X @ state["coef"] + state["intercept"])
    assert penalty.distance(state["coef"], gradient).max() <= 1e-8
    assert abs(by_intercept) <= 1e-8


def test_adaptive_steps_are_cut_when_the_objective_rises():
    task = problem()
    bound = 2 / task.curvature()
    state, trace = descend(task, 0, epochs=200, schedule=schedules.Adaptive(4 * bound, factor=5.0))
    assert trace["rate"][0] > bound > trace["rate"][-1]
    assert state["stalls"] >= 1
    assert trace["objective"][-1] < trace["objective"][0]


def test_the_path_holds_every_epoch():
    state, trace = descend(problem(), 0.01, batch=8, epochs=6, keep_path=True)
    assert len(state["path"]) == 7
    np.testing.assert_array_equal(state["path"][0], np.zeros(4))
    np.testing.assert_array_equal(state["path"][-1], np.append(state["coef"], state["intercept"]))
    assert trace["rmse"].shape == (6,)
