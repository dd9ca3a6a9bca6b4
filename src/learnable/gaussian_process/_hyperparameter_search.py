"""Maximisation of the marginal likelihood over the hyperparameters, from several starting points."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from ..core import Array, ParameterError, Trace
from ..core.errors import BudgetError
from ..core.runtime import context
from ..core.runtime.random import RandomState, generator, seed_of
from ..core.runtime.trace import Stopped
from ..engines.iterate import grant_time

Objective = Callable[[Array, bool], tuple[float, Array]]  # log marginal likelihood, and its gradient if requested
Optimizer = Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None
TOLERANCE = 1e-5  # of the gradient, for each row: the marginal likelihood is a product over rows
LIMIT = 15000  # iterations
FAILED = 1e25  # the value where the covariance matrix is not positive definite


class Memory(Protocol):
    """What an objective keeps from one evaluation to the next, to begin there."""

    last: Array | None


class _SearchStopped(Exception):
    """A watcher or the budget stopped the search."""


@dataclass
class HyperparameterSearch:
    """One run of L-BFGS-B: its evaluations, which replace those of a run that goes on from a checkpoint."""

    objective: Objective
    trace: Trace
    memory: Memory | None = None
    points: list[Array] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    gradients: list[Array] = field(default_factory=list)
    replayed: int = 0  # evaluations that have been taken from the checkpoint
    iterations: int = 0
    first: int = 0  # row of the trace
    stopped: Stopped = ""

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """The negative log marginal likelihood and its gradient."""
        if self.replayed < len(self.points) and np.array_equal(self.points[self.replayed], theta):
            self.replayed += 1
        else:
            value, gradient = self.objective(theta, True)
            finite = np.isfinite(value) and np.isfinite(gradient).all()
            self.points.append(theta.copy())
            self.values.append(-float(value) if finite else FAILED)
            self.gradients.append(-gradient if finite else np.zeros_like(theta))
            self.replayed = len(self.points)
        return self.values[self.replayed - 1], self.gradients[self.replayed - 1]

    def record(self, intermediate_result: Any) -> None:
        """A whole iteration; raises where the fit is to stop."""
        self.iterations += 1
        if self.first + self.iterations <= len(self.trace.rows):
            return  # it was made before the checkpoint
        self.trace.record(float(intermediate_result.fun))
        self.stopped = context.reason_to_stop()
        self.keep("")
        if self.stopped:
            raise _SearchStopped

    def resume(self) -> None:
        """Take over the evaluations of the checkpoint, if there is one."""
        kept = context.kept_loops()
        stored = None if kept is None else kept.next_loop()
        self.first = len(self.trace.rows)
        if stored is not None:
            state = stored["state"]
            self.points, self.gradients = list(state["points"]), list(state["gradients"])
            self.values = state["values"].tolist()
            self.trace.rows += stored["trace"].rows
            if self.memory is not None and "last" in state:
                self.memory.last = state["last"]

    def keep(self, stopped: Stopped) -> None:
        """Store the evaluations, so that a killed search can resume by doing the same again without their work."""
        kept = context.kept_loops()
        if kept is not None and self.points:
            state = {
                "points": np.array(self.points),
                "values": np.array(self.values),
                "gradients": np.array(self.gradients),
            }
            if self.memory is not None and self.memory.last is not None:
                state["last"] = self.memory.last
            kept.keep(state, self.trace.rows[self.first :], stopped, now=bool(stopped or self.stopped))

    def best(self) -> tuple[Array, float, Array]:
        """The evaluation with the largest log marginal likelihood: theta, value and gradient."""
        index = int(np.argmin(self.values))
        return self.points[index], -self.values[index], -self.gradients[index]


@dataclass(frozen=True)
class Optimum:
    """Hyperparameters, their log marginal likelihood, and its projected gradient (None: not known)."""

    theta: Array
    value: float
    gradient: Array | None
    stopped: Stopped


def maximise(
    objective: Objective,
    theta: Array,
    bounds: Array,
    optimizer: Optimizer,
    starts: list[Array],
    trace: Trace,
    n: int,
    memory: Memory | None = None,
) -> Optimum:
    """The best of the runs from `theta` and from each of `starts`; budgets and watchers end it with the best so far."""
    found: Optimum | None = None
    for start in (theta, *starts):
        try:
            run = _run(HyperparameterSearch(objective, trace, memory), start, bounds, optimizer, n)
        except BudgetError:
            if found is None:
                raise
            found = Optimum(found.theta, found.value, found.gradient, context.reason_to_stop() or "budget")
            break
        if found is None or run.value > found.value or run.stopped in ("budget", "interrupted"):
            better = found is None or run.value > found.value
            found = run if better or found is None else Optimum(found.theta, found.value, found.gradient, run.stopped)
        if run.stopped in ("budget", "interrupted"):
            break
    assert found is not None  # there is at least one starting point
    trace.stopped = found.stopped
    if found.stopped == "budget":
        grant_time(trace)
    return found


def starting_points(bounds: Array, count: int, random_state: RandomState, owner: str) -> list[Array]:
    """Points drawn uniformly between the logarithms of the bounds, each by the generator of its number."""
    if not count:
        return []
    if not np.isfinite(bounds).all():
        raise ParameterError(
            f"{owner}: Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
        )
    seed = seed_of(random_state)
    return [generator(seed, number).uniform(bounds[:, 0], bounds[:, 1]) for number in range(count)]


def _run(search: HyperparameterSearch, theta: Array, bounds: Array, optimizer: Optimizer, n: int) -> Optimum:
    if callable(optimizer):
        return _run_of_caller(search.objective, theta, bounds, optimizer, search.trace)
    search.resume()
    stopped: Stopped = "converged"
    try:
        status = _minimise(search, theta, bounds, {})
        at, value, gradient = search.best()
        tolerance = TOLERANCE * max(n, abs(value))
        if largest(projected(gradient, at, bounds)) > tolerance and value > -FAILED:
            status = _minimise(search, at, bounds, {"ftol": 0.0, "gtol": tolerance / 2})
        stopped = "limit" if status == 1 else "converged"
        search.keep(stopped)
    except _SearchStopped:
        stopped = search.stopped
    except BudgetError:
        if not search.values or min(search.values) >= FAILED:
            raise
        stopped = "budget"
    at, value, gradient = search.best()
    if search.iterations == 0:
        search.trace.record(-value)
    return Optimum(at, value if value > -FAILED else -np.inf, projected(gradient, at, bounds), stopped)


def _minimise(search: HyperparameterSearch, theta: Array, bounds: Array, options: dict[str, Any]) -> int:
    from scipy.optimize import minimize

    found = minimize(
        search.evaluate, np.clip(theta, bounds[:, 0], bounds[:, 1]), method="L-BFGS-B", jac=True, bounds=bounds,
        callback=search.record, options={"maxiter": LIMIT, **options},
    )  # fmt: skip
    return int(found.status)


def _run_of_caller(
    objective: Objective, theta: Array, bounds: Array, optimizer: Callable[..., Any], trace: Trace
) -> Optimum:
    """The run of an optimizer that the caller gave."""

    def negative(theta: Array, eval_gradient: bool = True) -> Any:
        context.give_way()
        value, gradient = objective(np.asarray(theta, dtype=np.float64), eval_gradient)
        return (-value, -gradient) if eval_gradient else -value

    found = optimizer(negative, theta, bounds=bounds)
    try:
        at, value = np.asarray(found[0], dtype=np.float64).reshape(theta.shape), float(found[1])
    except (TypeError, ValueError, IndexError):
        raise ParameterError(
            "optimizer must return the hyperparameters theta that it found and the value of the objective there; "
            f"got {found!r:.60}"
        ) from None
    trace.record(value)
    gradient = objective(at, True)[1]
    return Optimum(at, -value, projected(gradient, at, bounds), "converged")


def projected(gradient: Array, theta: Array, bounds: Array) -> Array:
    """The gradient without the entries that point out of the bounds, where a maximum has them."""
    at_lower, at_upper = theta <= bounds[:, 0] + 1e-12, theta >= bounds[:, 1] - 1e-12
    return np.where((at_lower & (gradient < 0)) | (at_upper & (gradient > 0)), 0.0, gradient)


def largest(gradient: Array) -> float:
    """The largest absolute entry."""
    return float(np.abs(gradient).max(initial=0.0))


def at_the_end_of(optimum: Optimum | None) -> AbstractContextManager[None]:
    """Time for the posterior of hyperparameters that have been found, also where a budget or a watcher ended that."""
    return nullcontext() if optimum is None else context.finishing()


def certify(trace: Trace, optimum: Optimum, n: int, posterior: str) -> None:
    """Record the certificate of hyperparameters that maximise the marginal likelihood."""
    gradient = np.inf if optimum.gradient is None else largest(optimum.gradient)
    trace.certify(
        "projected gradient", gradient, TOLERANCE * max(n, abs(optimum.value)),
        f"no entry of the gradient of the log marginal likelihood, within the bounds, is larger than this: a "
        f"stationary point, beside which others may be higher; {posterior}",
    )  # fmt: skip
