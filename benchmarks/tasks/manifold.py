"""Maps of rows: scaling, neighbour graphs, t-SNE and UMAP, and how faithful a map is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package, resolve
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def roll(n: int) -> Data:
    """Rows of a strip of paper that is rolled up, and how far along the strip they lie."""
    rng = np.random.default_rng(0)
    arc = 1.5 * np.pi * (1 + 2 * rng.random(n))
    X = np.column_stack([arc * np.cos(arc), 21 * rng.random(n), arc * np.sin(arc)])
    return {"X": X, "arc": arc}


def distances(n: int, p: int) -> Data:
    """Euclidean distances of rows with p columns of falling variance."""
    X = np.random.default_rng(0).standard_normal((n, p)) * 0.8 ** np.arange(p)
    lengths = (X**2).sum(axis=1)
    squares = lengths + lengths[:, None] - 2 * X @ X.T
    np.fill_diagonal(squares, 0)
    return {"X": np.sqrt(np.maximum(squares, 0))}


def strokes(n: int, p: int, classes: int) -> Data:
    """Rows near curves of several classes, as images of moving shapes are, and as many of other maps."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    along = rng.random((n, 3))
    waves = rng.standard_normal((classes, 9, p))
    basis = np.column_stack([along, along**2, np.sin(6 * along)])
    X = np.einsum("ij,ijp->ip", basis, waves[y]) + 2 * rng.standard_normal((classes, p))[y]
    X += 0.2 * rng.standard_normal((n, p))
    return {"X": X, "y": y, "map": X[:, :2] + rng.standard_normal((n, 2))}


def mapped(name: str, where: str, kind: Kind = "peer", **options: Any) -> Contender:
    """A class "module:Name" that is fitted to X, and its map."""

    def prepare(data: Data) -> Callable[[], Any]:
        make, given = attribute(where), resolve(options, data)

        def call() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # notes of peers on seeds and threads, and on coming defaults
                return make(**given).fit(data["X"])

        return call

    return Contender(name, prepare, read_map, needs=(package(where),), kind=kind)


def read_map(model: Any) -> Output:
    return {"map": np.asarray(getattr(model, "embedding_", model), dtype=np.float64)}


def both(name: str, **options: Any) -> tuple[Contender, ...]:
    """Our class of that name and scikit-learn's."""
    return (
        mapped("learnable", f"learnable.manifold:{name}", "ours", **options),
        mapped("scikit-learn", f"sklearn.manifold:{name}", **options),
    )


def scored(name: str, where: str, kind: Kind = "peer") -> Contender:
    """A function of the rows and their map."""

    def prepare(data: Data) -> Callable[[], Any]:
        measure = attribute(where)
        return lambda: measure(data["X"], data["map"], n_neighbors=12)

    return Contender(name, prepare, lambda value: {"value": value}, needs=(package(where),), kind=kind)


def along(data: Data, output: Output) -> float:
    """The part of the variance of the position along the strip that the map explains linearly."""
    terms = np.column_stack([output["map"], np.ones(len(data["arc"]))])
    rest = data["arc"] - terms @ np.linalg.lstsq(terms, data["arc"])[0]
    return float(1 - rest.var() / data["arc"].var())


def stress(data: Data, output: Output) -> float:
    """The sum of squared errors of the distances."""
    Y = output["map"]
    lengths = (Y**2).sum(axis=1)
    found = np.sqrt(np.maximum(lengths + lengths[:, None] - 2 * Y @ Y.T, 0))
    return float(((found - data["X"]) ** 2).sum() / 2)


def trust(data: Data, output: Output) -> float:
    """The trustworthiness of the map, by the definition."""
    X, Y, k = data["X"], output["map"], 12
    n, excess = len(X), 0
    for begin in range(0, n, 500):
        rows = np.arange(begin, min(begin + 500, n))
        far, near = (((Z[rows, None] - Z) ** 2).sum(axis=2) for Z in (X, Y))
        far[np.arange(len(rows)), rows] = near[np.arange(len(rows)), rows] = np.inf
        ranks = np.argsort(np.argsort(far, axis=1), axis=1) + 1
        neighbours = np.argpartition(near, k, axis=1)[:, :k]
        excess += int(np.maximum(np.take_along_axis(ranks, neighbours, axis=1) - k, 0).sum())
    return 1 - excess * 2 / (n * k * (2 * n - 3 * k - 1))


ALONG = Quality("variance explained along the strip", along, Near(1e-3, higher_is_better=True))
TRUST = Quality("trustworthiness", trust, Near(5e-3, higher_is_better=True))

TASKS = (
    Task(
        name="isomap",
        home=__name__,
        size="Swiss roll of {n} rows, 10 neighbours",
        make=roll,
        full={"n": 5000},
        quick={"n": 400},
        contenders=both("Isomap", n_neighbors=10, n_components=2),
        quality=ALONG,
    ),
    Task(
        name="classical-mds",
        home=__name__,
        size="{n} x {n} distances, 2 dimensions",
        make=distances,
        full={"n": 3000, "p": 20},
        quick={"n": 200, "p": 5},
        contenders=both("ClassicalMDS", n_components=2, metric="precomputed"),
        quality=Quality("squared errors of distances", stress, Near(1e-6)),
    ),
    Task(
        name="smacof",
        home=__name__,
        size="{n} x {n} distances, 2 dimensions, from classical scaling",
        make=distances,
        full={"n": 1500, "p": 20},
        quick={"n": 150, "p": 5},
        contenders=both(
            "MDS", n_components=2, metric="precomputed", n_init=1, init="classical_mds", normalized_stress=False
        ),
        quality=Quality("squared errors of distances", stress, Near(1e-3)),
    ),
    *(
        Task(
            name=f"lle-{method}",
            home=__name__,
            size="Swiss roll of {n} rows, 12 neighbours",
            make=roll,
            full={"n": 5000},
            quick={"n": 400},
            contenders=both("LocallyLinearEmbedding", n_neighbors=12, n_components=2, method=method, random_state=0),
            quality=ALONG,
        )
        for method in ("standard", "modified", "ltsa")
    ),
    Task(
        name="laplacian-eigenmaps",
        home=__name__,
        size="Swiss roll of {n} rows, 10 neighbours",
        make=roll,
        full={"n": 5000},
        quick={"n": 400},
        contenders=both("SpectralEmbedding", n_neighbors=10, n_components=2, random_state=0),
        quality=Quality("variance explained along the strip", along, Near(1e-2, higher_is_better=True)),
    ),
    Task(
        name="tsne",
        home=__name__,
        size="{n} x {p}, {classes} classes, Barnes-Hut",
        make=strokes,
        full={"n": 2500, "p": 50, "classes": 10},
        quick={"n": 200, "p": 5, "classes": 3},
        contenders=(
            *both("TSNE", random_state=0),
            mapped("openTSNE", "openTSNE:TSNE", random_state=0, negative_gradient_method="bh"),
            mapped("openTSNE FFT", "openTSNE:TSNE", random_state=0, negative_gradient_method="fft"),
        ),
        quality=TRUST,
    ),
    Task(
        name="umap",
        home=__name__,
        size="{n} x {p}, {classes} classes",
        make=strokes,
        full={"n": 2500, "p": 50, "classes": 10},
        quick={"n": 200, "p": 5, "classes": 3},
        contenders=(
            mapped("learnable", "learnable.manifold:UMAP", "ours", random_state=0),
            mapped("umap-learn", "umap:UMAP", random_state=0, n_jobs=1),
            mapped("umap-learn without a seed", "umap:UMAP"),
        ),
        quality=TRUST,
    ),
    Task(
        name="trustworthiness",
        home=__name__,
        size="{n} x {p}",
        make=strokes,
        full={"n": 5000, "p": 50, "classes": 10},
        quick={"n": 200, "p": 5, "classes": 3},
        contenders=(
            scored("learnable", "learnable.manifold:trustworthiness", "ours"),
            scored("scikit-learn", "sklearn.manifold:trustworthiness"),
        ),
        quality=Quality("trustworthiness", lambda data, output: float(output["value"]), Near(1e-9, True)),
    ),
)
