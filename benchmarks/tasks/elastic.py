"""Lasso and elastic net, one strength or a path, dense or sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, function, key, model, ours, resolve, sklearn
from benchmarks.linear_quality import elastic_gap, elastic_path_gap
from benchmarks.problems import correlated, text_like
from benchmarks.task import AtMost, Contender, Data, Quality, Task

TOLERANCE = 1e-6  # relative duality gap required of one fit
PATH_TOLERANCE = 1e-4  # and at each point of a path
SLACK = 3.0  # scikit-learn's rule stops at twice its tolerance in this unit

DENSE: dict[str, Any] = {
    "full": {"n": 2_000, "p": 10_000, "informative": 200},
    "quick": {"n": 200, "p": 600, "informative": 20},
}
SPARSE: dict[str, Any] = {
    "full": {"n": 20_000, "p": 100_000, "words": 75, "informative": 500},
    "quick": {"n": 600, "p": 2_000, "words": 30, "informative": 30},
}


def one(table: Callable[..., Data], ratio: float, divisor: float) -> Callable[..., Data]:
    """A problem with one strength: the smallest that makes all weights zero, over the divisor."""

    def make(**size: int) -> Data:
        data = table(**size)
        correlation = data["X"].T @ (data["y"] - data["y"].mean()) / len(data["y"])
        return {**data, "l1_ratio": ratio, "alpha": float(np.abs(correlation).max() / ratio / divisor)}

    return make


def path(table: Callable[..., Data], ratio: float, divisor: float, points: int = 100) -> Callable[..., Data]:
    """A problem with a grid of values of alpha, falling to the smallest idle one over the divisor. No constant."""

    def make(**size: int) -> Data:
        data = table(**size)
        largest = float(np.abs(data["X"].T @ data["y"]).max() / len(data["y"]) / ratio)
        return {**data, "l1_ratio": ratio, "expected": largest * np.geomspace(1, 1 / divisor, points)}

    return make


def skglm_path(name: str, **parameters: Any) -> Contender:
    """The path method of a model of skglm."""

    def prepare(data: Data) -> Callable[[], Any]:
        made = attribute(f"skglm:{name}")(fit_intercept=False, **resolve(parameters, data))
        return lambda: made.path(data["X"], data["y"], data["expected"])

    def read(raw: Any) -> dict[str, Any]:
        return {"alphas": raw[0], "coefs": raw[1]}

    return Contender("skglm", prepare, read, needs=("skglm",))


def fits(
    name: str,
    *,
    sklearn_tol: float = TOLERANCE,
    celer_tol: float = TOLERANCE,
    skglm_tol: float = TOLERANCE,
    **parameters: Any,
) -> tuple[Contender, ...]:
    """Ours and the peers for one strength. A peer that stops by another rule gets the largest tolerance that will do.

    The rules of the peers are loose for elastic nets: there a larger tolerance gives the same quality in less time.
    """
    options = {"alpha": key("alpha"), **parameters}
    return (
        ours(name, max_iter=10_000, tol=TOLERANCE, **options),
        sklearn(name, max_iter=10_000, tol=sklearn_tol, **options),
        model("celer", f"celer:{name}", tol=celer_tol, **options),
        model("skglm", f"skglm:{name}", tol=skglm_tol, **options),
    )


def paths(
    name: str,
    *,
    sklearn_tol: float = PATH_TOLERANCE,
    celer_tol: float = PATH_TOLERANCE,
    skglm_tol: float = PATH_TOLERANCE,
    **parameters: Any,
) -> tuple[Contender, ...]:
    """Ours and the peers for a path; tolerances as in fits."""
    options = {"alphas": key("expected"), **parameters}
    skglm_name = {"lasso_path": "Lasso", "enet_path": "ElasticNet"}[name]
    return (
        ours(name, max_iter=10_000, tol=PATH_TOLERANCE, **options),
        sklearn(name, max_iter=10_000, tol=sklearn_tol, **options),
        function("celer", "celer:celer_path", pb="lasso", max_iter=100, tol=celer_tol, **options),
        skglm_path(skglm_name, tol=skglm_tol, **parameters),
    )


GAP = Quality("relative duality gap", elastic_gap, AtMost(SLACK * TOLERANCE))
PATH_GAP = Quality("largest relative duality gap", elastic_path_gap, AtMost(SLACK * PATH_TOLERANCE))
HALF = {"l1_ratio": 0.5}

TASKS = (
    Task(
        name="lasso_dense",
        home=__name__,
        size="{n} x {p}, 1/20 of the largest alpha",
        make=one(correlated, 1.0, 20),
        contenders=fits("Lasso"),
        quality=GAP,
        **DENSE,
    ),
    Task(
        name="lasso_path_dense",
        home=__name__,
        size="{n} x {p}, 100 values of alpha down to 1/100",
        make=path(correlated, 1.0, 100),
        contenders=paths("lasso_path"),
        quality=PATH_GAP,
        **DENSE,
    ),
    Task(
        name="lasso_sparse",
        home=__name__,
        size="{n} x {p} sparse, {words} words a row, 1/20 of the largest alpha",
        make=one(text_like, 1.0, 20),
        contenders=fits("Lasso"),
        quality=GAP,
        **SPARSE,
    ),
    Task(
        name="lasso_path_sparse",
        home=__name__,
        size="{n} x {p} sparse, {words} words a row, 100 values of alpha down to 1/50",
        make=path(text_like, 1.0, 50),
        contenders=paths("lasso_path", skglm_tol=3e-8),
        quality=PATH_GAP,
        **SPARSE,
    ),
    Task(
        name="enet_dense",
        home=__name__,
        size="{n} x {p}, l1_ratio 1/2, 1/20 of the largest alpha",
        make=one(correlated, 0.5, 20),
        contenders=fits("ElasticNet", sklearn_tol=1e-3, celer_tol=1e-2, skglm_tol=1e-2, **HALF),
        quality=GAP,
        **DENSE,
    ),
    Task(
        name="enet_path_dense",
        home=__name__,
        size="{n} x {p}, l1_ratio 1/2, 100 values of alpha down to 1/100",
        make=path(correlated, 0.5, 100),
        contenders=paths("enet_path", sklearn_tol=1.5e-3, celer_tol=3e-5, skglm_tol=3e-3, **HALF),
        quality=PATH_GAP,
        **DENSE,
    ),
    Task(
        name="enet_sparse",
        home=__name__,
        size="{n} x {p} sparse, {words} words a row, l1_ratio 1/2, 1/20 of the largest alpha",
        make=one(text_like, 0.5, 20),
        contenders=fits("ElasticNet", sklearn_tol=1e-2, celer_tol=1e-2, skglm_tol=1e-6, **HALF),
        quality=GAP,
        **SPARSE,
    ),
    Task(
        name="enet_path_sparse",
        home=__name__,
        size="{n} x {p} sparse, {words} words a row, l1_ratio 1/2, 100 values of alpha down to 1/50",
        make=path(text_like, 0.5, 50),
        contenders=paths("enet_path", sklearn_tol=2e-3, celer_tol=1.5e-4, skglm_tol=2e-6, **HALF),
        quality=PATH_GAP,
        **SPARSE,
    ),
)
