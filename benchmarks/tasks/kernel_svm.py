"""Support vector machines with a Gaussian kernel: one fit, a grid with folds, predictions of many rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def nonlinear_classes(n: int, p: int, m: int = 0) -> Data:
    """Two classes with a nonlinear boundary and noise; the last `m` rows are for prediction."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n + m, p))
    score = X[:, : p // 2] @ draws.standard_normal(p // 2) + X[:, 0] * X[:, 1] + X[:, 2] ** 2
    y = (score + draws.standard_normal(n + m) > np.median(score)).astype(int)
    return {"X": X[:n], "y": y[:n], "new": X[n:]}


def read_machine(model: Any) -> Output:
    """Coefficients and vectors of a fitted machine."""
    return {"coef": np.asarray(model.dual_coef_)[0], "vectors": np.asarray(model.support_vectors_)}


def dual_objective(data: Data, output: Output) -> float:
    """The dual objective, computed in double precision for every output."""
    X = data["X"]
    vectors, coef = output["vectors"].astype(np.float64), output["coef"].astype(np.float64)
    gamma, squares, total = 1 / (X.shape[1] * X.var()), (vectors**2).sum(axis=1), 0.0
    for i in range(0, len(coef), 1000):
        part = slice(i, i + 1000)
        distances = squares[part, None] + squares - 2 * vectors[part] @ vectors.T
        total += float(coef[part] @ np.exp(-gamma * distances) @ coef)
    return float(np.abs(coef).sum() - total / 2)


def machine(name: str, where: str, kind: Kind = "peer", setup: str = "", **parameters: Any) -> Contender:
    """A class "module:Name"; making and fitting it is timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        make = attribute(where)
        return lambda: make(**parameters).fit(data["X"], data["y"])

    return Contender(name, prepare, read_machine, needs=(package(setup or where),), kind=kind)


GRID = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0], "gamma": [0.001, 0.003, 0.01, 0.03, 0.1]}


def grid(name: str, search: str, where: str, kind: Kind = "peer", setup: str = "") -> Contender:
    """Five values of C and five of gamma on five folds, with two workers."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        find, make = attribute(f"{search}:GridSearchCV"), attribute(where)
        return lambda: find(make(), GRID, cv=5, n_jobs=2).fit(data["X"], data["y"])

    def read(raw: Any) -> Output:
        return {"scores": raw.cv_results_["mean_test_score"]}

    return Contender(name, prepare, read, needs=(package(setup or where),), kind=kind)


def prediction(name: str, where: str, kind: Kind = "peer", setup: str = "") -> Contender:
    """Decision values of new rows; the fit is not timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        fitted = attribute(where)(gamma=0.05, C=1.0).fit(data["X"], data["y"])
        return lambda: fitted.decision_function(data["new"])

    return Contender(name, prepare, lambda raw: {"values": raw}, needs=(package(setup or where),), kind=kind)


def mean_score(data: Data, output: Output) -> float:
    """The mean score over the grid."""
    return float(np.mean(output["scores"]))


def mean_size(data: Data, output: Output) -> float:
    """The mean size of the decision values."""
    return float(np.mean(np.abs(output["values"])))


OURS, THEIRS, PATCH = "learnable.svm:SVC", "sklearn.svm:SVC", "sklearnex:patch_sklearn"
MACHINES = (
    machine("learnable", OURS, "ours"),
    machine("scikit-learn", THEIRS),
    machine("sklearnex", THEIRS, setup=PATCH),
)
AS_GOOD = Quality("dual objective", dual_objective, Near(1e-5, higher_is_better=True))

TASKS = (
    *(
        Task(
            name=f"svc_rbf_{n // 1000}k",
            home=__name__,
            size="SVC with a Gaussian kernel, {n} x {p}",
            make=nonlinear_classes,
            contenders=MACHINES,
            quality=AS_GOOD,
            full={"n": n, "p": 30},
            quick={"n": 500, "p": 6},
        )
        for n in (10_000, 20_000)
    ),
    Task(
        name="svc_grid",
        home=__name__,
        size="5 x 5 grid of C and gamma on 5 folds, {n} x {p}",
        make=nonlinear_classes,
        contenders=(
            grid("learnable", "learnable.model_selection", OURS, "ours"),
            grid("scikit-learn", "sklearn.model_selection", THEIRS),
            grid("sklearnex", "sklearn.model_selection", THEIRS, setup=PATCH),
        ),
        quality=Quality("mean score", mean_score, Near(2e-3, higher_is_better=True)),
        full={"n": 2000, "p": 20},
        quick={"n": 100, "p": 6},
    ),
    Task(
        name="svc_predict",
        home=__name__,
        size="decision values of {m} rows of {p} columns, machine of {n} rows",
        make=nonlinear_classes,
        contenders=(
            prediction("learnable", OURS, "ours"),
            prediction("scikit-learn", THEIRS),
            prediction("sklearnex", THEIRS, setup=PATCH),
        ),
        quality=Quality("mean size", mean_size, Near(1e-3, higher_is_better=True)),
        full={"n": 5000, "p": 30, "m": 100_000},
        quick={"n": 200, "p": 6, "m": 500},
    ),
)
