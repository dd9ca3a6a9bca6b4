"""Regression that only rises: many points, and many of them at the same place."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import model
from benchmarks.task import Data, Near, Output, Quality, Task


def rising(n: int, positions: int) -> dict[str, Any]:
    """An increasing curve with noise at the given number of distinct positions."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, positions, n) / positions
    return {"X": x, "y": np.log1p(20 * x) + rng.standard_normal(n)}


def read_steps(fitted: Any) -> Output:
    """The knots of the fitted curve and its values there."""
    return {"x": np.asarray(fitted.X_thresholds_), "y": np.asarray(fitted.y_thresholds_)}


def squared_error(data: Data, output: Output) -> float:
    """The mean squared distance of the points from the curve."""
    return float(np.mean((data["y"] - np.interp(data["X"], output["x"], output["y"])) ** 2))


TASKS = tuple(
    Task(
        name=name,
        home=__name__,
        size="{n} points at {positions} positions",
        make=rising,
        contenders=(
            model("learnable", "learnable.isotonic:IsotonicRegression", kind="ours", read=read_steps),
            model("scikit-learn", "sklearn.isotonic:IsotonicRegression", read=read_steps),
        ),
        quality=Quality("mean squared error", squared_error, Near(1e-9)),
        full={"n": 1_000_000, "positions": positions},
        quick={"n": 500, "positions": 50},
    )
    for name, positions in (("isotonic", 2**40), ("isotonic_ties", 1000))
)
