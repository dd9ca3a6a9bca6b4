"""k-means and its relatives, evaluated by the sum of distances to the centroids."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def blobs(n: int, p: int, k: int, spread: float, steps: int, tol: float = 0.0, batch: int = 0) -> Data:
    """Rows of k groups that overlap the more, the wider they are, and rows to begin with."""
    rng = np.random.default_rng(0)
    middles = rng.uniform(-10, 10, (k, p))
    X = (middles[rng.integers(k, size=n)] + spread * rng.normal(size=(n, p))).astype(np.float32)
    begin = X[rng.choice(n, k, replace=False)].copy()
    return {"X": X, "k": k, "middles": middles, "begin": begin, "steps": steps, "tol": tol, "batch": batch}


def categories(n: int, p: int, k: int) -> Data:
    """Rows of categories about k modes."""
    rng = np.random.default_rng(0)
    modes = rng.integers(0, 6, (k, p))
    X = np.where(rng.random((n, p)) < 0.6, modes[rng.integers(k, size=n)], rng.integers(0, 6, (n, p)))
    return {"X": X.astype(np.float64), "k": k}


def dissimilarities(n: int, p: int, k: int) -> Data:
    """Distances of rows to each other."""
    from sklearn.metrics import pairwise_distances

    X = np.random.default_rng(0).normal(size=(n, p))
    return {"X": X, "D": pairwise_distances(X), "k": k}


def quietly(call: Callable[[], Any]) -> Callable[[], Any]:
    """The call without warnings that few steps do not converge."""

    def silent() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()

    return silent


def lloyd(name: str, where: str, kind: Kind = "peer", **options: Any) -> Contender:
    """A class with scikit-learn's parameters, from given centres."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        given = {
            "init": data["begin"],
            "n_init": 1,
            "max_iter": int(data["steps"]),
            "tol": float(data["tol"]),
            **options,
        }
        return quietly(lambda: make(int(data["k"]), **given).fit(data["X"]))

    return Contender(name, prepare, centres_of, needs=(package(where),), kind=kind)


def faiss(data: Data) -> Callable[[], Any]:
    """k-means of faiss, without its sampling of rows."""
    import faiss as library

    X, k = np.ascontiguousarray(data["X"]), int(data["k"])

    def call() -> Any:
        made = library.Kmeans(
            X.shape[1], k, niter=int(data["steps"]), max_points_per_centroid=len(X), min_points_per_centroid=1
        )
        made.train(X, init_centroids=data["begin"])
        return made

    return call


def subclusters(name: str, where: str, kind: Kind = "peer") -> Contender:
    """BIRCH without a final clustering."""

    def prepare(data: Data) -> Callable[[], Any]:
        model = attribute(where)(threshold=1.0, n_clusters=None, compute_labels=False)
        return lambda: model.fit(data["X"])

    def output(model: Any) -> Output:
        return {"centres": model.subcluster_centers_}

    return Contender(name, prepare, output, needs=(package(where),), kind=kind)


def batches(name: str, where: str, kind: Kind = "peer") -> Contender:
    """One pass in small batches, begun in the middles of the groups, so that luck has no part in what it finds."""

    def prepare(data: Data) -> Callable[[], Any]:
        make, size = attribute(where), int(data["batch"])
        once = {"batch_size": size, "max_iter": 1, "max_no_improvement": None, "n_init": 1}
        return lambda: make(int(data["k"]), init=data["middles"], random_state=0, **once).fit(data["X"])

    return Contender(name, prepare, centres_of, needs=(package(where),), kind=kind)


def centres_of(model: Any) -> Output:
    return {"centres": model.cluster_centers_}


def sum_of_squares(data: Data, output: Output) -> float:
    """Squared distances of all rows to the nearest centre, in double precision, some rows at a time."""
    centres, total = np.asarray(output["centres"], dtype=np.float64), 0.0
    for begin in range(0, len(data["X"]), 20_000):
        rows = np.asarray(data["X"][begin : begin + 20_000], dtype=np.float64)
        square = (rows**2).sum(axis=1)[:, None] - 2 * rows @ centres.T + (centres**2).sum(axis=1)
        total += float(square.min(axis=1).sum())
    return total


def medoids(name: str, prepare: Callable[[Data], Callable[[], Any]], needs: str, kind: Kind = "peer") -> Contender:
    return Contender(name, prepare, lambda found: {"medoids": np.asarray(found)}, needs=(needs,), kind=kind)


def our_medoids(data: Data) -> Callable[[], Any]:
    from learnable.cluster import KMedoids

    k = int(data["k"])
    return lambda: KMedoids(k, metric="precomputed", init="random", random_state=0).fit(data["D"]).medoid_indices_


def their_medoids(data: Data) -> Callable[[], Any]:
    import kmedoids

    k = int(data["k"])
    return lambda: kmedoids.fasterpam(data["D"], k, random_state=0).medoids


def medoid_sum(data: Data, output: Output) -> float:
    return float(data["D"][:, output["medoids"]].min(axis=1).sum())


def our_shares(data: Data) -> Callable[[], Any]:
    from learnable.cluster import FuzzyCMeans

    k, options = int(data["k"]), {"tol": 0.0, "max_iter": int(data["steps"]), "init": data["begin"]}
    return quietly(lambda: FuzzyCMeans(k, **options).fit(data["X"]).cluster_centers_)


def their_shares(data: Data) -> Callable[[], Any]:
    import skfuzzy

    begin, X = np.asarray(data["begin"], dtype=np.float64), np.asarray(data["X"], dtype=np.float64)
    square = ((X[:, None] - begin) ** 2).sum(axis=2) + 1e-12
    shares = (1 / square / (1 / square).sum(axis=1, keepdims=True)).T
    k, steps = int(data["k"]), int(data["steps"])
    return lambda: skfuzzy.cmeans(X.T, k, 2.0, error=0.0, maxiter=steps, init=shares)[0]


def shared_sum(data: Data, output: Output) -> float:
    """sum of squares over shares: what fuzzy c-means with m = 2 minimises, with the best shares for the centres."""
    centres = np.asarray(output["centres"], dtype=np.float64)
    square = ((np.asarray(data["X"], dtype=np.float64)[:, None] - centres) ** 2).sum(axis=2)
    return float((1 / (1 / np.maximum(square, 1e-300)).sum(axis=1)).sum())


def our_modes(data: Data) -> Callable[[], Any]:
    from learnable.cluster import KModes

    k = int(data["k"])
    return lambda: KModes(k, random_state=0, n_init=3).fit(data["X"]).cluster_centers_


def their_modes(data: Data) -> Callable[[], Any]:
    from kmodes.kmodes import KModes

    k = int(data["k"])
    return lambda: KModes(k, init="Huang", n_init=3, random_state=0).fit(data["X"]).cluster_centroids_


def mismatch_sum(data: Data, output: Output) -> float:
    X, modes = np.asarray(data["X"]), np.asarray(output["modes"], dtype=np.float64)
    return float(np.min([(mode != X).sum(axis=1) for mode in modes], axis=0).sum())


LEFT = Quality("sum of squares", sum_of_squares, Near(1e-3))
KMEANS = (
    lloyd("learnable", "learnable.cluster:KMeans", "ours"),
    lloyd("scikit-learn", "sklearn.cluster:KMeans"),
    lloyd("scikit-learn elkan", "sklearn.cluster:KMeans", algorithm="elkan"),
    lloyd("sklearnex", "sklearnex.cluster:KMeans"),
    Contender("faiss", faiss, lambda made: {"centres": made.centroids}, needs=("faiss",)),
)
QUICK = {"n": 400, "p": 3, "k": 4, "spread": 1.0}

TASKS = (
    Task("kmeans-k100", __name__, "k-means, {n} x {p}, k = {k}, {steps} steps", blobs,
         {"n": 1_000_000, "p": 16, "k": 100, "spread": 3.0, "steps": 20}, {**QUICK, "steps": 3}, KMEANS, LEFT),
    Task("kmeans-k1000", __name__, "k-means, {n} x {p}, k = {k}, {steps} steps", blobs,
         {"n": 100_000, "p": 64, "k": 1000, "spread": 6.0, "steps": 20}, {**QUICK, "steps": 3}, KMEANS, LEFT),
    Task("kmeans-convergence", __name__, "k-means, {n} x {p}, k = {k}, to convergence", blobs,
         {"n": 100_000, "p": 16, "k": 100, "spread": 1.5, "steps": 300}, {**QUICK, "steps": 50}, KMEANS[:4], LEFT),
    Task("kmeans-mini-batch", __name__, "mini-batch k-means, {n} x {p}, k = {k}, batches of {batch}, one pass", blobs,
         {"n": 1_000_000, "p": 16, "k": 100, "spread": 3.0, "steps": 1, "batch": 1024},
         {**QUICK, "steps": 1, "batch": 50},
         (batches("learnable", "learnable.cluster:MiniBatchKMeans", "ours"),
          batches("scikit-learn", "sklearn.cluster:MiniBatchKMeans")),
         Quality("sum of squares", sum_of_squares, Near(0.03))),
    Task("birch", __name__, "BIRCH subclusters, {n} x {p}, k = {k}", blobs,
         {"n": 100_000, "p": 8, "k": 50, "spread": 0.5, "steps": 1}, {**QUICK, "steps": 1},
         (subclusters("learnable", "learnable.cluster:Birch", "ours"),
          subclusters("scikit-learn", "sklearn.cluster:Birch")),
         Quality("sum of squares", sum_of_squares, Near(0.01))),
    Task("kmedoids", __name__, "k-medoids of {n} dissimilarities, k = {k}", dissimilarities,
         {"n": 5000, "p": 8, "k": 50}, {"n": 60, "p": 2, "k": 3},
         (medoids("learnable", our_medoids, "learnable", "ours"), medoids("kmedoids", their_medoids, "kmedoids")),
         Quality("sum of dissimilarities", medoid_sum, Near(0.01))),
    Task("fuzzy-c-means", __name__, "fuzzy c-means, {n} x {p}, k = {k}, {steps} steps", blobs,
         {"n": 100_000, "p": 16, "k": 10, "spread": 3.0, "steps": 30}, {**QUICK, "steps": 5},
         (Contender("learnable", our_shares, lambda found: {"centres": found}, needs=("learnable",), kind="ours"),
          Contender("scikit-fuzzy", their_shares, lambda found: {"centres": found}, needs=("skfuzzy",))),
         Quality("shared sum of squares", shared_sum, Near(1e-3))),
    Task("kmodes", __name__, "k-modes, {n} x {p} categories, k = {k}", categories,
         {"n": 10_000, "p": 10, "k": 8}, {"n": 100, "p": 4, "k": 3},
         (Contender("learnable", our_modes, lambda found: {"modes": found}, needs=("learnable",), kind="ours"),
          Contender("kmodes", their_modes, lambda found: {"modes": found}, needs=("kmodes",))),
         Quality("differences", mismatch_sum, Near(0.1))),
)  # fmt: skip
