"""Neighbours of many and of few columns, every number of neighbours by cross-validation, densities by kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task

PATCH = "sklearnex:patch_sklearn"
OURS, THEIRS = "learnable.neighbors:", "sklearn.neighbors:"


def many_columns(n: int, p: int, m: int) -> Data:
    """Rows of noise in single precision, and as many questions as `m`."""
    draws = np.random.default_rng(0)
    return {
        "X": draws.standard_normal((n, p), dtype=np.float32),
        "Q": draws.standard_normal((m, p), dtype=np.float32),
        "k": 5,
    }


def few_columns(n: int, p: int, m: int) -> Data:
    """Points in space."""
    draws = np.random.default_rng(0)
    return {"X": draws.standard_normal((n, p)), "Q": draws.standard_normal((m, p)), "k": 10}


def classes(n: int, p: int) -> Data:
    """Two classes that overlap."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n, p))
    return {"X": X, "y": (X[:, :5].sum(axis=1) + 2 * draws.standard_normal(n) > 0).astype(int)}


def nearest(name: str, where: str, kind: Kind = "peer", setup: str = "", **parameters: Any) -> Contender:
    """Making the search and asking it are timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        make = attribute(where)
        return lambda: make(n_neighbors=data["k"], **parameters).fit(data["X"]).kneighbors(data["Q"])

    return Contender(name, prepare, lambda raw: {"distances": raw[0]}, needs=(package(setup or where),), kind=kind)


def every_k(name: str, search: str, where: str, kind: Kind = "peer", setup: str = "") -> Contender:
    """All numbers of neighbours from 1 to 30 on five folds."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        find, make = attribute(f"{search}:GridSearchCV"), attribute(where)
        grid = {"n_neighbors": list(range(1, 31))}
        return lambda: find(make(), grid, cv=5, refit=False).fit(data["X"], data["y"])

    def read(raw: Any) -> Output:
        return {"scores": raw.cv_results_["mean_test_score"]}

    return Contender(name, prepare, read, needs=(package(setup or where),), kind=kind)


def density(name: str, where: str, kind: Kind = "peer") -> Contender:
    """Densities right to one in ten thousand."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(bandwidth=0.2, rtol=1e-4).fit(data["X"]).score_samples(data["Q"])

    return Contender(name, prepare, lambda raw: {"logs": raw}, needs=(package(where),), kind=kind)


def mean_distance(data: Data, output: Output) -> float:
    """The mean distance of the neighbours: an exact search cannot have a larger one."""
    return float(np.mean(output["distances"], dtype=np.float64))


def best_score(data: Data, output: Output) -> float:
    """The best mean score."""
    return float(np.max(output["scores"]))


def mean_density(data: Data, output: Output) -> float:
    """The mean density."""
    return float(np.mean(np.exp(output["logs"])))


def searches(algorithm: str) -> tuple[Contender, ...]:
    """Ours by its own choice, the others by the algorithm that suits."""
    return (
        nearest("learnable", f"{OURS}NearestNeighbors", "ours"),
        nearest("scikit-learn", f"{THEIRS}NearestNeighbors", algorithm=algorithm, n_jobs=2),
        nearest("sklearnex", f"{THEIRS}NearestNeighbors", setup=PATCH, algorithm=algorithm),
    )


AS_NEAR = Quality("mean distance", mean_distance, Near(1e-5))

TASKS = (
    Task(
        name="knn_brute",
        home=__name__,
        size="5 neighbours of {m} rows among {n} x {p}, single precision",
        make=many_columns,
        contenders=searches("brute"),
        quality=AS_NEAR,
        full={"n": 60_000, "p": 784, "m": 5000},
        quick={"n": 500, "p": 40, "m": 50},
    ),
    Task(
        name="knn_lowdim",
        home=__name__,
        size="10 neighbours of {m} points among {n} x {p}",
        make=few_columns,
        contenders=searches("kd_tree"),
        quality=AS_NEAR,
        full={"n": 1_000_000, "p": 3, "m": 100_000},
        quick={"n": 2000, "p": 3, "m": 200},
    ),
    Task(
        name="knn_every_k",
        home=__name__,
        size="1 to 30 neighbours on 5 folds, {n} x {p}",
        make=classes,
        contenders=(
            every_k("learnable", "learnable.model_selection", f"{OURS}KNeighborsClassifier", "ours"),
            every_k("scikit-learn", "sklearn.model_selection", f"{THEIRS}KNeighborsClassifier"),
            every_k("sklearnex", "sklearn.model_selection", f"{THEIRS}KNeighborsClassifier", setup=PATCH),
        ),
        quality=Quality("best score", best_score, Near(1e-3, higher_is_better=True)),
        full={"n": 10_000, "p": 20},
        quick={"n": 200, "p": 5},
    ),
    Task(
        name="kde",
        home=__name__,
        size="Gaussian density of {n} points of {p} columns at {m}, to 1e-4",
        make=few_columns,
        contenders=(
            density("learnable", f"{OURS}KernelDensity", "ours"),
            density("scikit-learn", f"{THEIRS}KernelDensity"),
        ),
        quality=Quality("mean density", mean_density, Near(2e-4, higher_is_better=True)),
        full={"n": 100_000, "p": 2, "m": 10_000},
        quick={"n": 500, "p": 2, "m": 100},
    ),
)
