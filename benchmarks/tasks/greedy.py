"""Methods that take columns in one at a time: least angle, orthogonal matching pursuit."""

from __future__ import annotations

import numpy as np

from benchmarks.contenders import ours, sklearn
from benchmarks.linear_quality import elastic_path_gap, mean_squared_error
from benchmarks.problems import correlated
from benchmarks.task import AtMost, Data, Near, Output, Quality, Task

STEPS = 150


def make_lars(n: int, p: int, informative: int) -> Data:
    """A table with centred target; the path has no constant."""
    data = correlated(n, p, informative)
    return {"X": data["X"], "y": data["y"] - data["y"].mean(), "l1_ratio": 1.0}


def read_lars(raw: tuple[np.ndarray, list[int], np.ndarray]) -> Output:
    return {"alphas": raw[0], "coefs": raw[2]}


TASKS = (
    Task(
        name="lars",
        home=__name__,
        size=f"{{n}} x {{p}}, {STEPS} steps of the lasso path",
        make=make_lars,
        full={"n": 2_000, "p": 5_000, "informative": 100},
        quick={"n": 300, "p": 400, "informative": 20},
        contenders=(
            ours("lars_path", method="lasso", max_iter=STEPS, read=read_lars),
            sklearn("lars_path", method="lasso", max_iter=STEPS, read=read_lars),
        ),
        quality=Quality("largest relative duality gap", elastic_path_gap, AtMost(1e-8)),
    ),
    Task(
        name="omp",
        home=__name__,
        size="{n} x {p}, 100 columns chosen",
        make=correlated,
        full={"n": 5_000, "p": 5_000, "informative": 100},
        quick={"n": 300, "p": 400, "informative": 20},
        contenders=(
            ours("OrthogonalMatchingPursuit", n_nonzero_coefs=100),
            sklearn("OrthogonalMatchingPursuit", n_nonzero_coefs=100),
        ),
        quality=Quality("mean squared error", mean_squared_error, Near(1e-8)),
    ),
)
