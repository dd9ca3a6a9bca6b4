"""Dense algebra that checks neither time nor Ctrl-C is ended by both, and gives the same bits."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.algebra import interruptible_lapack
from learnable.engines.algebra.interruptible_lapack import interruptibly
from learnable.linear_model import (
    ARDRegression,
    BayesianRidge,
    LinearRegression,
    PoissonRegressor,
    PrincipalComponentRegression,
    Ridge,
    RidgeCV,
)
from tests.timing import held_call

WIDE = np.random.default_rng(0).normal(size=(70, 90))
TALL = np.random.default_rng(1).normal(size=(80, 75))


def table(X):
    return X, np.random.default_rng(2).poisson(1.0, size=len(X)).astype(float)


def twins(X):
    return np.hstack([X, X])


CASES = [
    (LinearRegression(), TALL),
    (LinearRegression(), twins(TALL)),
    (LinearRegression(positive=True), TALL),
    (Ridge(), WIDE),
    (Ridge(solver="svd"), TALL),
    (RidgeCV(), TALL),
    (RidgeCV(), WIDE),
    (BayesianRidge(), TALL),
    (BayesianRidge(), WIDE),
    (ARDRegression(threshold_lambda=1e9), TALL),
    (ARDRegression(threshold_lambda=1e9), WIDE),
    (PoissonRegressor(), twins(TALL)),
    (PrincipalComponentRegression(), WIDE),
]
NAMES = [f"{type(model).__name__}-{index}" for index, (model, _) in enumerate(CASES)]


@pytest.fixture
def everything_is_long(monkeypatch):
    """Calls made on a thread of their own, counted; all of them, however small."""
    monkeypatch.setattr(interruptible_lapack, "LONG_CALL", 0)
    seen = []
    run_in_thread = interruptible_lapack.run_in_thread
    monkeypatch.setattr(interruptible_lapack, "run_in_thread", lambda call: seen.append(call) or run_in_thread(call))
    return seen


@pytest.mark.parametrize(("model", "X"), CASES, ids=NAMES)
def test_the_bits_are_those_of_a_direct_call(everything_is_long, model, X, monkeypatch):
    far = model.clone().fit(*table(X))
    assert everything_is_long
    monkeypatch.setattr(interruptible_lapack, "LONG_CALL", float("inf"))
    near = model.clone().fit(*table(X))
    assert np.array_equal(far.coef_, near.coef_) and far.intercept_ == near.intercept_
    assert np.array_equal(getattr(far, "sigma_", 0), getattr(near, "sigma_", 0))


@pytest.mark.parametrize("model", [LinearRegression(), LinearRegression(fit_intercept=False), Ridge()])
@pytest.mark.parametrize("X", [WIDE, twins(TALL), twins(TALL.T)])
def test_the_data_are_copied_apart_too(everything_is_long, model, X):
    model.clone().fit(*table(X))
    first = next(call.args[0] for call in everything_is_long if call.args[0].shape == X.shape)
    assert np.shares_memory(first, X)


@pytest.mark.parametrize(("model", "X"), CASES, ids=NAMES)
def test_a_budget_ends_a_fit_in_the_middle_of_a_long_call(everything_is_long, model, X, monkeypatch):
    run_in_thread = interruptible_lapack.run_in_thread
    with held_call() as hold:
        monkeypatch.setattr(
            interruptible_lapack, "run_in_thread", lambda call: run_in_thread(lambda: (hold(), call())[1])
        )
        with (
            learnable.budget(seconds=0.2),
            pytest.raises(learnable.BudgetError, match=f"^{type(model).__name__}: the .*budget .*give it more"),
        ):
            model.clone().fit(*table(X))


def test_a_fit_that_has_done_steps_keeps_them(monkeypatch):
    calls = []
    model = PoissonRegressor(alpha=1e-3, tol=1e-300, solver="newton-cholesky")
    monkeypatch.setattr(interruptible_lapack, "LONG_CALL", 0)
    run_in_thread = interruptible_lapack.run_in_thread

    def late(call):
        calls.append(call)
        if len(calls) < 4:
            return run_in_thread(call)
        kernels.set_deadline(0.0)
        return run_in_thread(lambda: (time.sleep(1), call())[1])

    monkeypatch.setattr(interruptible_lapack, "run_in_thread", late)
    with learnable.budget(seconds=1000.0), pytest.warns(learnable.ConvergenceWarning, match="stopped by the budget"):
        model.fit(*table(np.hstack([WIDE.T, WIDE.T**2, np.sin(WIDE.T)])[:, :110] / 10))
    assert model.trace_.stopped == "budget" and model.trace_.iterations >= 1
    assert np.isfinite(model.coef_).all()


def test_ctrl_c_ends_it(everything_is_long):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start the tests without
    with held_call() as hold:

        def interrupted(matrix):
            """Algebra that takes long without checks, during a Ctrl-C."""
            os.kill(os.getpid(), signal.SIGINT)
            hold()
            return matrix

        try:
            with pytest.raises(KeyboardInterrupt):
                interruptibly(interrupted, TALL)
        finally:
            signal.signal(signal.SIGINT, before)


def test_errors_and_settings_pass_through(everything_is_long):
    with pytest.raises(np.linalg.LinAlgError):
        interruptibly(np.linalg.cholesky, -np.eye(3))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptibly(lambda matrix: 1.0 / matrix, np.zeros((1, 1)))
    assert interruptibly(np.linalg.svd, TALL, compute_uv=False).shape == (75,)


def test_small_calls_start_no_thread(monkeypatch):
    monkeypatch.setattr(interruptible_lapack, "run_in_thread", None)
    assert interruptibly(np.linalg.inv, np.eye(2)).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_long_calls_are_recognised_by_the_entries_of_narrow_matrices():
    """The singular values of 1000000 rows of 10 columns take as long as those of 1000 rows of 1000."""
    for rows, columns in ((1_000_000, 10), (200_000, 22), (20_000, 70), (1_000, 1_000)):
        matrix = np.broadcast_to(1.0, (rows, columns))
        assert interruptibly(lambda _: threading.current_thread(), matrix) is not threading.main_thread()


def test_a_process_ends_after_abandoned_calls(tmp_path):
    """A thread in the midst of LAPACK when BLAS is taken down would take the process down with it."""
    script = """
import sys, time
from pathlib import Path
import learnable
from learnable.core.errors import BudgetError
from learnable.core.runtime.native import kernels
from learnable.engines.algebra.interruptible_lapack import run_in_thread

def long_call():
    time.sleep(1.0)
    Path(sys.argv[1]).write_text("done")

kernels.set_deadline(time.monotonic() + 0.05)
try:
    run_in_thread(long_call)
except BudgetError:
    print("out of time")
"""
    end = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "mark")], capture_output=True, text=True, timeout=600
    )
    assert (end.returncode, end.stdout.strip()) == (0, "out of time"), end.stderr
    assert (tmp_path / "mark").read_text() == "done"
