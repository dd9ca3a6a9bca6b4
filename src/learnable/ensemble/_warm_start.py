"""Warm starts and certificates of boosting."""

from __future__ import annotations

import math
from typing import Any

from ..core import Trace
from ..core.errors import ConvergenceWarning, ParameterError, warn
from ..engines.iterate import State, iterate


def remaining_range(model: Any, fitted: int, name: str = "n_estimators") -> range:
    """Indices of the trees or iterations still to be fitted after a warm start; the number cannot decrease."""
    requested: int = getattr(model, name)
    if requested < fitted:
        raise ParameterError(
            f"{type(model).__name__}: warm_start cannot reduce {name} from {fitted} to {requested}; raise it, or set "
            "warm_start=False"
        )
    return range(fitted, requested)


def run_stages(method: Any, remaining: range, trace: Trace) -> State:
    """Run the remaining boosting iterations."""
    if len(remaining):
        return iterate(method, len(remaining), trace)
    state: State = method.start()
    trace.record(state["loss"])
    trace.stopped = "limit"
    return state


def certify_stages(trace: Trace, state: State, left: int, measure: str = "training loss") -> None:
    """Certify that no stage raised the mean of a measure, or else that all stages were done."""
    if not math.isfinite(state["loss"]):
        _report_divergence(trace, measure)
        return
    slack = 1e-9 * max(abs(state["first"]), abs(state["loss"]))
    now = f"the mean {measure} went from {state['first']:.4g} to {state['loss']:.4g}"
    if state["rise"] <= slack and left == 0:
        sentence = f"no stage raised the mean {measure} by more than this; {now}"
        trace.certify("rise of the loss", max(state["rise"], 0.0), slack, sentence)
        return
    rise = f", and rose by up to {state['rise']:.3g} in a stage" if state["rise"] > slack else ""
    trace.certify("stages left", float(left), 0.0, f"number of stages not done; {now}{rise}")


def _report_divergence(trace: Trace, measure: str) -> None:
    """Warn and certify that the loss overflowed."""
    trace.stopped = "diverged"
    sentence = f"the mean {measure} diverged to infinity: the steps are too large; lower learning_rate"
    warn(f"{type(trace.owner).__name__}: {sentence}", ConvergenceWarning)
    trace.certify("rise of the loss", math.inf, 0.0, sentence)
