"""Exact Shapley values of boosted trees and of forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Kind, Output, Quality, Task


def nonlinear_target(n: int, p: int, trees: int, m: int) -> Data:
    """A nonlinear target with noise; the last `m` rows are explained."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n + m, p)).astype(np.float32).astype(np.float64)  # what every peer keeps
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2:6]).sum(axis=1) + 0.5 * draws.standard_normal(n + m)
    return {"X": X[:n], "y": y[:n], "new": X[n:], "trees": trees}


def ours(name: str, where: str, count: str, **parameters: Any) -> Contender:
    """Our explanation of our model, which is fitted before."""

    def prepare(data: Data) -> Callable[[], Any]:
        model = attribute(where)(**{count: data["trees"]}, **parameters).fit(data["X"], data["y"])
        explain = attribute("learnable:shap_values")
        return lambda: (explain(model, data["new"]), model.predict(data["new"]))

    return Contender(name, prepare, _of_ours, needs=("learnable",), kind="ours")


def _of_ours(raw: Any) -> Output:
    found, prediction = raw
    return {"sum": found.base + found.values.sum(axis=1), "prediction": prediction}


def package_of_shap(name: str, where: str, count: str, **parameters: Any) -> Contender:
    """The shap package on scikit-learn's model, which is fitted before; making the explainer is not timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        model = attribute(where)(**{count: data["trees"]}, **parameters).fit(data["X"], data["y"])
        explainer = attribute("shap:TreeExplainer")(model)
        base = float(np.ravel(explainer.expected_value)[0])
        return lambda: (base, explainer.shap_values(data["new"], check_additivity=False), model.predict(data["new"]))

    return Contender(name, prepare, _of_shap, needs=("shap", package(where)))


def _of_shap(raw: Any) -> Output:
    base, values, prediction = raw
    return {"sum": base + values.sum(axis=1), "prediction": prediction}


def contributions(name: str, where: str, kind: Kind = "peer") -> Contender:
    """LightGBM's own contributions."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        model = make(n_estimators=data["trees"], num_leaves=31, n_jobs=data.get("threads"), verbose=-1)
        model.fit(data["X"], data["y"])
        return lambda: (model.predict(data["new"], pred_contrib=True), model.predict(data["new"]))

    return Contender(
        name, prepare, lambda raw: {"sum": raw[0].sum(axis=1), "prediction": raw[1]}, (package(where),), kind
    )


def apart(data: Data, output: Output) -> float:
    """How far the values are from adding up to the output, at most."""
    return float(np.abs(np.asarray(output["sum"]) - np.asarray(output["prediction"])).max())


ADDS_UP = Quality("distance from adding up", apart, AtMost(1e-3))  # the shap package keeps trees in single precision

TASKS = (
    Task(
        name="shap_boosting",
        home=__name__,
        size="Shapley values of {m} rows, {p} columns, {trees} boosted trees of 31 leaves",
        make=nonlinear_target,
        contenders=(
            ours("learnable", "learnable:HistGradientBoostingRegressor", "max_iter"),
            package_of_shap("shap", "sklearn.ensemble:HistGradientBoostingRegressor", "max_iter"),
            contributions("LightGBM", "lightgbm:LGBMRegressor"),
        ),
        quality=ADDS_UP,
        full={"n": 20_000, "p": 20, "trees": 100, "m": 2000},
        quick={"n": 500, "p": 6, "trees": 5, "m": 20},
    ),
    Task(
        name="shap_forest",
        home=__name__,
        size="Shapley values of {m} rows, {p} columns, a forest of {trees} trees of 10 levels",
        make=nonlinear_target,
        contenders=(
            ours("learnable", "learnable:RandomForestRegressor", "n_estimators", max_depth=10, random_state=0),
            package_of_shap(
                "shap", "sklearn.ensemble:RandomForestRegressor", "n_estimators", max_depth=10, random_state=0
            ),
        ),
        quality=ADDS_UP,
        full={"n": 10_000, "p": 20, "trees": 50, "m": 300},
        quick={"n": 300, "p": 6, "trees": 5, "m": 20},
    ),
)
