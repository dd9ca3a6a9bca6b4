"""Fits in stages: how they go on from earlier ones, and what they can prove of themselves."""

from __future__ import annotations

import math
from typing import Any

from ..core import Trace
from ..core.errors import ConvergenceWarning, ParameterError, warn
from ..engines.iterate import State, iterate


def still_missing(model: Any, there: int, name: str = "n_estimators") -> range:
    """The numbers of the parts that are missing beside those that are there; fewer than these cannot be asked for."""
    requested: int = getattr(model, name)
    if requested < there:
        raise ParameterError(
            f"{type(model).__name__}: warm_start adds to the {there} that are there; {name}={requested} would take "
            "some away"
        )
    return range(there, requested)


def run_stages(method: Any, missing: range, trace: Trace) -> State:
    """The stages that are missing."""
    if len(missing):
        return iterate(method, len(missing), trace)
    state: State = method.start()
    trace.record(state["loss"])
    trace.stopped = "limit"
    return state


def certify_stages(trace: Trace, state: State, left: int, measure: str = "training loss") -> None:
    """State that no stage has raised the mean of a measure, or, where one did, that all stages were done."""
    if not math.isfinite(state["loss"]):
        _tell_of_divergence(trace, measure)
        return
    slack = 1e-9 * max(abs(state["first"]), abs(state["loss"]))
    now = f"the mean {measure} went from {state['first']:.4g} to {state['loss']:.4g}"
    if state["rise"] <= slack and left == 0:
        sentence = f"no stage has raised the mean {measure} by more than this; {now}"
        trace.certify("rise of the loss", max(state["rise"], 0.0), slack, sentence)
        return
    rise = f", and rose by up to {state['rise']:.3g} in a stage" if state["rise"] > slack else ""
    trace.certify("stages left", float(left), 0.0, f"so many stages are missing; {now}{rise}")


def _tell_of_divergence(trace: Trace, measure: str) -> None:
    """Say that the answers of stages grew until they were no numbers."""
    trace.stopped = "diverged"
    sentence = f"the mean {measure} grew until it was no number: stages step too far; lower learning_rate"
    warn(f"{type(trace.owner).__name__}: {sentence}", ConvergenceWarning)
    trace.certify("rise of the loss", math.inf, 0.0, sentence)
