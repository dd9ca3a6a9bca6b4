"""Labels of few rows spread over a graph of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Kind, Output, Quality, Task

GIVEN = {"gamma": 0.5}


def few_labels(n: int, p: int) -> Data:
    """Two overlapping normal classes, of which one row in fifty has a label."""
    draws = np.random.default_rng(0)
    truth = draws.integers(0, 2, n)
    X = draws.standard_normal((n, p)) + 2.0 * truth[:, None] / np.sqrt(p)
    W = np.exp(-GIVEN["gamma"] * np.maximum((X**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * X @ X.T, 0.0))
    np.fill_diagonal(W, 0.0)
    return {"X": X, "y": np.where(draws.random(n) < 0.02, truth, -1), "P": W / W.sum(axis=1, keepdims=True)}


def contender(name: str, where: str, kind: Kind = "peer", **given: Any) -> Contender:
    """A class "module:Name" that is made and fitted to the rows."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(**GIVEN, **given).fit(data["X"], data["y"])

    return Contender(name, prepare, lambda model: {"f": model.label_distributions_}, needs=(package(where),), kind=kind)


def residual(data: Data, output: Output) -> float:
    """The largest difference of an unlabelled row from the mean of its neighbours."""
    free = data["y"] < 0
    return float(np.abs(output["f"][free] - data["P"][free] @ output["f"]).max())


TASKS = (
    Task(
        name="label_propagation",
        home=__name__,
        size="label propagation of {n} x {p}, 2 % labelled",
        make=few_labels,
        full={"n": 2000, "p": 5},
        quick={"n": 300, "p": 3},
        contenders=(
            contender("learnable", "learnable.semi_supervised:LabelPropagation", "ours"),
            contender("scikit-learn", "sklearn.semi_supervised:LabelPropagation", max_iter=100_000, tol=1e-4),
        ),
        quality=Quality("residual", residual, AtMost(1e-5)),
    ),
)
