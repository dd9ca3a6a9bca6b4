"""Ordinary least squares on a tall table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import model, ours, sklearn
from benchmarks.linear_quality import mean_squared_error
from benchmarks.problems import dense
from benchmarks.task import Contender, Data, Near, Output, Quality, Task


def prepare_lstsq(data: Data) -> Callable[[], Any]:
    def call() -> Any:
        A = np.column_stack([data["X"], np.ones(len(data["y"]))])
        return np.linalg.lstsq(A, data["y"], rcond=None)[0]

    return call


def prepare_normal_equations(data: Data) -> Callable[[], Any]:
    def call() -> Any:
        X, y = data["X"], data["y"]
        mean_x, mean_y = X.mean(axis=0), y.mean()
        gram = X.T @ X - len(y) * np.outer(mean_x, mean_x)
        w = np.linalg.solve(gram, X.T @ y - len(y) * mean_x * mean_y)
        return np.append(w, mean_y - mean_x @ w)

    return call


def prepare_statsmodels(data: Data) -> Callable[[], Any]:
    import statsmodels.api as sm

    return lambda: sm.OLS(data["y"], sm.add_constant(data["X"], prepend=False)).fit().params


def read_vector(raw: Any) -> Output:
    return {"coef": raw[:-1], "intercept": raw[-1]}


TASKS = (
    Task(
        name="ols_1e6x50",
        home=__name__,
        size="{n} x {p}",
        make=dense,
        full={"n": 1_000_000, "p": 50},
        quick={"n": 5_000, "p": 20},
        contenders=(
            ours("LinearRegression"),
            sklearn("LinearRegression"),
            model("scikit-learn-intelex", "sklearnex.linear_model:LinearRegression"),
            Contender("numpy lstsq", prepare_lstsq, read_vector),
            Contender("numpy normal equations", prepare_normal_equations, read_vector),
            Contender("statsmodels", prepare_statsmodels, read_vector, needs=("statsmodels",)),
        ),
        quality=Quality("mean squared error", mean_squared_error, Near(1e-9)),
    ),
)
