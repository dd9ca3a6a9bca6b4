"""Logistic regression: two classes on a tall table, ten classes of pictures, an absolute penalty, a small call."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import model, ours, sklearn
from benchmarks.linear_quality import weights
from benchmarks.problems import text_like
from benchmarks.task import Data, Near, Output, Quality, Task


def two_classes(n: int, p: int) -> dict[str, Any]:
    """Classes drawn at random, with log-odds that are a weighted sum of columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    probability = 1 / (1 + np.exp(-(X @ rng.standard_normal(p)) * 2 / np.sqrt(p)))
    return {"X": X, "y": (rng.random(n) < probability).astype(np.int64), "C": 1.0}


def pictures(n: int, p: int, classes: int) -> dict[str, Any]:
    """Rows like small pictures: sums of few smooth strokes of their class, most pixels empty; single precision."""
    rng = np.random.default_rng(0)
    side = int(np.sqrt(p))
    down, across = np.mgrid[0:side, 0:side] / side
    y = rng.integers(0, classes, n)
    centres = rng.uniform(0.2, 0.8, (classes, 5, 2))
    X = np.zeros((n, side * side), dtype=np.float32)
    for i in range(n):
        spots = centres[y[i]] + rng.normal(0, 0.06, (5, 2))
        ink = sum(np.exp(-((down - a) ** 2 + (across - b) ** 2) / 0.006) for a, b in spots)
        X[i] = np.where(ink > 0.3, np.minimum(ink, 1.0), 0.0).ravel()
    return {"X": X, "y": y, "C": 1.0}


def words(n: int, p: int, words: int, informative: int) -> dict[str, Any]:
    """A bag of words by row, and a class that some of the words speak for."""
    data = text_like(n, p, words, informative)
    target = data["y"]
    return {"X": data["X"].tocsr(), "y": (target > np.median(target)).astype(np.int64), "C": 10.0}


def objective(data: Data, output: Output, l1: float = 0.0) -> float:
    """Mean loss plus penalty over C n, of two classes."""
    w, b = weights(output)
    z, y, scale = data["X"] @ w + b, data["y"], data["C"] * len(data["y"])
    return float(np.mean(np.logaddexp(0, z) - y * z) + (l1 * np.abs(w).sum() + (1 - l1) * w @ w / 2) / scale)


def absolute_objective(data: Data, output: Output) -> float:
    """The same with an absolute penalty, which liblinear puts on the constant too."""
    _, b = weights(output)
    return objective(data, output, 1.0) + abs(b) / (data["C"] * len(data["y"]))


def objective_of_several(data: Data, output: Output) -> float:
    """Mean loss plus penalty over C n, of several classes."""
    W, b = np.asarray(output["coef"], dtype=np.float64), np.asarray(output["intercept"], dtype=np.float64)
    z, y = data["X"] @ W.T + b, data["y"]
    top = z.max(axis=1)
    loss = top + np.log(np.exp(z - top[:, None]).sum(axis=1)) - z[np.arange(len(y)), y]
    return float(loss.mean() + (W * W).sum() / 2 / (data["C"] * len(y)))


TASKS = (
    Task(
        name="logistic_two",
        home=__name__,
        size="{n} x {p}",
        make=two_classes,
        contenders=(
            ours("LogisticRegression"),
            sklearn("LogisticRegression", label="scikit-learn lbfgs"),
            sklearn("LogisticRegression", label="scikit-learn newton-cholesky", solver="newton-cholesky"),
            model("scikit-learn-intelex", "sklearnex.linear_model:LogisticRegression"),
        ),
        quality=Quality("objective", objective, Near(1e-6)),
        full={"n": 1_000_000, "p": 30},
        quick={"n": 5_000, "p": 10},
    ),
    Task(
        name="logistic_several",
        home=__name__,
        size="{n} x {p} x {classes}",
        make=pictures,
        contenders=(
            ours("LogisticRegression", tol=1e-3, max_iter=200),
            sklearn("LogisticRegression", label="scikit-learn lbfgs", tol=1e-5, max_iter=200),
        ),
        quality=Quality("objective", objective_of_several, Near(1e-3)),
        full={"n": 60_000, "p": 784, "classes": 10},
        quick={"n": 500, "p": 64, "classes": 4},
    ),
    Task(
        name="logistic_l1_sparse",
        home=__name__,
        size="{n} x {p}, sparse",
        make=words,
        contenders=(
            ours("LogisticRegression", C=10.0, l1_ratio=1.0, tol=1e-3),
            sklearn("LogisticRegression", label="liblinear", C=10.0, l1_ratio=1.0, solver="liblinear", random_state=0),
        ),
        quality=Quality("objective", absolute_objective, Near(1e-4)),
        full={"n": 20_000, "p": 100_000, "words": 70, "informative": 2_000},
        quick={"n": 300, "p": 500, "words": 20, "informative": 30},
    ),
    Task(
        name="logistic_saga",
        home=__name__,
        size="{n} x {p}, stochastic steps",
        make=two_classes,
        contenders=(
            ours("LogisticRegression", solver="saga", random_state=0),
            sklearn("LogisticRegression", label="scikit-learn saga", solver="saga", random_state=0, max_iter=1000),
        ),
        quality=Quality("objective", objective, Near(1e-5)),
        full={"n": 200_000, "p": 30},
        quick={"n": 2_000, "p": 5},
    ),
    Task(
        name="logistic_small",
        home=__name__,
        size="{n} x {p}",
        make=two_classes,
        contenders=(ours("LogisticRegression"), sklearn("LogisticRegression")),
        quality=Quality("objective", objective, Near(1e-6)),
        full={"n": 50, "p": 3},
        quick={"n": 50, "p": 3},
    ),
)
