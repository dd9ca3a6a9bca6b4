"""Linear support vector machines, and classifiers that learn a row at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import model, ours, sklearn
from benchmarks.problems import text_like
from benchmarks.task import Contender, Data, Near, Output, Quality, Task


def two_classes(n: int, p: int) -> dict[str, Any]:
    """Independent normal columns; the sign of a linear score with noise of half its spread."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    score = X @ rng.standard_normal(p) / np.sqrt(p) + 0.5 * rng.standard_normal(n)
    return {"X": X, "y": np.where(score > 0, 1, -1)}


def two_kinds_of_texts(n: int, p: int, words: int) -> dict[str, Any]:
    """A sparse table like a bag of words, by row, and a class that depends on some of the words."""
    data = text_like(n, p, words, 500)
    X = data["X"].tocsr()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return {"X": X, "y": np.where(data["y"] > np.median(data["y"]), 1, -1)}


def objective(power: int) -> Any:
    """|w|^2 / 2 + b^2 / 2 + the sum of the hinges to a power, for each row."""

    def measure(data: Data, output: Output) -> float:
        w, b = np.ravel(output["coef"]), float(np.ravel(output["intercept"])[0])
        short = np.maximum(0, 1 - data["y"] * (data["X"] @ w + b))
        return float((w @ w + b * b) / 2 + np.sum(short**power)) / len(data["y"])

    return measure


def accuracy(data: Data, output: Output) -> float:
    """The share of rows on the right side."""
    w, b = np.ravel(output["coef"]), float(np.ravel(output["intercept"])[0])
    return float(np.mean(data["y"] * (data["X"] @ w + b) > 0))


def machine(label: str, package: str, kind: Any = "peer", **options: Any) -> Contender:
    """LinearSVC of a package."""
    return model(label, f"{package}.svm:LinearSVC", kind=kind, **options)


TASKS = (
    Task(
        name="linear_svm_hinge",
        home=__name__,
        size="{n} x {p}, hinge",
        make=two_classes,
        full={"n": 100_000, "p": 100},
        quick={"n": 2_000, "p": 10},
        contenders=(
            machine("learnable", "learnable", "ours", loss="hinge"),
            machine("scikit-learn", "sklearn", loss="hinge", dual=True, random_state=0),
        ),
        quality=Quality("objective per row", objective(1), Near(1e-3)),
    ),
    Task(
        name="linear_svm_squared",
        home=__name__,
        size="{n} x {p}, squared hinge",
        make=two_classes,
        full={"n": 100_000, "p": 100},
        quick={"n": 2_000, "p": 10},
        contenders=(
            machine("learnable", "learnable", "ours"),
            machine("scikit-learn", "sklearn", dual=False),
        ),
        quality=Quality("objective per row", objective(2), Near(1e-4)),
    ),
    Task(
        name="linear_svm_sparse",
        home=__name__,
        size="{n} x {p}, {words} words a row, squared hinge",
        make=two_kinds_of_texts,
        full={"n": 20_000, "p": 100_000, "words": 80},
        quick={"n": 500, "p": 2_000, "words": 20},
        contenders=(
            machine("learnable", "learnable", "ours", random_state=0),
            machine("scikit-learn dual", "sklearn", dual=True, random_state=0),
            machine("scikit-learn primal", "sklearn", dual=False),
        ),
        quality=Quality("objective per row", objective(2), Near(1e-3)),
    ),
    Task(
        name="sgd_classifier",
        home=__name__,
        size="{n} x {p}, logistic loss, 5 epochs",
        make=two_classes,
        full={"n": 500_000, "p": 30},
        quick={"n": 5_000, "p": 10},
        contenders=(
            ours("SGDClassifier", loss="log_loss", max_iter=5, tol=None, random_state=0),
            sklearn("SGDClassifier", loss="log_loss", max_iter=5, tol=None, random_state=0),
        ),
        quality=Quality("accuracy", accuracy, Near(0.01, higher_is_better=True)),
    ),
    Task(
        name="perceptron",
        home=__name__,
        size="{n} x {p}, 5 epochs",
        make=two_classes,
        full={"n": 500_000, "p": 30},
        quick={"n": 5_000, "p": 10},
        contenders=(
            ours("Perceptron", max_iter=5, tol=None),
            sklearn("Perceptron", max_iter=5, tol=None),
        ),
        quality=Quality("accuracy", accuracy, Near(0.05, higher_is_better=True)),
    ),
)
