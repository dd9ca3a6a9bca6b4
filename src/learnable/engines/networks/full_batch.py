"""Training on all rows at once, by L-BFGS."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...core.errors import BudgetError, DataError
from ...core.runtime import context
from ...core.runtime.threads import scipy_module
from ...core.runtime.trace import Stopped, Trace
from ...core.validate.features import Array
from ..iterate import grant_time
from .divergence import divergence_message
from .network_plan import NetworkPlan
from .training import NetworkTrainingSet

ENDS: dict[int, Stopped] = {0: "patience", 1: "limit"}  # SciPy's: the gains or the gradient are small; the limit


@dataclass(frozen=True, slots=True)
class Objective:
    """Mean loss of all rows plus alpha |W|^2 / (2 n) plus l1 |W| / n.

    n is the total weight of the rows, or 1 where penalties are not shared.
    """

    plan: NetworkPlan
    data: NetworkTrainingSet
    rows: Array

    @property
    def total(self) -> float:
        """The total weight of the rows."""
        return float(len(self.rows) if self.data.weight is None else self.data.weight[self.rows].sum())

    def __call__(self, weights: Array) -> tuple[float, Array]:
        """The objective and its gradient."""
        settings, penalised = self.plan.optimiser, self.plan.penalised(weights)
        loss, gradient = self.plan.gradient(self.data.X, self.data.y, self.data.weight, self.rows, weights)
        share = self.total if settings.shared else 1.0
        l1, l2 = settings.l1 / share, settings.l2 / share
        value = loss + l2 / 2 * float(penalised @ penalised) + l1 * float(np.abs(penalised).sum())
        return value, gradient + l2 * penalised + l1 * np.sign(penalised)


class _Stop(Exception):
    """A watcher or the budget stopped the search."""


@dataclass
class _Search:
    """Progress of the optimisation: the last complete iteration, and the stop reason."""

    objective: Objective
    weights: Array
    trace: Trace
    stopped: Stopped = ""
    iterations: int = 0

    def evaluate(self, weights: Array) -> tuple[float, Array]:
        """The objective in double precision, as the search computes."""
        value, gradient = self.objective(weights.astype(self.weights.dtype))
        return value, gradient.astype(np.float64)

    def record(self, intermediate_result: object) -> None:
        """A whole iteration; raises where the fit is to stop."""
        found = intermediate_result
        self.weights = found.x.astype(self.weights.dtype)  # type: ignore[attr-defined]  # an OptimizeResult
        self.iterations += 1
        self.trace.record(float(found.fun))  # type: ignore[attr-defined]  # an OptimizeResult
        self.stopped = context.reason_to_stop() or ""
        if self.stopped:
            raise _Stop


def minimise_full_batch(
    owner: str, objective: Objective, weights: Array, max_iter: int, max_evaluations: int, tol: float, trace: Trace
) -> tuple[Array, float, int]:
    """Weights at which no entry of the gradient exceeds `tol`, the objective there, and the number of iterations."""
    minimize = scipy_module("optimize").minimize
    search = _Search(objective, weights, trace)
    options = {"maxfun": max_evaluations, "maxiter": max_iter, "gtol": tol}
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            found = minimize(
                search.evaluate, weights.astype(np.float64), jac=True, method="L-BFGS-B", options=options,
                callback=search.record,
            )  # fmt: skip
        search.weights = found.x.astype(weights.dtype)
        search.stopped = ENDS.get(found.status, "stalled")
    except _Stop:
        pass
    except BudgetError:
        if search.iterations == 0:
            raise
        search.stopped = "budget"
    if search.stopped == "budget":
        grant_time(trace)
    value, gradient = objective(search.weights)
    if not (math.isfinite(value) and np.isfinite(gradient).all()):
        rows, done = objective.rows[:1000], search.iterations
        message = divergence_message(objective.plan, objective.data.X, rows, search.weights, done, done, 1.0, [])
        raise DataError(f"{owner}: {message}")
    if search.iterations == 0:
        trace.record(value)
    largest = float(np.abs(gradient).max())
    trace.stopped = "converged" if search.stopped in ENDS.values() and largest <= tol else search.stopped
    trace.certify(
        "gradient norm", largest, tol,
        "a stationary point: no entry of the gradient of the objective is larger than this, and to first order no "
        "small change of the weights lowers it; other minima may be lower",
    )  # fmt: skip
    return search.weights, value, search.iterations
