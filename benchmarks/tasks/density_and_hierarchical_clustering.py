"""Groups by merging, by density and by the spectrum of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task

OURS, THEIRS = "learnable.cluster:", "sklearn.cluster:"


def heaps(n: int, p: int, groups: int, spread: float, noise_share: float = 0.1) -> Data:
    """Heaps of points about centres, and noise everywhere."""
    draws = np.random.default_rng(0)
    centres = draws.uniform(-10, 10, (groups, p))
    X = centres[draws.integers(groups, size=n)] + spread * draws.standard_normal((n, p))
    noise = draws.random(n) < noise_share
    X[noise] = draws.uniform(-10, 10, (int(noise.sum()), p))
    return {"X": X}


def square(n: int, p: int) -> Data:
    """Points all over a square, so thin that many are noise."""
    return {"X": np.random.default_rng(0).uniform(0, 10 * np.sqrt(n / 1e6), (n, p))}


def merging(name: str, where: str, method: str, kind: Kind = "peer") -> Contender:
    """A function of rows and a method that returns SciPy's table of merges."""

    def prepare(data: Data) -> Callable[[], Any]:
        link = attribute(where)
        return lambda: link(data["X"], method)

    return Contender(name, prepare, lambda raw: {"heights": raw[:, 2]}, needs=(package(where),), kind=kind)


def labelling(name: str, where: str, kind: Kind = "peer", **parameters: Any) -> Contender:
    """An estimator whose labels count."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(**parameters).fit(data["X"])

    return Contender(name, prepare, lambda raw: {"labels": raw.labels_}, needs=(package(where),), kind=kind)


def dense_package(eps: float, min_samples: int) -> Contender:
    """The package dbscan, of cells."""

    def prepare(data: Data) -> Callable[[], Any]:
        find = attribute("dbscan:DBSCAN")
        return lambda: find(data["X"], eps, min_samples)

    return Contender("dbscan", prepare, lambda raw: {"labels": raw[0]}, needs=("dbscan",))


def sum_of_heights(data: Data, output: Output) -> float:
    """The sum of the merge heights: an exact method cannot have a smaller one."""
    return float(np.sum(output["heights"]))


def groups_and_noise(data: Data, output: Output) -> float:
    """Groups, and the share of rows that are noise: both are exact."""
    labels = np.asarray(output["labels"])
    return float(labels.max() + 1 + (labels == -1).mean())


def explained(data: Data, output: Output) -> float:
    """The share of the squared distances from the mean that the groups explain."""
    X, labels = data["X"], np.asarray(output["labels"])
    inside = sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels))
    return float(1 - inside / ((X - X.mean(axis=0)) ** 2).sum())


def links(method: str) -> Task:
    """A task of merging by a method."""
    lean = () if method == "average" else (merging("fastcluster, lean", "fastcluster:linkage_vector", method),)
    return Task(
        name=f"linkage_{method}",
        home=__name__,
        size="{n} x {p}, " + method,
        make=heaps,
        contenders=(
            merging("learnable", f"{OURS}linkage", method, "ours"),
            merging("SciPy", "scipy.cluster.hierarchy:linkage", method),
            merging("fastcluster", "fastcluster:linkage", method),
            *lean,
        ),
        quality=Quality("sum of heights", sum_of_heights, Near(1e-7)),
        full={"n": 10_000, "p": 10, "groups": 20, "spread": 1.0},
        quick={"n": 200, "p": 3, "groups": 4, "spread": 1.0},
    )


def dense(name: str, make: Callable[..., Data], eps: float, full: dict[str, Any], quick: dict[str, Any]) -> Task:
    """A task of dense positions."""
    options = {"eps": eps, "min_samples": 10}
    return Task(
        name=name,
        home=__name__,
        size="{n} x {p}, eps " + str(eps),
        make=make,
        contenders=(
            labelling("learnable", f"{OURS}DBSCAN", "ours", **options),
            labelling("scikit-learn", f"{THEIRS}DBSCAN", n_jobs=2, **options),
            dense_package(eps, 10),
        ),
        quality=Quality("groups + noise", groups_and_noise, Near(1e-12)),
        full=full,
        quick=quick,
    )


def spectral() -> Task:
    """A task of groups of a graph whose edges all have weight."""
    options = {"n_clusters": 10, "gamma": 0.0016, "random_state": 0}
    return Task(
        name="spectral_clustering",
        home=__name__,
        size="{n} x {p}, 10 groups, full graph",
        make=heaps,
        contenders=(
            labelling("learnable", f"{OURS}SpectralClustering", "ours", **options),
            labelling("scikit-learn", f"{THEIRS}SpectralClustering", **options),
            labelling("scikit-learn, lobpcg", f"{THEIRS}SpectralClustering", eigen_solver="lobpcg", **options),
        ),
        quality=Quality("share explained", explained, Near(1e-3, higher_is_better=True)),
        full={"n": 5000, "p": 20, "groups": 10, "spread": 4.0, "noise_share": 0.0},
        quick={"n": 300, "p": 20, "groups": 10, "spread": 4.0, "noise_share": 0.0},
    )


TASKS = (
    spectral(),
    links("single"),
    links("ward"),
    links("average"),
    dense("dbscan_plane", square, 0.02, {"n": 1_000_000, "p": 2}, {"n": 2000, "p": 2}),
    dense(
        "dbscan_columns",
        heaps,
        1.8,
        {"n": 100_000, "p": 10, "groups": 30, "spread": 0.8},
        {"n": 1000, "p": 4, "groups": 3, "spread": 0.8},
    ),
)
