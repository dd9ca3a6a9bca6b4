"""Kernels: their matrices, regression in their space, and columns that approximate them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, model, package
from benchmarks.problems import dense
from benchmarks.task import AtMost, Contender, Data, Output, Quality, Task

GAMMA = 0.05


def make(n: int, p: int) -> Data:
    """Rows, and a nonlinear target."""
    drawn = dense(n, p, noise=1.0)
    return {**drawn, "y": np.sin(drawn["X"][:, 0]) + 0.1 * drawn["y"]}


def read_weights(fitted: Any) -> Output:
    return {"coef": fitted.dual_coef_}


def kernel_rows(data: Data, rows: Any) -> np.ndarray:
    """The Gaussian kernel of some rows with all, by the definition."""
    X = np.asarray(data["X"])
    return np.exp(-GAMMA * ((X[rows, None] - X) ** 2).sum(axis=2))


def residual(data: Data, output: Output) -> float:
    """The largest of some entries of y - (K + I) c, beside the largest of y."""
    rows = np.linspace(0, len(data["y"]) - 1, 50).astype(int)
    coef = np.asarray(output["coef"])
    off = data["y"][rows] - kernel_rows(data, rows) @ coef - coef[rows]
    return float(np.abs(off).max() / np.abs(data["y"]).max())


def table(name: str, where: str, kind: Any = "peer") -> Contender:
    """A function "module:name" that makes the kernel matrix of the rows."""

    def prepare(data: Data) -> Callable[[], Output]:
        call = attribute(where)
        return lambda: {"K": call(data["X"], gamma=GAMMA)}

    return Contender(name, prepare, read=dict, needs=(package(where),), kind=kind)


def error_of_table(data: Data, output: Output) -> float:
    """The largest error of some rows."""
    rows = np.linspace(0, len(data["y"]) - 1, 20).astype(int)
    return float(np.abs(np.asarray(output["K"])[rows] - kernel_rows(data, rows)).max())


def error_of_laplacian(data: Data, output: Output) -> float:
    """The largest error of some rows, by the definition."""
    X, rows = np.asarray(data["X"]), np.linspace(0, len(data["y"]) - 1, 20).astype(int)
    right = np.exp(-GAMMA * np.abs(X[rows, None] - X).sum(axis=2))
    return float(np.abs(np.asarray(output["K"])[rows] - right).max())


def columns(name: str, where: str, kind: Any = "peer") -> Contender:
    """Nystroem's columns of all rows from some of them."""

    def prepare(data: Data) -> Callable[[], Output]:
        make_model = attribute(where)
        count = min(200, len(data["y"]) // 4)
        return lambda: {"Z": make_model(gamma=GAMMA, n_components=count, random_state=0).fit_transform(data["X"])}

    return Contender(name, prepare, read=dict, needs=(package(where),), kind=kind)


def error_of_columns(data: Data, output: Output) -> float:
    """The mean error of the kernel of some rows."""
    rows = np.linspace(0, len(data["y"]) - 1, 20).astype(int)
    Z = np.asarray(output["Z"])
    return float(np.abs(Z[rows] @ Z.T - kernel_rows(data, rows)).mean())


TASKS = (
    Task(
        name="kernel_ridge",
        home=__name__,
        size="{n} x {p}, Gaussian",
        make=make,
        full={"n": 8_000, "p": 20},
        quick={"n": 800, "p": 20},
        contenders=(
            model(
                "learnable",
                "learnable.kernel_ridge:KernelRidge",
                kind="ours",
                read=read_weights,
                kernel="rbf",
                gamma=GAMMA,
            ),
            model("scikit-learn", "sklearn.kernel_ridge:KernelRidge", read=read_weights, kernel="rbf", gamma=GAMMA),
        ),
        quality=Quality("largest residual of the system", residual, AtMost(1e-10)),
    ),
    Task(
        name="kernel_matrix",
        home=__name__,
        size="{n} x {p}, Gaussian",
        make=make,
        full={"n": 6_000, "p": 30},
        quick={"n": 600, "p": 30},
        contenders=(
            table("learnable", "learnable.metrics.pairwise:rbf_kernel", kind="ours"),
            table("scikit-learn", "sklearn.metrics.pairwise:rbf_kernel"),
        ),
        quality=Quality("largest error", error_of_table, AtMost(1e-10)),
    ),
    Task(
        name="kernel_matrix_laplacian",
        home=__name__,
        size="{n} x {p}, Laplacian",
        make=make,
        full={"n": 3_000, "p": 30},
        quick={"n": 400, "p": 30},
        contenders=(
            table("learnable", "learnable.metrics.pairwise:laplacian_kernel", kind="ours"),
            table("scikit-learn", "sklearn.metrics.pairwise:laplacian_kernel"),
        ),
        quality=Quality("largest error", error_of_laplacian, AtMost(1e-10)),
    ),
    Task(
        name="nystroem",
        home=__name__,
        size="{n} x {p}, 200 rows drawn",
        make=make,
        full={"n": 50_000, "p": 30},
        quick={"n": 2_000, "p": 30},
        contenders=(
            columns("learnable", "learnable.kernel_approximation:Nystroem", kind="ours"),
            columns("scikit-learn", "sklearn.kernel_approximation:Nystroem"),
        ),
        quality=Quality("mean error of the kernel", error_of_columns, AtMost(0.2)),
    ),
)
