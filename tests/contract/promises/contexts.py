"""A fit can be watched, stopped, limited in time, interrupted, and taken up again after a kill."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import learnable
from learnable.core import ConvergenceWarning
from learnable.core.declare import params
from tests.timing import SLOWER, Clock, shortest

from ..cases import digest, fit, fit_quietly, make, problem, speaks
from ..promise import promise

PATIENCE = 0.5 * SLOWER  # seconds until a fit gives way
BEGUN = 0.1  # seconds after which a fit is at work
LONG = (20_000, 150)


def endless(cls: type) -> dict[str, Any]:
    """Parameters under which an iterative fit does not end by itself."""
    declared, found = params.parameters(cls), {}
    if "max_iter" in declared:
        found["max_iter"] = 10**9
    if "tol" in declared:
        found["tol"] = 0.0 if declared["tol"].metadata["rule"].holds(0.0) else 1e-300
    return found


@promise(of_any_input=True)
def watchers_see_every_iteration(cls: type) -> None:
    events = []
    model = make(cls)
    with learnable.watch(events.append):
        fit_quietly(model, *problem(cls))
    own = [event for event in events if event.estimator is model]
    assert own, "no watcher was called"
    assert [event.iteration for event in own] == list(range(1, model.trace_.iterations + 1))
    assert all(np.isfinite(event.objective) and event.seconds >= 0 for event in own)
    assert [event.objective for event in own] == model.trace_["objective"].tolist()


@promise()
def watchers_can_stop(cls: type) -> None:
    X, y = problem(cls)
    whole = fit_quietly(make(cls), X, y)
    if whole.trace_.iterations < 3 or whole.trace_.stopped == "exact":
        return
    model = make(cls)
    with learnable.watch(lambda event: event.estimator is model), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert model.trace_.stopped == "interrupted", model.trace_
    assert model.trace_.iterations < whole.trace_.iterations
    assert any(issubclass(warning.category, ConvergenceWarning) for warning in caught), "no warning was issued"


@promise()
def a_fit_stopped_early_claims_nothing(cls: type) -> None:
    X, y = problem(cls)
    whole = fit_quietly(make(cls), X, y)
    for moment in (1, whole.trace_.iterations // 2, whole.trace_.iterations - 1):
        model = make(cls)
        with learnable.watch(lambda event, m=model, at=moment: event.estimator is m and event.iteration >= at):
            fit_quietly(model, X, y)
        claims_nothing_early(model)


def claims_nothing_early(model: Any) -> None:
    if model.trace_.stopped in ("interrupted", "budget"):
        assert not model.certificate_.holds, f"stopped early ({model.trace_.stopped}), and yet: {model.certificate_}"


@promise()
def interrupts_are_obeyed(cls: type) -> None:
    X, y = problem(cls, *LONG)
    waited = shortest(lambda: seconds_until_interrupted(cls, X, y), PATIENCE)
    assert waited <= PATIENCE, f"came back {waited:.2f} s after the interrupt"


def seconds_until_interrupted(cls: type, X: Any, y: Any) -> float:
    """How long a fit goes on after an interrupt; zero if it ends by itself before."""
    model = make(cls, **endless(cls))
    sent: list[Clock] = []
    over = threading.Event()

    def interrupt() -> None:
        while not over.is_set():  # one that is lost makes a failure, not a fit without an end
            sent.append(Clock())
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            over.wait(10 * PATIENCE)

    gc.disable()  # Python drops an interrupt that falls into what others do after collecting garbage
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(BEGUN, interrupt)
    before = vars(model).copy()
    waited = 0.0
    try:
        timer.start()
        fit_quietly(model, X, y)
        over.set()
        timer.cancel()
        timer.join()
        time.sleep(0.01 if sent else 0)  # an interrupt that came too late arrives here
    except KeyboardInterrupt:
        over.set()
        waited = sent[0].seconds()
        assert model.__dict__.keys() in (before.keys(), vars(fit_quietly(make(cls), *problem(cls))).keys())
    finally:
        signal.signal(signal.SIGINT, handler)
        gc.enable()
    again = fit_quietly(model.set_params(**{name: getattr(make(cls), name) for name in endless(cls)}), *problem(cls))
    assert digest(again) == digest(fit_quietly(make(cls), *problem(cls))), "the estimator is not usable afterwards"
    return waited


@promise()
def budgets_are_obeyed(cls: type) -> None:
    X, y = problem(cls, *LONG)
    seconds = shortest(lambda: seconds_of_a_budget(cls, X, y), BEGUN + PATIENCE)
    assert seconds <= BEGUN + PATIENCE, f"took {seconds:.2f} s of {BEGUN} s"


def seconds_of_a_budget(cls: type, X: Any, y: Any) -> float:
    """How long a fit takes that may take as long as BEGUN says."""
    model, clock = make(cls, **endless(cls)), Clock()
    try:
        with learnable.budget(seconds=BEGUN):
            fit_quietly(model, X, y)
        assert np.isfinite(model.trace_["objective"]).all() or model.trace_.stopped != "budget"
        claims_nothing_early(model)
    except learnable.BudgetError as error:
        assert speaks(cls, str(error)) and "give it more" in str(error), f"an unclear message: {error}"
        assert set(vars(model)) == set(params.parameters(cls)), "half a model was left"
    return clock.seconds()


@promise(of_any_input=True)
def an_empty_budget_is_an_error(cls: type) -> None:
    X, y = problem(cls)
    with learnable.budget(seconds=1e-9):
        time.sleep(1e-6)
        try:
            fit(make(cls), X, y)
        except learnable.BudgetError as error:
            assert speaks(cls, str(error))
            return
    raise AssertionError("a fit ran without a budget")


@promise()
def killed_fits_go_on_with_the_same_bits(cls: type) -> None:
    X, y = problem(cls, columns=8)
    whole = fit_quietly(make(cls), X, y)
    if whole.trace_.iterations < 3 or whole.trace_.stopped == "exact":
        return
    half = whole.trace_.iterations // 2 + 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fit.checkpoint"
        killed_in_a_child(cls, X, y, path, half)
        assert path.exists(), "nothing was kept"
        seen = []
        model = make(cls)
        with learnable.checkpoint(path), learnable.watch(lambda event: seen.append(event.estimator is model) and False):
            fit_quietly(model, X, y)
    assert digest(model) == digest(whole), "going on after a kill gives other bits"
    assert model.trace_["objective"].tobytes() == whole.trace_["objective"].tobytes()
    assert sum(seen) < whole.trace_.iterations, "the fit started again"


def killed_in_a_child(cls: type, X: Any, y: Any, path: Path, iteration: int) -> None:
    """Fit in a forked process that kills itself, without any chance to tidy up, at the given iteration."""

    def die(event: Any) -> None:
        if event.iteration == iteration and type(event.estimator) is cls:
            os.kill(os.getpid(), signal.SIGKILL)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons warn of a fork beside threads
        child = os.fork()
    if child == 0:
        try:
            with learnable.checkpoint(path, every=0), learnable.watch(die):
                fit_quietly(make(cls), X, y)
        finally:
            os._exit(1)
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.WIFSIGNALED(status), "the fit ended before it was killed"
            return
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the forked fit hangs")
