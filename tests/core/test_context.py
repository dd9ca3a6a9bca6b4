"""Tools given by `with`: watch, progress, budget, checkpoint; nested, stopping, and never leaking."""

from __future__ import annotations

import io
import mmap
import os
import pty
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import learnable
from learnable.core.runtime import memory
from learnable.core.runtime.context import current
from tests.toys import ToyDescent, ToyOuter, ToyRidge

X = np.random.default_rng(0).standard_normal((40, 8))
Y = X @ np.arange(8.0)


def quiet_fit(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        return model.fit(X, Y)


def test_a_watcher_sees_each_iteration_of_each_fit():
    events = []
    with learnable.watch(events.append):
        first, second = ToyDescent().fit(X, Y), ToyRidge().fit(X, Y)
    assert [event.iteration for event in events] == [*range(1, first.n_iter_ + 1), 1]
    assert {id(event.estimator) for event in events} == {id(first), id(second)}
    assert events[0].row["criterion"] == first.trace_["criterion"][0] and events[0].seconds >= 0


def test_watchers_nest_and_end_with_their_block():
    outer, inner = [], []
    with learnable.watch(outer.append):
        with learnable.watch(inner.append):
            ToyRidge().fit(X, Y)
        ToyRidge().fit(X, Y)
    ToyRidge().fit(X, Y)
    assert (len(outer), len(inner)) == (2, 1)
    assert current().watchers == ()


def test_a_watcher_leaves_with_an_error():
    with pytest.raises(ZeroDivisionError), learnable.watch(lambda event: 1 / 0):
        ToyRidge().fit(X, Y)
    assert current().watchers == ()


def test_a_callback_that_returns_true_stops_that_fit_only():
    with learnable.watch(lambda event: event.iteration == 2):
        first, second = quiet_fit(ToyDescent()), quiet_fit(ToyDescent())
    assert first.trace_.stopped == second.trace_.stopped == "interrupted"
    assert first.n_iter_ == second.n_iter_ == 2
    assert ToyDescent().fit(X, Y).trace_.stopped == "converged"


def test_stopping_an_inner_fit_lets_the_outer_one_end_well():
    with learnable.watch(lambda event: isinstance(event.estimator, ToyDescent)):
        model = quiet_fit(ToyOuter())
    assert model.inner_.trace_.stopped == "interrupted" and model.inner_.n_iter_ == 1
    assert np.isfinite(model.predict(X)).all()


def test_a_converged_fit_is_not_called_interrupted():
    whole = ToyDescent().fit(X, Y)
    with learnable.watch(lambda event: event.iteration == whole.n_iter_):
        assert ToyDescent().fit(X, Y).trace_.stopped == "converged"


def test_watchers_in_other_threads_do_not_hear():
    events, seen = [], threading.Event()

    def other() -> None:
        ToyRidge().fit(X, Y)
        seen.set()

    with learnable.watch(events.append):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen.is_set() and events == []


def test_a_budget_ends_a_fit_that_would_not_end():
    with learnable.budget(seconds=0.05):
        model = quiet_fit(ToyDescent(tol=0.0, max_iter=10**9))
    assert model.trace_.stopped == "budget"
    assert np.isfinite(model.predict(X)).all()


def test_the_tighter_of_two_budgets_holds():
    with learnable.budget(seconds=0.05), learnable.budget(seconds=1000):
        inner = current().deadline
        assert inner <= time.monotonic() + 0.05
    with learnable.budget(seconds=1000):
        wide = current().deadline
        with learnable.budget(memory=10**9):
            assert current().deadline == wide
    assert current().deadline == float("inf") and current().memory_limit == float("inf")


def test_a_used_up_budget_is_an_error():
    with learnable.budget(seconds=0.001):
        time.sleep(0.002)
        with pytest.raises(learnable.BudgetError, match="ToyRidge: the budget was used up before the fit began"):
            ToyRidge().fit(X, Y)


def test_a_memory_budget_stops_a_growing_fit():
    class Hoard:
        def __init__(self) -> None:
            self.kept = []

        def __call__(self, event):
            self.kept.append(np.ones(2_000_000))

    with learnable.budget(memory=100e6), learnable.watch(Hoard()):
        model = quiet_fit(ToyDescent(tol=0.0, max_iter=10**9))
    assert model.trace_.stopped == "budget" and model.n_iter_ < 100


@pytest.mark.parametrize(("name", "value"), [("seconds", 0), ("seconds", -1), ("memory", 0), ("seconds", float("nan"))])
def test_no_budget_at_all_is_refused(name, value):
    with pytest.raises(ValueError, match=f"budget: {name} must be above 0; got"), learnable.budget(**{name: value}):
        pass


def test_memory_in_use_is_measured():
    before = memory.resident_bytes()
    with mmap.mmap(-1, 80_000_000) as fresh:  # pages of its own: an array may get some that were in use before
        fresh.write(bytes([1]) * len(fresh))
        assert 60e6 < memory.resident_bytes() - before < 200e6


def test_progress_without_a_terminal_prints_plain_lines(capsys):
    with learnable.progress(every=0):
        model = ToyDescent().fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0].startswith("ToyDescent: iteration 1, objective ") and lines[0].endswith(" s")


def test_progress_does_not_flood(capsys):
    with learnable.progress(every=1000):
        ToyDescent().fit(X, Y)
        ToyDescent().fit(X, Y)
    assert len(capsys.readouterr().err.splitlines()) <= 1


def test_progress_shows_the_outer_fit_beside_the_inner_ones(capsys):
    with learnable.progress(every=1000):
        ToyOuter().fit(X, Y)
    named = [line.split(":")[0] for line in capsys.readouterr().err.splitlines()]
    assert sorted(named) == ["ToyDescent", "ToyOuter"]


def test_progress_leaves_out_steps_of_no_fit_in_particular(capsys):
    with learnable.progress(every=0):
        learnable.LassoCV(cv=2, alphas=3).fit(X, Y)
    assert {line.split(":")[0] for line in capsys.readouterr().err.splitlines()} == {"LassoCV"}


def test_progress_goes_to_the_present_standard_error(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with learnable.progress(every=0):
        ToyRidge().fit(X, Y)
    assert "ToyRidge: iteration 1" in stream.getvalue()


PROGRAM = """
import numpy as np, learnable
from tests.toys import ToyOuter
X = np.random.default_rng(0).standard_normal((40, 8))
with learnable.progress(every=0):
    ToyOuter().fit(X, X @ np.arange(8.0))
"""


def on_a_terminal(program: str) -> str:
    """What a program writes to standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", program], stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait(timeout=600) == 0, text.decode()
    return text.decode()


def test_progress_on_a_terminal_draws_a_bar_for_each_running_fit():
    text = on_a_terminal(PROGRAM)
    assert "ToyOuter" in text and "ToyDescent" in text and "\x1b[" in text and "objective" in text


SEARCH = """
import numpy as np, learnable
X = np.random.default_rng(0).standard_normal((40, 8))
with learnable.progress(every=0):
    learnable.lars_path(X, X[:, 0])
    for _ in range(12):
        learnable.Ridge().fit(X, X[:, 0])
    search = learnable.GridSearchCV(learnable.HuberRegressor(), {"epsilon": [1.1, 1.2, 1.3]}, cv=3)
    search.fit(X, X[:, 0] + np.sin(9 * X[:, 1]))
"""


def test_progress_on_a_terminal_keeps_few_lines_of_fits_that_are_over():
    last = on_a_terminal(SEARCH).split("\x1b[2K")[-1]
    assert last.count("Ridge") == 9 and last.count("GridSearchCV") == 1 and "HuberRegressor" not in last


def test_progress_on_a_terminal_without_rich_prints_plain_lines():
    text = on_a_terminal("import sys; sys.modules['rich'] = None\n" + PROGRAM)
    assert "ToyDescent: iteration 1, objective" in text and "\x1b[" not in text
