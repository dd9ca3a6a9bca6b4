"""Sparse inverse covariances and the minimum covariance determinant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task

ALPHA = 0.1


def chain_rows(n: int, p: int) -> Data:
    """Standardised rows of a Markov chain of columns."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] += 0.7 * X[:, j - 1]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return {"X": X, "S": np.cov(X.T, bias=True)}


def outlying_rows(n: int, p: int) -> Data:
    """Normal rows, three tenths of them far off."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n, p))
    X[: 3 * n // 10] += 6
    return {"X": X}


def estimator(name: str, where: str, read: Callable[[Any], Output], kind: Kind = "peer", **given: Any) -> Contender:
    """A class "module:Name" that is made and fitted to the rows."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(**given).fit(data["X"])

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def penalised_likelihood(data: Data, output: Output) -> float:
    """The objective of the graphical lasso."""
    P, S = np.asarray(output["precision"]), data["S"]
    penalty = ALPHA * (np.abs(P).sum() - np.abs(np.diag(P)).sum())
    return float((S * P).sum() - np.linalg.slogdet(P)[1] + penalty)


def log_determinant(data: Data, output: Output) -> float:
    """The log determinant of the chosen rows; their mean square on top keeps it above zero."""
    return float(np.linalg.slogdet(output["covariance"])[1]) + data["X"].shape[1] * 10.0


def both(name: str, read: Callable[[Any], Output], **given: Any) -> tuple[Contender, ...]:
    """Ours and scikit-learn's."""
    return (
        estimator("learnable", f"learnable.covariance:{name}", read, "ours", **given),
        estimator("scikit-learn", f"sklearn.covariance:{name}", read, **given),
    )


TASKS = (
    Task(
        name="graphical_lasso",
        home=__name__,
        size="graphical lasso of {n} x {p}",
        make=chain_rows,
        full={"n": 2000, "p": 200},
        quick={"n": 200, "p": 20},
        contenders=both("GraphicalLasso", lambda model: {"precision": model.precision_}, alpha=ALPHA),
        quality=Quality("objective", penalised_likelihood, Near(1e-4)),
    ),
    Task(
        name="minimum_covariance_determinant",
        home=__name__,
        size="minimum covariance determinant of {n} x {p}, 30 % outliers",
        make=outlying_rows,
        full={"n": 3000, "p": 10},
        quick={"n": 300, "p": 4},
        contenders=both("MinCovDet", lambda model: {"covariance": model.raw_covariance_}, random_state=0),
        quality=Quality("log determinant", log_determinant, Near(1e-2)),
    ),
)
