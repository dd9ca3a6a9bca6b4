"""Boosted trees over bins: a tall table of numbers and of two classes, with a core taken by others, and a small one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task

STAGES, LEAVES, BINS, RATE = 100, 31, 255, 0.1
OURS = {"max_iter": STAGES, "max_leaf_nodes": LEAVES, "max_bins": BINS, "learning_rate": RATE, "early_stopping": False}
LIGHTGBM = {"n_estimators": STAGES, "num_leaves": LEAVES, "max_bin": BINS, "learning_rate": RATE, "verbose": -1}
XGBOOST = {
    "n_estimators": STAGES,
    "max_leaves": LEAVES,
    "max_depth": 0,
    "grow_policy": "lossguide",
    "tree_method": "hist",
    "max_bin": BINS,
    "learning_rate": RATE,
}
CATBOOST = {"iterations": STAGES, "depth": 5, "border_count": 254, "learning_rate": RATE, "verbose": 0,
            "allow_writing_files": False}  # fmt: skip


def numbers(n: int, p: int) -> dict[str, Any]:
    """A target that depends on products, waves and squares of some features; single precision, with test rows."""
    rng = np.random.default_rng(0)
    more = min(n, 100_000)
    X = rng.standard_normal((n + more, p), dtype=np.float32)
    raised = X + 1  # a product of centred columns has no first split worth taking: luck would decide who finds it
    y = raised[:, 0] * raised[:, 1] + np.sin(3 * X[:, 2]) + X[:, 3] ** 2 + 0.5 * raised[:, 4:7].prod(axis=1)
    y = (y + rng.standard_normal(len(y))).astype(np.float64)
    return {"X": X[:n], "y": y[:n], "X_new": X[n:], "y_new": y[n:]}


def two_classes(n: int, p: int) -> dict[str, Any]:
    """Whether that number is above its mean."""
    data = numbers(n, p)
    return {**data, "y": (data["y"] > 2.5).astype(np.int64), "y_new": (data["y_new"] > 2.5).astype(np.int64)}


@contextmanager
def a_core_taken() -> Iterator[None]:
    """Another process that never rests."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            yield
        finally:
            other.kill()


def booster(name: str, where: str, parameters: dict[str, Any], taken: bool, kind: Kind = "peer") -> Contender:
    """A model that is fitted, with a core taken by others or not, and what it says of new rows."""
    method = "predict_proba" if "Classifier" in where else "predict"

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)

        def fit() -> Any:
            return make(**parameters).fit(data["X"], data["y"]), data["X_new"]

        def fit_beside() -> Any:
            with a_core_taken():
                return fit()

        return fit_beside if taken else fit

    def read(fitted: Any) -> Output:
        model, new = fitted
        said = np.asarray(getattr(model, method)(new), dtype=np.float64)
        return {"prediction": said[:, 1] if said.ndim == 2 else said}

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def contenders(kind: str, taken: bool = False) -> tuple[Contender, ...]:
    """Ours and the peers, each with as many stages, leaves and bins."""
    return (
        booster("learnable", f"learnable.ensemble:HistGradientBoosting{kind}", OURS, taken, "ours"),
        booster("scikit-learn", f"sklearn.ensemble:HistGradientBoosting{kind}", OURS, taken),
        booster("LightGBM", f"lightgbm:LGBM{kind}", LIGHTGBM, taken),
        booster("XGBoost", f"xgboost:XGB{kind}", XGBOOST, taken),
        booster("CatBoost symmetric", f"catboost:CatBoost{kind}", CATBOOST, taken),
    )


def squared_error(data: Data, output: Output) -> float:
    """Mean squared error of new rows."""
    return float(np.mean((output["prediction"] - data["y_new"]) ** 2))


def log_loss(data: Data, output: Output) -> float:
    """Mean logarithmic loss of new rows."""
    probability = np.clip(output["prediction"], 1e-12, 1 - 1e-12)
    return float(-np.mean(np.where(data["y_new"] == 1, np.log(probability), np.log(1 - probability))))


TALL = {"n": 1_000_000, "p": 28}
QUICK = {"n": 20_000, "p": 28}


def task(name: str, kind: str, full: dict[str, int], taken: bool = False, near: float = 0.02) -> Task:
    """A task of numbers or of two classes."""
    by_class = kind == "Classifier"
    quality = Quality("log loss", log_loss, Near(near)) if by_class else Quality("MSE", squared_error, Near(near))
    size = "{n} x {p}, 100 x 31 leaves" + (", one core taken" if taken else "")
    make = two_classes if by_class else numbers
    quick = QUICK if full["n"] > QUICK["n"] else full
    return Task(name=name, home=__name__, size=size, make=make, contenders=contenders(kind, taken), quality=quality,
                full=full, quick=quick)  # fmt: skip


TASKS = (
    task("boosting_numbers", "Regressor", TALL),
    task("boosting_classes", "Classifier", TALL),
    task("boosting_numbers_beside_others", "Regressor", TALL, taken=True),
    task("boosting_small", "Regressor", {"n": 1000, "p": 28}, near=0.1),
)
