"""Fits that outliers do not move: quantile, Huber, RANSAC, Theil-Sen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import ours, sklearn
from benchmarks.linear_quality import weights
from benchmarks.problems import with_outliers
from benchmarks.task import Contender, Data, Near, Output, Quality, Task

HUBER_EPSILON, HUBER_ALPHA = 1.35, 1e-4


def absolute_error(data: Data, output: Output) -> float:
    """The mean absolute residual: twice the pinball loss of the median."""
    w, b = weights(output)
    return float(np.abs(data["y"] - data["X"] @ w - b).mean())


def huber_objective(data: Data, output: Output) -> float:
    """n s + sum of s H((y - Xw - b) / s) + alpha |w|^2, at the best scale s for the weights."""
    from scipy.optimize import minimize_scalar

    w, b = weights(output)
    r = np.abs(data["y"] - data["X"] @ w - b)

    def value(scale: float) -> float:
        u, e = r / scale, HUBER_EPSILON
        return float(len(r) * scale + scale * np.where(u < e, u**2, 2 * e * u - e**2).sum())

    best = minimize_scalar(value, bounds=(1e-3, 1e2), method="bounded", options={"xatol": 1e-10})
    return float(best.fun + HUBER_ALPHA * (w @ w))


def clean_error(data: Data, output: Output) -> float:
    """Mean squared error on the rows that are no outliers."""
    w, b = weights(output)
    return float(np.mean((data["y"] - data["X"] @ w - b)[data["clean"]] ** 2))


def prepare_statsmodels_median(data: Data) -> Callable[[], Any]:
    import statsmodels.api as sm

    X, y = data["X"], data["y"]
    return lambda: sm.QuantReg(y, sm.add_constant(X, prepend=False)).fit(q=0.5, p_tol=1e-9).params


def read_vector(raw: Any) -> Output:
    return {"coef": raw[:-1], "intercept": raw[-1]}


def read_wrapped(model: Any) -> Output:
    return {"coef": model.estimator_.coef_, "intercept": model.estimator_.intercept_}


TASKS = (
    Task(
        name="quantile",
        home=__name__,
        size="{n} x {p}, median",
        make=with_outliers,
        full={"n": 10_000, "p": 20},
        quick={"n": 500, "p": 5},
        contenders=(
            ours("QuantileRegressor", alpha=0.0),
            sklearn("QuantileRegressor", alpha=0.0),
            Contender("statsmodels", prepare_statsmodels_median, read_vector, needs=("statsmodels",)),
        ),
        quality=Quality("mean absolute error", absolute_error, Near(1e-6)),
    ),
    Task(
        name="huber",
        home=__name__,
        size="{n} x {p}",
        make=with_outliers,
        full={"n": 100_000, "p": 50},
        quick={"n": 1_000, "p": 5},
        contenders=(
            ours("HuberRegressor", epsilon=HUBER_EPSILON, alpha=HUBER_ALPHA),
            sklearn("HuberRegressor", epsilon=HUBER_EPSILON, alpha=HUBER_ALPHA, max_iter=1000),
        ),
        quality=Quality("objective", huber_objective, Near(1e-7)),
    ),
    Task(
        name="ransac",
        home=__name__,
        size="{n} x {p}, 20% outliers, 100 trials",
        make=with_outliers,
        full={"n": 50_000, "p": 10},
        quick={"n": 1_000, "p": 4},
        contenders=(
            ours("RANSACRegressor", random_state=0, stop_probability=1.0, read=read_wrapped),
            sklearn("RANSACRegressor", random_state=0, stop_probability=1.0, read=read_wrapped),
        ),
        quality=Quality("mean squared error on the clean rows", clean_error, Near(0.05)),
    ),
    Task(
        name="theil_sen",
        home=__name__,
        size="{n} x {p}, 20% outliers, 10000 subsets",
        make=with_outliers,
        full={"n": 5_000, "p": 5},
        quick={"n": 300, "p": 3},
        contenders=(
            ours("TheilSenRegressor", random_state=0),
            sklearn("TheilSenRegressor", random_state=0),
        ),
        quality=Quality("mean squared error on the clean rows", clean_error, Near(0.05)),
    ),
)
