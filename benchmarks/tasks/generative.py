"""Discriminants and naive Bayes: class sums in one pass, and predictions of new rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def gaussian_classes(n: int, p: int, k: int, m: int) -> Data:
    """Overlapping Gaussian classes; the last `m` rows are for prediction."""
    draws = np.random.default_rng(0)
    y = draws.integers(0, k, n + m)
    X = draws.standard_normal((n + m, p)) + 0.3 * draws.standard_normal((k, p))[y]
    return {"X": X[:n], "y": y[:n], "new": X[n:], "truth": y[n:]}


def texts(n: int, p: int, words: int, k: int) -> Data:
    """Counts of words by row: few common words, many rare ones, each class with its own favourites."""
    from scipy import sparse

    draws = np.random.default_rng(0)
    y = draws.integers(0, k, n)
    popularity = 1 / (np.arange(p) + 20.0)
    columns = draws.choice(p, size=(n, words), p=popularity / popularity.sum())
    own = draws.random((n, words)) < 0.1
    columns = np.where(own, (columns * 7 + 13 * y[:, None]) % p, columns).ravel()
    rows = np.repeat(np.arange(n), words)
    X = sparse.coo_array((np.ones(n * words), (rows, columns)), shape=(n, p)).tocsr()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return {"X": X, "y": y, "new": X, "truth": y}


def classifier(name: str, where: str, kind: Kind = "peer", setup: str = "", **parameters: Any) -> Contender:
    """A class "module:Name": making it, fitting it and predicting the new rows is timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        if setup:
            attribute(setup)()
        make = attribute(where)
        return lambda: make(**parameters).fit(data["X"], data["y"]).predict(data["new"])

    return Contender(name, prepare, lambda raw: {"labels": raw}, needs=(package(setup or where),), kind=kind)


def implementations(home: str, name: str, solvers: tuple[str, ...] = ()) -> tuple[Contender, ...]:
    """Ours at its defaults; scikit-learn's and Intel's, with each of the solvers."""
    where, patch = f"sklearn.{home}:{name}", "sklearnex:patch_sklearn"
    peers = [
        classifier(f"{label} {solver}".strip(), where, setup=setup, **({"solver": solver} if solver else {}))
        for label, setup in (("scikit-learn", ""), ("sklearnex", patch))
        for solver in solvers or ("",)
    ]
    return (classifier("learnable", f"learnable.{home}:{name}", "ours"), *peers)


def accuracy(data: Data, output: Output) -> float:
    """The share of new rows whose class is found."""
    return float(np.mean(np.asarray(output["labels"]) == data["truth"]))


SAME = Quality("accuracy", accuracy, Near(1e-3, higher_is_better=True))
GAUSSIAN = {"full": {"n": 200_000, "p": 100, "k": 10, "m": 5000}, "quick": {"n": 2000, "p": 10, "k": 3, "m": 200}}

TASKS = (
    Task(
        name="lda",
        home=__name__,
        size="LDA of {n} x {p}, {k} classes, {m} new rows",
        make=gaussian_classes,
        contenders=implementations("discriminant_analysis", "LinearDiscriminantAnalysis", ("lsqr", "eigen", "svd")),
        quality=SAME,
        **GAUSSIAN,
    ),
    Task(
        name="qda",
        home=__name__,
        size="QDA of {n} x {p}, {k} classes, {m} new rows",
        make=gaussian_classes,
        contenders=implementations("discriminant_analysis", "QuadraticDiscriminantAnalysis", ("eigen", "svd")),
        quality=SAME,
        **GAUSSIAN,
    ),
    Task(
        name="gaussian_nb",
        home=__name__,
        size="Gaussian naive Bayes of {n} x {p}, {k} classes, {m} new rows",
        make=gaussian_classes,
        full={"n": 1_000_000, "p": 50, "k": 10, "m": 200_000},
        quick={"n": 2000, "p": 10, "k": 3, "m": 200},
        contenders=implementations("naive_bayes", "GaussianNB"),
        quality=SAME,
    ),
    Task(
        name="multinomial_nb",
        home=__name__,
        size="multinomial naive Bayes of {n} texts of {words} words out of {p}, {k} classes, all predicted",
        make=texts,
        full={"n": 200_000, "p": 50_000, "words": 80, "k": 20},
        quick={"n": 1000, "p": 500, "words": 20, "k": 4},
        contenders=implementations("naive_bayes", "MultinomialNB"),
        quality=SAME,
    ),
)
