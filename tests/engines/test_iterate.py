"""The loop keeps the last whole state when the budget ends, wherever that happens."""

import time

import numpy as np
import pytest

import learnable
from learnable import linear_model
from learnable.core import BudgetError, Trace
from learnable.core.runtime.native import kernels
from learnable.engines.iterate import Progress, iterate

rng = np.random.default_rng(0)


@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
@pytest.mark.parametrize("name", ["SGDRegressor", "StudentTRegressor"])
def test_the_result_after_the_loop_is_not_lost_to_the_budget(name, monkeypatch):
    X = rng.normal(size=(6000, 300))
    y = X[:, 0] + rng.standard_t(3, size=6000)

    def end_the_budget(event):
        if event.iteration == 2:
            kernels.set_deadline(0.0)
            monkeypatch.setattr(time, "monotonic", lambda: float("inf"))

    with learnable.budget(seconds=3600), learnable.watch(end_the_budget):
        model = getattr(linear_model, name)(tol=1e-14).fit(X, y)
    assert model.trace_.stopped == "budget" and model.trace_.iterations == 2


class LateRefusal:
    """A method whose second progress call runs out of time."""

    def start(self):
        return {"step": 0}

    def step(self, state):
        return {"step": state["step"] + 1}

    def progress(self, state):
        if state["step"] == 2:
            raise BudgetError("the time budget is used up")
        return Progress(objective=1.0, criterion=1.0, tolerance=0.0)


def test_progress_that_runs_out_of_time_leaves_the_state_before():
    trace = Trace(None)
    assert iterate(LateRefusal(), 10, trace) == {"step": 1}
    assert trace.stopped == "budget"
