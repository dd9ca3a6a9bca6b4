"""Gaussian process regression: hyperparameters optimised, and predictions with their deviations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Kind, Output, Quality, Task

HYPERPARAMETERS = (0.95, 1.5, 0.3)  # of the variance, the length scale and the noise, for predictions


def make(n: int, p: int) -> Data:
    """Rows, a smooth target with noise, and new rows."""
    draws = np.random.default_rng(0)
    X = draws.uniform(-2, 2, size=(n, p))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * draws.standard_normal(n)
    return {"X": X, "y": y, "Z": draws.uniform(-2, 2, size=(2000, p))}


def kernel(home: str, scale: float, length: Any, noise: float) -> Any:
    """A constant times an RBF kernel, and noise, in the classes of one library."""
    constant, rbf, white = (attribute(f"{home}:{name}") for name in ("ConstantKernel", "RBF", "WhiteKernel"))
    return constant(scale) * rbf(length) + white(noise)


def fit(name: str, home: str, kind: Kind = "peer") -> Contender:
    """Hyperparameters from the values of the kernel, one length scale for each column."""

    def prepare(data: Data) -> Callable[[], Any]:
        make_model = attribute(f"{home}:GaussianProcessRegressor")
        start = kernel(f"{home}.kernels", 1.0, np.ones(data["X"].shape[1]), 0.5)
        return lambda: make_model(start).fit(data["X"], data["y"])

    def read(model: Any) -> Output:
        return {"theta": model.kernel_.theta}

    return Contender(name, prepare, read, needs=(package(home),), kind=kind)


def predict(name: str, home: str, kind: Kind = "peer") -> Contender:
    """Predictions for new rows with their standard deviations."""

    def prepare(data: Data) -> Callable[[], Any]:
        make_model = attribute(f"{home}:GaussianProcessRegressor")
        model = make_model(kernel(f"{home}.kernels", *HYPERPARAMETERS), optimizer=None).fit(data["X"], data["y"])
        return lambda: model.predict(data["Z"], return_std=True)

    return Contender(
        name, prepare, lambda found: {"mean": found[0], "std": found[1]}, needs=(package(home),), kind=kind
    )


def gram(X: Any, Z: Any, scale: float, length: Any) -> np.ndarray:
    """The covariances by the definition."""
    A, B = X / length, Z / length
    squares = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2 * A @ B.T
    return np.asarray(scale * np.exp(-0.5 * np.maximum(squares, 0.0)))


def negative_likelihood(data: Data, output: Output) -> float:
    """Minus the log marginal likelihood of a row, by the definition."""
    scale, *length, noise = np.exp(output["theta"])
    X, y = data["X"], data["y"]
    C = gram(X, X, scale, np.array(length)) + (noise + 1e-10) * np.eye(len(y))
    value = y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + len(y) * np.log(2 * np.pi)
    return float(value / (2 * len(y)))


def prediction_error(data: Data, output: Output) -> float:
    """The largest error of the mean and the deviation of some rows."""
    scale, length, noise = HYPERPARAMETERS
    X, Z = data["X"], data["Z"][:50]
    C = gram(X, X, scale, length) + (noise + 1e-10) * np.eye(len(X))
    K = gram(Z, X, scale, length)
    mean, reduced = K @ np.linalg.solve(C, data["y"]), (K * np.linalg.solve(C, K.T).T).sum(axis=1)
    off = np.abs(output["mean"][:50] - mean), np.abs(output["std"][:50] - np.sqrt(scale + noise - reduced))
    return float(max(part.max() for part in off))


def _tasks(n: int, name: str) -> tuple[Task, Task]:
    contenders = (
        ("learnable", "learnable.gaussian_process", "ours"),
        ("scikit-learn", "sklearn.gaussian_process", "peer"),
    )
    return (
        Task(
            name=f"gaussian_process_fit{name}", home=__name__,
            size="Gaussian process, {n} x {p}, length scales optimised", make=make, full={"n": n, "p": 5},
            quick={"n": 150, "p": 2}, contenders=tuple(fit(*each) for each in contenders),
            quality=Quality("- log likelihood of a row", negative_likelihood, AtMost(2.0)),
        ),
        Task(
            name=f"gaussian_process_predict{name}", home=__name__,
            size="Gaussian process, {n} x {p}, 2000 predictions with deviations", make=make, full={"n": n, "p": 5},
            quick={"n": 150, "p": 2}, contenders=tuple(predict(*each) for each in contenders),
            quality=Quality("error", prediction_error, AtMost(1e-6)),
        ),
    )  # fmt: skip


TASKS = (*_tasks(500, ""), *_tasks(2000, "_large"))
