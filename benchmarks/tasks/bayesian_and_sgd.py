"""Bayesian ridge and stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import ours, sklearn
from benchmarks.linear_quality import mean_squared_error
from benchmarks.problems import dense
from benchmarks.task import Data, Near, Output, Quality, Task


def read_evidence(model: Any) -> Output:
    return {"noise": model.alpha_, "weight": model.lambda_}


def log_evidence(data: Data, output: Output) -> float:
    """Logarithm of the marginal likelihood of the centred data at the precisions found, for each row."""
    X, y = data["X"] - data["X"].mean(axis=0), data["y"] - data["y"].mean()
    noise, weight = float(output["noise"]), float(output["weight"])
    values, vectors = np.linalg.eigh(X.T @ X)
    moment = vectors.T @ (X.T @ y)
    precision = weight + noise * values
    fit = y @ y - noise * (moment**2 / precision).sum()
    logs = len(y) * np.log(noise) + len(values) * np.log(weight) - np.log(precision).sum()
    return float(0.5 * (logs - noise * fit - len(y) * np.log(2 * np.pi)) / len(y))


TASKS = (
    Task(
        name="bayesian_ridge",
        home=__name__,
        size="{n} x {p}",
        make=dense,
        full={"n": 100_000, "p": 100},
        quick={"n": 1_000, "p": 10},
        contenders=(
            ours("BayesianRidge", read=read_evidence),
            sklearn("BayesianRidge", read=read_evidence),
        ),
        quality=Quality("log evidence per row", log_evidence, Near(1e-6, higher_is_better=True)),
    ),
    Task(
        name="sgd",
        home=__name__,
        size="{n} x {p}, 5 epochs",
        make=dense,
        full={"n": 1_000_000, "p": 30},
        quick={"n": 5_000, "p": 10},
        contenders=(
            ours("SGDRegressor", max_iter=5, tol=None, random_state=0),
            sklearn("SGDRegressor", max_iter=5, tol=None, random_state=0),
        ),
        quality=Quality("mean squared error", mean_squared_error, Near(0.01)),
    ),
)
