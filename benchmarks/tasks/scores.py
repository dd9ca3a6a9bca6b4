"""Distances between rows, and scores of predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Kind, Near, Output, Quality, Task


def rows(n: int, m: int, p: int) -> Data:
    draws = np.random.default_rng(0)
    return {"first": draws.normal(size=(n, p)), "second": draws.normal(size=(m, p))}


def scored(n: int) -> Data:
    draws = np.random.default_rng(0)
    truth = draws.integers(0, 2, n)
    return {"first": truth, "second": np.clip(draws.normal(0.4, 0.15, n) + 0.2 * truth, 0.001, 0.999)}


def grouped(n: int, p: int, k: int) -> Data:
    draws = np.random.default_rng(0)
    labels = draws.integers(0, k, n)
    return {"first": draws.normal(size=(n, p)) + 2 * draws.normal(size=(k, p))[labels], "second": labels}


def call(name: str, where: str, kind: Kind = "peer", setup: str = "") -> Contender:
    """A function "module:name" of two arrays; `setup` is called first, untimed."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        function = attribute(where)
        return lambda: function(data["first"], data["second"])

    return Contender(name, prepare, lambda raw: {"value": raw}, needs=(package(setup or where),), kind=kind)


def implementations(name: str, home: str = "metrics") -> tuple[Contender, ...]:
    """Ours, scikit-learn's, and scikit-learn's after Intel's extension has patched it."""
    return (
        call("learnable", f"learnable.{home}:{name}", "ours"),
        call("scikit-learn", f"sklearn.{home}:{name}"),
        call("sklearnex", f"sklearn.{home}:{name}", setup="sklearnex:patch_sklearn"),
    )


def nearest_by_chunks(name: str, module: str, kind: Kind = "peer", setup: str = "") -> Contender:
    """The nearest row of the second array for each row of the first, never holding all distances."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        chunks = attribute(f"{module}:pairwise_distances_chunked")
        parts = {"reduce_func": lambda part, start: part.argmin(axis=1)}
        return lambda: np.concatenate(list(chunks(data["first"], data["second"], **parts)))

    return Contender(name, prepare, lambda raw: {"value": raw}, needs=(package(setup or module),), kind=kind)


def not_nearest(data: Data, output: Output) -> float:
    """How many of a few rows have another nearest row than by differences."""
    X, Y = data["first"][:20], data["second"]
    exact = np.array([((row - Y) ** 2).sum(axis=1).argmin() for row in X])
    return float(np.sum(output["value"][:20] != exact))


def distance_error(data: Data, output: Output) -> float:
    """The largest relative error of a few rows."""
    X, Y = data["first"], data["second"]
    exact = np.sqrt(((X[:20, None] - Y[None, :]) ** 2).sum(axis=2))
    return float(np.max(np.abs(output["value"][:20] - exact) / exact))


def area_error(data: Data, output: Output) -> float:
    """Distance from the area by ranks."""
    from scipy.stats import rankdata

    truth, scores = data["first"], data["second"]
    positives = int(truth.sum())
    exact = (rankdata(scores)[truth == 1].sum() - positives * (positives + 1) / 2) / (
        positives * (len(truth) - positives)
    )
    return float(abs(output["value"] - exact))


def log_loss_error(data: Data, output: Output) -> float:
    """Distance from the sum of logarithms, as it is written."""
    truth, forecast = data["first"], data["second"]
    return float(abs(output["value"] + np.log(np.where(truth == 1, forecast, 1 - forecast)).mean()))


def silhouette_error(data: Data, output: Output) -> float:
    """The silhouette itself; all contenders must agree."""
    return float(output["value"])


TASKS = (
    Task(
        name="pairwise",
        home=__name__,
        size="distances of {n} x {m} rows of {p}",
        make=rows,
        full={"n": 5000, "m": 5000, "p": 100},
        quick={"n": 300, "m": 300, "p": 20},
        contenders=(*implementations("pairwise_distances"), call("SciPy", "scipy.spatial.distance:cdist")),
        quality=Quality("largest relative error", distance_error, AtMost(1e-9)),
    ),
    Task(
        name="pairwise_chunked",
        home=__name__,
        size="nearest of {m} rows for {n} rows of {p}, by chunks of the default size",
        make=rows,
        full={"n": 20_000, "m": 20_000, "p": 50},
        quick={"n": 300, "m": 300, "p": 20},
        contenders=(
            nearest_by_chunks("learnable", "learnable.metrics", "ours"),
            nearest_by_chunks("scikit-learn", "sklearn.metrics"),
            nearest_by_chunks("sklearnex", "sklearn.metrics", setup="sklearnex:patch_sklearn"),
        ),
        quality=Quality("rows with another nearest", not_nearest, AtMost(0)),
    ),
    Task(
        name="roc_auc",
        home=__name__,
        size="area under the ROC curve of {n} scores",
        make=scored,
        full={"n": 10_000_000},
        quick={"n": 20_000},
        contenders=implementations("roc_auc_score"),
        quality=Quality("distance from the area by ranks", area_error, AtMost(1e-9)),
    ),
    Task(
        name="log_loss",
        home=__name__,
        size="log loss of {n} probabilities",
        make=scored,
        full={"n": 10_000_000},
        quick={"n": 20_000},
        contenders=implementations("log_loss"),
        quality=Quality("distance from the sum of logarithms", log_loss_error, AtMost(1e-9)),
    ),
    Task(
        name="silhouette",
        home=__name__,
        size="silhouette of {n} x {p}, {k} clusters",
        make=grouped,
        full={"n": 20_000, "p": 20, "k": 10},
        quick={"n": 600, "p": 5, "k": 3},
        contenders=implementations("silhouette_score"),
        quality=Quality("the score", silhouette_error, Near(1e-9)),
    ),
)
