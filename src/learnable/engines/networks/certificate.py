"""Certificates of stochastic training."""

from __future__ import annotations

import numpy as np

from ...core.runtime.trace import Stopped, Trace
from ...core.validate.features import Array
from .full_batch import Objective

MAX_ROWS = 10_000  # that the gradients are taken over
MAX_WORK = 3e8  # products in which they are
WAYS: dict[Stopped, str] = {
    "patience": "training was ended by patience",
    "limit": "training was ended by the limit on epochs",
    "diverged": "training diverged, and the best weights before that were restored",
    "budget": "the budget ended training",
    "interrupted": "a watcher ended training",
}


def gradient_norm(objective: Objective, weights: Array) -> float:
    """The Euclidean norm of the gradient of the objective over the first rows."""
    count = min(MAX_ROWS, max(int(MAX_WORK / objective.plan.work), 100))
    rows = Objective(objective.plan, objective.data, objective.rows[:count])
    with np.errstate(over="ignore", invalid="ignore"):
        norm = float(np.linalg.norm(rows(weights)[1].astype(np.float64)))
    return norm if np.isfinite(norm) else np.inf


def certify_training(trace: Trace, at_start: float, at_end: float, tol: float) -> None:
    """State the norm of the gradient at the end relative to that at the start."""
    relative = at_end / at_start if 0 < at_start < np.inf else float(at_end > 0)
    relative = relative if np.isfinite(relative) else np.finfo(np.float64).max
    trace.certify(
        "relative gradient norm", relative, tol,
        f"{WAYS.get(trace.stopped, 'training ended')}; the gradient is {relative:.2g} of what it was at the start, and "
        "nothing is proven about the minimum",
    )  # fmt: skip
