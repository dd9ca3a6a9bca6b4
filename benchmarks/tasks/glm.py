"""Poisson and gamma regression without a penalty, on a tall table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import model, ours, sklearn
from benchmarks.linear_quality import weights
from benchmarks.problems import counts, durations
from benchmarks.task import Contender, Data, Near, Output, Quality, Task

SIZES: dict[str, Any] = {"full": {"n": 1_000_000, "p": 30}, "quick": {"n": 5_000, "p": 10}}


def poisson_deviance(data: Data, output: Output) -> float:
    """Mean half deviance, up to what does not depend on the weights, above the saturated model."""
    w, b = weights(output)
    z, y = data["X"] @ w + b, data["y"]
    return float(np.mean(np.exp(z) - y * z + np.where(y > 0, y * np.log(np.maximum(y, 1)) - y, 0.0)))


def gamma_deviance(data: Data, output: Output) -> float:
    """Mean half deviance."""
    w, b = weights(output)
    z, y = data["X"] @ w + b, data["y"]
    return float(np.mean(y * np.exp(-z) + z - np.log(y) - 1))


def statsmodels(family: str) -> Contender:
    """statsmodels' GLM with a logarithmic link."""

    def prepare(data: Data) -> Callable[[], Any]:
        import statsmodels.api as sm

        families = {"poisson": sm.families.Poisson, "gamma": sm.families.Gamma}
        link = sm.families.links.Log()
        return lambda: sm.GLM(data["y"], sm.add_constant(data["X"], prepend=False), families[family](link)).fit().params

    def read(raw: Any) -> Output:
        return {"coef": raw[:-1], "intercept": raw[-1]}

    return Contender("statsmodels", prepare, read, needs=("statsmodels",))


def contenders(family: str, name: str) -> tuple[Contender, ...]:
    """Ours and the peers."""
    return (
        ours(name, alpha=0.0),
        sklearn(name, label="scikit-learn lbfgs", alpha=0.0),
        sklearn(name, label="scikit-learn newton-cholesky", alpha=0.0, solver="newton-cholesky"),
        model("glum", "glum:GeneralizedLinearRegressor", family=family, link="log", alpha=0.0),
        statsmodels(family),
    )


TASKS = (
    Task(
        name="poisson",
        home=__name__,
        size="{n} x {p}",
        make=counts,
        contenders=contenders("poisson", "PoissonRegressor"),
        quality=Quality("mean half deviance", poisson_deviance, Near(1e-6)),
        **SIZES,
    ),
    Task(
        name="gamma",
        home=__name__,
        size="{n} x {p}",
        make=durations,
        contenders=contenders("gamma", "GammaRegressor"),
        quality=Quality("mean half deviance", gamma_deviance, Near(1e-6)),
        **SIZES,
    ),
)
