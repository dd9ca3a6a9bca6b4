"""Nonnegative factors, sparse codes, topics and recommenders: the same number of iterations, or the same codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def nonnegative_table(n: int, p: int, k: int, density: float, steps: int) -> Data:
    """A nonnegative table, dense or sparse, and where iterations start."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    if density < 1:
        X: Any = sparse.random_array((n, p), density=density, rng=rng, format="csr")
    else:
        X = rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, p)) + rng.random((n, p))
    return {"X": X, "k": k, "steps": steps, "W": rng.random((n, k)), "H": rng.random((k, p))}


def factorised(name: str, where: str, kind: Kind = "peer", **options: Any) -> Contender:
    """An NMF class after a given number of iterations from given factors."""

    def prepare(data: Data) -> Callable[[], Any]:
        import warnings

        make = attribute(where)

        def call() -> Any:
            model = make(int(data["k"]), init="custom", tol=0, max_iter=int(data["steps"]), **options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that so few iterations do not converge
                model.fit_transform(data["X"], W=np.array(data["W"]), H=np.array(data["H"]))
            return model

        return call

    return Contender(
        name, prepare, lambda model: {"error": model.reconstruction_err_}, needs=(package(where),), kind=kind
    )


def signals(n: int, p: int, atoms: int, each: int) -> Data:
    """Signals and a dictionary of atoms of length one."""
    rng = np.random.default_rng(0)
    D = rng.standard_normal((atoms, p))
    return {"X": rng.standard_normal((n, p)), "D": D / np.linalg.norm(D, axis=1, keepdims=True), "each": each}


def encoded(name: str, where: str, kind: Kind = "peer") -> Contender:
    """A function that codes signals by orthogonal matching pursuit."""

    def prepare(data: Data) -> Callable[[], Any]:
        encode = attribute(where)
        return lambda: encode(data["X"], data["D"], algorithm="omp", n_nonzero_coefs=int(data["each"]))

    return Contender(name, prepare, lambda codes: {"codes": codes}, needs=(package(where),), kind=kind)


def squared_error(data: Data, output: Output) -> float:
    """The squared error of the codes."""
    return float(((data["X"] - np.asarray(output["codes"]) @ data["D"]) ** 2).sum())


def documents(n: int, p: int, k: int, words: int, steps: int) -> Data:
    """Counts of words of documents with few topics each."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(p, 0.05), k)
    rows = [rng.multinomial(words, rng.dirichlet(np.full(k, 0.1)) @ topics) for _ in range(n)]
    return {"X": sparse.csr_array(np.array(rows), dtype=np.float64), "k": k, "steps": steps}


def allocated(name: str, where: str, kind: Kind = "peer") -> Contender:
    """Latent Dirichlet allocation after some passes."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(int(data["k"]), max_iter=int(data["steps"]), random_state=0).fit(data["X"])

    return Contender(name, prepare, lambda model: {"bound": model.bound_}, needs=(package(where),), kind=kind)


TASKS = (
    Task(
        name="nmf",
        home=__name__,
        size="NMF of {n} x {p}, {k} components, {steps} iterations",
        make=nonnegative_table,
        full={"n": 5000, "p": 1000, "k": 30, "density": 1.0, "steps": 20},
        quick={"n": 200, "p": 50, "k": 3, "density": 1.0, "steps": 5},
        contenders=(
            factorised("learnable", "learnable.decomposition:NMF", "ours"),
            factorised("scikit-learn", "sklearn.decomposition:NMF"),
        ),
        quality=Quality("error", lambda data, output: float(output["error"]), Near(0.1)),  # ours ends with the best W
    ),
    Task(
        name="nmf-sparse",
        home=__name__,
        size="NMF of sparse {n} x {p}, {k} components, {steps} iterations",
        make=nonnegative_table,
        full={"n": 20_000, "p": 10_000, "k": 30, "density": 0.01, "steps": 20},
        quick={"n": 200, "p": 50, "k": 3, "density": 0.1, "steps": 5},
        contenders=(
            factorised("learnable", "learnable.decomposition:NMF", "ours"),
            factorised("scikit-learn", "sklearn.decomposition:NMF"),
        ),
        quality=Quality("error", lambda data, output: float(output["error"]), Near(0.1)),  # ours ends with the best W
    ),
    Task(
        name="matching-pursuit",
        home=__name__,
        size="matching pursuit of {n} signals, {atoms} atoms of length {p}, {each} each",
        make=signals,
        full={"n": 20_000, "p": 64, "atoms": 256, "each": 8},
        quick={"n": 100, "p": 16, "atoms": 32, "each": 3},
        contenders=(
            encoded("learnable", "learnable.decomposition:sparse_encode", "ours"),
            encoded("scikit-learn", "sklearn.decomposition:sparse_encode"),
        ),
        quality=Quality("squared error", squared_error, Near(1e-6, higher_is_better=False)),
    ),
    Task(
        name="topics",
        home=__name__,
        size="topics of {n} documents of {words} words out of {p}, {k} topics, {steps} passes",
        make=documents,
        full={"n": 3000, "p": 5000, "k": 20, "words": 150, "steps": 5},
        quick={"n": 50, "p": 60, "k": 3, "words": 40, "steps": 2},
        contenders=(
            allocated("learnable", "learnable.decomposition:LatentDirichletAllocation", "ours"),
            allocated("scikit-learn", "sklearn.decomposition:LatentDirichletAllocation"),
        ),
        quality=Quality("perplexity", lambda data, output: float(output["bound"]), Near(1e-4, higher_is_better=False)),
    ),
)
