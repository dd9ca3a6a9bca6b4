"""Regression that only rises: many points, and many of them at the same place."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import model
from benchmarks.task import Answer, Data, Near, Quality, Task


def rising(n: int, places: int) -> dict[str, Any]:
    """A rising curve with noise; the points stand at so many places."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, places, n) / places
    return {"X": x, "y": np.log1p(20 * x) + rng.standard_normal(n)}


def read_steps(fitted: Any) -> Answer:
    """Where the fitted curve bends, and how high it is there."""
    return {"x": np.asarray(fitted.X_thresholds_), "y": np.asarray(fitted.y_thresholds_)}


def squared_error(data: Data, answer: Answer) -> float:
    """The mean squared distance of the points from the curve."""
    return float(np.mean((data["y"] - np.interp(data["X"], answer["x"], answer["y"])) ** 2))


TASKS = tuple(
    Task(
        name=name,
        home=__name__,
        size="{n} points at {places} places",
        make=rising,
        contenders=(
            model("learnable", "learnable.isotonic:IsotonicRegression", kind="ours", read=read_steps),
            model("scikit-learn", "sklearn.isotonic:IsotonicRegression", read=read_steps),
        ),
        quality=Quality("mean squared error", squared_error, Near(1e-9)),
        full={"n": 1_000_000, "places": places},
        quick={"n": 500, "places": 50},
    )
    for name, places in (("isotonic", 2**40), ("isotonic_ties", 1000))
)
