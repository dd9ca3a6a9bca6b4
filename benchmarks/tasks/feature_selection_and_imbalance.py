"""Columns by their information, and rows made for rare classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Kind, Near, Output, Quality, Task


def informative(n: int, p: int, classes: int) -> Data:
    draws = np.random.default_rng(0)
    X = draws.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] ** 2 + draws.normal(size=n)
    return {"X": X, "y": np.digitize(y, np.quantile(y, [0.3, 0.7])) if classes else y}


def uneven(n: int, p: int, rare: int) -> Data:
    draws = np.random.default_rng(0)
    y = draws.permutation((np.arange(n) < rare).astype(int))
    return {"X": draws.normal(size=(n, p)) + 0.5 * y[:, None], "y": y, "rare": rare}


def information(name: str, where: str, kind: Kind = "peer") -> Contender:
    """A function "module:name" of columns and a target, with two jobs where it knows them."""

    def prepare(data: Data) -> Callable[[], Any]:
        function = attribute(where)
        return lambda: function(data["X"], data["y"], random_state=0, n_jobs=2)

    return Contender(name, prepare, lambda raw: {"value": raw}, needs=(package(where),), kind=kind)


def sampler(name: str, where: str, kind: Kind = "peer", setup: str = "") -> Contender:
    """A class "module:name" that makes rows; `setup` is called first, untimed."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        cls = attribute(where)
        return lambda: cls(random_state=0).fit_resample(data["X"], data["y"])

    needs = (package(where), package(setup)) if setup else (package(where),)
    return Contender(name, prepare, lambda raw: {"X": raw[0], "y": raw[1]}, needs=needs, kind=kind)


def total(data: Data, output: Output) -> float:
    """The sum of the information of all columns: the same for all who take the same noise."""
    return float(np.sum(output["value"]))


def largest_detour(data: Data, output: Output) -> float:
    """How far, at most, a made row lies from the way between the rows that the seed chooses for it."""
    from sklearn.neighbors import NearestNeighbors

    rare = data["X"][data["y"] == 1]
    near = NearestNeighbors(n_neighbors=6).fit(rare).kneighbors(rare, return_distance=False)[:, 1:]
    made = output["X"][len(data["X"]) :]
    draws = np.random.RandomState(0)
    start, place = np.divmod(draws.randint(0, near.size, len(made)), near.shape[1])
    ways = rare[near[start, place]] - rare[start]
    return float(np.abs(made - rare[start] - draws.uniform(size=len(made))[:, None] * ways).max())


def mutual(name: str, classes: int) -> Task:
    function = "mutual_info_classif" if classes else "mutual_info_regression"
    return Task(
        name=name,
        home=__name__,
        size="mutual information of {n} x {p}" + (" with classes" if classes else " with numbers"),
        make=informative,
        full={"n": 100_000, "p": 50, "classes": classes},
        quick={"n": 2000, "p": 5, "classes": classes},
        contenders=(
            information("learnable", f"learnable.feature_selection:{function}", "ours"),
            information("scikit-learn", f"sklearn.feature_selection:{function}"),
        ),
        quality=Quality("sum over columns", total, Near(1e-6, higher_is_better=True)),
    )


TASKS = (
    mutual("mutual_info_classif", 1),
    mutual("mutual_info_regression", 0),
    Task(
        name="smote",
        home=__name__,
        size="{n} x {p}, rare class of {rare} made even",
        make=uneven,
        full={"n": 67_000, "p": 20, "rare": 12_000},
        quick={"n": 600, "p": 5, "rare": 80},
        contenders=(
            sampler("learnable", "learnable.imbalance:SMOTE", "ours"),
            sampler("imbalanced-learn", "imblearn.over_sampling:SMOTE"),
            sampler("imbalanced-learn, sklearnex", "imblearn.over_sampling:SMOTE", setup="sklearnex:patch_sklearn"),
        ),
        quality=Quality("largest distance from the chosen place", largest_detour, AtMost(1e-9)),
    ),
)
