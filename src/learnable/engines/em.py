"""The EM algorithm (expectation-maximisation), for every model with latent variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..core.runtime.context import give_way
from ..core.runtime.trace import Trace
from .iterate import Progress, State, best_run

ROUNDING = 1e-9  # relative decrease of a likelihood that rounding may cause


class EMModel(Protocol):
    """A model with latent variables: one E-step and M-step, with the log likelihood of the old parameters."""

    def improve(self, parameters: State) -> tuple[State, float]:
        """The parameters after an E-step and an M-step, and the mean log likelihood (or its lower bound) before."""


class LikelihoodFell(ArithmeticError):
    """An EM step lowered the likelihood, which a correct one cannot do."""


@dataclass(frozen=True)
class EMIterations:
    """One EM run from given parameters, until the log likelihood gains at most `tolerance` in an iteration.

    With `change`, a measure of the difference of old and new parameters, until that is at most `tolerance`.

    Neither step can lower the likelihood: the E-step makes the lower bound equal to it, the M-step raises the bound.
    That is asserted in every iteration, up to `rounding`, the relative accuracy of the likelihood, unless the model is
    not `exact`: then the bound is monotone only approximately.
    """

    model: EMModel
    parameters: State
    tolerance: float
    owner: str
    exact: bool = True
    rounding: Callable[[State], float] = lambda parameters: ROUNDING
    change: Callable[[State, State], float] | None = None

    def start(self) -> State:
        return {"parameters": self.parameters, "likelihood": -np.inf, "before": -np.inf, "change": 1e300}

    def step(self, state: State) -> State:
        give_way()
        better, likelihood = self.model.improve(state["parameters"])
        before = state["likelihood"]
        if self.exact and self._falls(before, likelihood, state["parameters"]):
            raise LikelihoodFell(
                f"{self.owner}: a step lowered the log likelihood per row from {before!r} to {likelihood!r}; "
                "the E-step or the M-step of the model is wrong"
            )
        change = 1e300 if self.change is None else self.change(state["parameters"], better)
        return {"parameters": better, "likelihood": likelihood, "before": before, "change": change}

    def _falls(self, before: float, likelihood: float, parameters: State) -> bool:
        """Whether the likelihood fell by more than rounding, which is computed only if necessary."""
        decrease = (before - likelihood) / max(abs(before), 1.0) if np.isfinite(before) else 0.0
        return decrease > ROUNDING and decrease > self.rounding(parameters)

    def progress(self, state: State) -> Progress:
        if self.change is not None:
            return Progress(-float(state["likelihood"]), state["change"], self.tolerance)
        gain = state["likelihood"] - state["before"]
        criterion = max(float(gain), 0.0) if np.isfinite(gain) else 1e300
        return Progress(-float(state["likelihood"]), criterion, self.tolerance)


@dataclass(frozen=True)
class EMRun:
    """The result of a run: parameters, log likelihood per row, iterations, its history, and convergence."""

    parameters: State
    likelihood: float
    steps: int
    likelihoods: list[float]
    converged: bool


def run_em(
    model: EMModel,
    starts: Iterable[State],
    limit: int,
    tolerance: float,
    trace: Trace,
    owner: str,
    exact: bool = True,
    rounding: Callable[[State], float] = lambda parameters: ROUNDING,
    change: Callable[[State, State], float] | None = None,
) -> EMRun:
    """The best of several runs, one from each of `starts`, which are generated lazily.

    Each iteration is a row of the trace.
    """
    runs = (EMIterations(model, parameters, tolerance, owner, exact, rounding, change) for parameters in starts)
    best = best_run(runs, limit, trace, lambda state: -state["likelihood"])
    last = "gain of the last one per row" if change is None else "change of the parameters by the last one"
    trace.certify(
        "likelihood gain" if change is None else "change of the parameters", best.criterion, tolerance,
        "no iteration lowered the log likelihood, with the prior or regularisation of the model if it has one, by more "
        f"than rounding; {last}",
    )  # fmt: skip
    likelihoods = [-row["objective"] for row in best.history]
    return EMRun(best.state["parameters"], -best.objective, best.steps, likelihoods, best.stopped == "converged")


def responsibilities_and_likelihood(scores: Any) -> tuple[Any, Any]:
    """The E-step: responsibilities of the components, and log likelihood of rows, by log joint densities."""
    top = scores.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    weights = np.exp(scores - top)
    sums = weights.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = (top + np.log(sums))[:, 0]
    return weights / np.where(sums > 0, sums, 1.0), logs
