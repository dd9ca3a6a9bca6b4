"""Fits to scans that are watched, stopped, resumed, or held up."""

from __future__ import annotations

import time

import numpy as np
import pytest

import learnable
from learnable import GaussianMixture, KMeans, LogisticRegression, Ridge, scale
from learnable.engines import passes

from .data import classification, digest, regression

X, Y = classification(4000)
ROWS = scale.scan(X, target=Y, block_rows=300)
MODEL = LogisticRegression(tol=1e-7)


def test_a_killed_fit_resumes_with_the_same_bits(tmp_path):
    expected = digest(learnable.clone(MODEL).fit(ROWS))

    def stop(event):
        if event.iteration == 3:
            raise KeyboardInterrupt

    with learnable.checkpoint(tmp_path / "kept", every=0), learnable.watch(stop), pytest.raises(KeyboardInterrupt):
        learnable.clone(MODEL).fit(ROWS)
    seen = []
    with (
        learnable.checkpoint(tmp_path / "kept", every=0),
        learnable.watch(lambda event: seen.append(event.iteration)),
        learnable.threads(1),
    ):
        resumed = learnable.clone(MODEL).fit(ROWS)
    assert digest(resumed) == expected
    assert min(seen) == 3  # the step that was not kept is done again


def test_a_watcher_stops_a_fit_between_passes():
    stopping = learnable.watch(lambda event: event.iteration == 2)
    with stopping, pytest.warns(learnable.ConvergenceWarning, match="stopped by a watcher after 2 iterations"):
        model = KMeans(n_clusters=5, random_state=0, tol=0).fit(ROWS)
    assert model.trace_.stopped == "interrupted"
    assert model.trace_.iterations == 2


def test_a_budget_ends_a_pass():
    def slowly():
        for begin in range(0, len(X), 100):
            time.sleep(0.05)
            yield X[begin : begin + 100], Y[begin : begin + 100]

    began = time.monotonic()
    with learnable.budget(seconds=0.5), pytest.raises(learnable.BudgetError, match="GaussianMixture"):
        GaussianMixture(2).fit(scale.scan(slowly, block_rows=100))
    assert time.monotonic() - began < 5


def test_a_runner_may_do_tasks_in_any_order():
    class Backwards:
        workers = 3

        def run(self, work, tasks):
            yield from (work(task) for task in reversed(list(tasks)))

    expected = digest(Ridge().fit(scale.scan(*regression_scan(), block_rows=50)))
    with scale.on(Backwards()):
        assert digest(Ridge().fit(scale.scan(*regression_scan(), block_rows=50))) == expected


def regression_scan():
    return (lambda: iter([regression(3000)]),)


def test_sums_are_taken_along_the_tree():
    class Word(str):
        def __add__(self, other):
            return Word(f"({self}{other})")

    tree = passes.SummationTree()
    for leaf in (3, 0, 4, 2, 1):
        tree.add(passes.PartialSum(0, leaf, Word(leaf)))
    assert tree.total() == "(((01)(23))4)"
    assert passes.added({"a": 1}, {"a": 2, "b": 3}) == {"a": 3, "b": 3}
    assert passes.added((1, None, [np.ones(1)]), (2, 5, [np.ones(1)])) == (3, 5, [np.array([2.0])])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": object()}, "is not a Dask client"),
        ({"retries": -1}, "retries must be a whole number"),
        ({"no_worker_seconds": 0}, "no_worker_seconds must be above 0"),
    ],
)
def test_arguments_of_on_are_checked(arguments, message):
    with pytest.raises(learnable.ParameterError, match=message), scale.on(**arguments):
        pass
