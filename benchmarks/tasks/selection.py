"""Searches and cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.problems import dense
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task

LIBRARIES: tuple[tuple[str, str, str, Kind], ...] = (
    ("learnable", "learnable.model_selection", "learnable.linear_model:Ridge", "ours"),
    ("scikit-learn", "sklearn.model_selection", "sklearn.linear_model:Ridge", "peer"),
    ("scikit-learn-intelex", "sklearn.model_selection", "sklearnex.linear_model:Ridge", "peer"),
)
SEARCH: dict[str, Any] = {
    "full": {"n": 100_000, "p": 100, "alphas": 50},
    "quick": {"n": 2_000, "p": 10, "alphas": 5},
}
SMALL: dict[str, Any] = {"full": {"n": 200, "p": 5}, "quick": {"n": 100, "p": 3}}


def table(n: int, p: int, alphas: int) -> Data:
    """A noisy table, so that the best strength lies inside the grid."""
    return {**dense(n, p, noise=20.0), "alphas": np.geomspace(1e-2, 1e6, alphas)}


def search(name: str, module: str, where: str, kind: Kind) -> Contender:
    """A grid of values of alpha on five folds."""

    def prepare(data: Data) -> Callable[[], Any]:
        find, make = attribute(f"{module}:GridSearchCV"), attribute(where)
        return lambda: find(make(), {"alpha": data["alphas"].tolist()}, cv=5).fit(data["X"], data["y"])

    def read(raw: Any) -> Output:
        return {"scores": raw.cv_results_["mean_test_score"]}

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def twenty_folds(name: str, module: str, where: str, kind: Kind) -> Contender:
    """A small table on twenty folds, where the bookkeeping counts."""

    def prepare(data: Data) -> Callable[[], Any]:
        validate, make = attribute(f"{module}:cross_validate"), attribute(where)
        return lambda: validate(make(), data["X"], data["y"], cv=20, scoring="r2")

    def read(raw: Any) -> Output:
        return {"scores": raw["test_score"]}

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def mean_score(data: Data, output: Output) -> float:
    return float(np.mean(output["scores"]))


QUALITY = Quality("mean score of all candidates", mean_score, Near(1e-7, higher_is_better=True))

TASKS = (
    Task(
        name="grid_search_ridge",
        home=__name__,
        size="{n} x {p}, 5 folds, {alphas} values of alpha",
        make=table,
        contenders=tuple(search(*library) for library in LIBRARIES),
        quality=QUALITY,
        **SEARCH,
    ),
    Task(
        name="cross_validate_small",
        home=__name__,
        size="{n} x {p}, 20 folds",
        make=dense,
        contenders=tuple(twenty_folds(*library) for library in LIBRARIES),
        quality=QUALITY,
        calls=20,
        **SMALL,
    ),
)
