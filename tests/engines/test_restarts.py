"""Several runs, of which the best is kept, also where time ends between them or in the first step of one."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pytest

import learnable
from learnable.core import BudgetError, Trace
from learnable.core.runtime.native import kernels
from learnable.engines.iterate import Progress, State, best_run


@dataclass
class Falling:
    """Ends at `depth` in one step, or finds no time for it."""

    depth: float
    late: bool = False

    def start(self) -> State:
        return {"objective": 0.0}

    def step(self, state: State) -> State:
        if self.late:
            kernels.set_deadline(0.0)
            raise BudgetError("late")
        return {"objective": self.depth}

    def progress(self, state: State) -> Progress:
        return Progress(state["objective"], 0.0, 0.0)


def begun_late(*before):
    yield from before
    kernels.set_deadline(0.0)
    raise BudgetError("late")


@pytest.mark.parametrize("runs", [[Falling(-1.0), Falling(-2.0, late=True)], begun_late(Falling(-1.0))])
def test_a_finished_run_is_kept_and_has_time_for_its_result(runs):
    trace = Trace()
    try:
        assert best_run(runs, 5, trace).objective == -1.0
        assert trace.stopped == "budget"
        assert kernels.set_deadline(float("inf")) > time.monotonic()
    finally:
        kernels.set_deadline(float("inf"))


def test_without_any_run_there_is_no_result():
    try:
        with pytest.raises(BudgetError):
            best_run([Falling(-1.0, late=True)], 5, Trace())
    finally:
        kernels.set_deadline(float("inf"))


@pytest.mark.parametrize(
    "model",
    [learnable.KMeans(2), learnable.BisectingKMeans(3), learnable.FuzzyCMeans(2), learnable.BalancedKMeans(2),
     learnable.ConstrainedKMeans(2), learnable.KernelKMeans(2), learnable.KModes(2), learnable.GaussianMixture(2)],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_runs_without_end_start_one_by_one(model):
    X = np.random.default_rng(0).integers(0, 5, (20, 2)).astype(float)
    seen = []
    with (
        learnable.watch(lambda event: seen.append(event) or len(seen) >= 5),
        pytest.warns(learnable.ConvergenceWarning),
    ):
        model.set_params(n_init=2**62, random_state=0).fit(X)
    assert model.trace_.stopped == "interrupted"
