"""One loop for every iterative fit: step, record, stop for a stated reason; and the best of several runs of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ..core.errors import BudgetError
from ..core.runtime import context
from ..core.runtime.native import kernels
from ..core.runtime.trace import EARLY, Stopped, Trace

MIN_GAIN = 1e-9  # relative improvement of the objective above which a result counts as better
MAX_RESULT_SECONDS = 2.0  # seconds to make a result of the last state, or as long as the fit has taken

State = dict[str, Any]
"""Plain data (arrays, numbers, text, lists and dicts of them), so that a loop can be stored and resumed."""


class Progress(NamedTuple):
    """The progress of a loop: it has converged when `criterion` is at most `tolerance`.

    It also ends when it is `stalled`, as no step can improve it, has `diverged`, as steps only make it worse, is
    `exhausted`, as its own count of work (passes inside a step, say) has reached the limit, or is out of `patience`, as
    too many steps in a row have improved too little.
    """

    objective: float
    criterion: float
    tolerance: float
    more: Mapping[str, float] = MappingProxyType({})
    stalled: bool = False
    diverged: bool = False
    exhausted: bool = False
    patience: bool = False


class Method(Protocol):
    """An iterative method: where it starts, what a step does, how far it is."""

    def start(self) -> State:
        """The state before the first step."""

    def step(self, state: State) -> State:
        """The state after one more step; `state` itself is left as it was."""

    def progress(self, state: State) -> Progress:
        """Objective and convergence criterion of `state`."""


def iterate(method: Method, limit: int, trace: Trace) -> State:
    """Run `method` until it converges, stalls or diverges, `limit` steps are done, or a budget or watcher stops it.

    `trace` records which.
    With a checkpoint the loop resumes from its stored state, with the same result bit for bit.
    """
    kept = context.kept_loops()
    stored = kept.next_loop() if kept is not None else None
    stopped: Stopped
    state, done, stopped = _resumed(stored, trace) if stored else (method.start(), 0, "")
    first = len(trace.rows) - done
    settled = state, done
    try:
        while not stopped:
            try:
                after = method.step(state) if kept is None else kept.whole(method.step, state)
                here = method.progress(after)
            except BudgetError:
                if done == 0:
                    raise
                stopped = "budget"
                break
            state = after
            trace.record(here.objective, criterion=here.criterion, **here.more)
            done += 1
            stopped = _reason(here) or context.reason_to_stop() or ("limit" if done >= limit or here.exhausted else "")
            if kept is not None:
                finished = stopped in ("converged", "patience", "stalled", "diverged", "limit")
                kept.keep(state, trace.rows[first:], stopped if finished else "", now=bool(stopped))
            settled = state, done
    except KeyboardInterrupt:
        if kept is not None:
            kept.keep(settled[0], trace.rows[first : first + settled[1]], "", now=True)
        raise
    if stopped == "budget":
        grant_time(trace)
    trace.stopped = stopped
    return state


def grant_time(trace: Trace) -> None:
    """Extend the deadline of the kernels so that a result can be made of the last state.

    Without a deadline, as outside a fit, nothing changes; the end of the fit restores the old one.
    """
    if kernels.set_deadline(float("inf")) < float("inf"):
        kernels.set_deadline(time.monotonic() + max(trace.seconds, MAX_RESULT_SECONDS))


def _reason(here: Progress) -> Stopped:
    """Why the method itself would stop here, if it would."""
    if here.criterion <= here.tolerance:
        return "converged"
    return "stalled" if here.stalled else "diverged" if here.diverged else "patience" if here.patience else ""


def _resumed(stored: dict[str, Any], trace: Trace) -> tuple[State, int, Stopped]:
    """The state, the number of steps and the reason to stop of a stored loop, whose rows go back into `trace`."""
    rows = stored["trace"].rows
    trace.rows += rows
    return stored["state"], len(rows), stored["trace"].stopped


@dataclass(frozen=True)
class Run:
    """Where a run ended: its state and objective, its rows in the trace, and why it stopped there."""

    state: State
    objective: float
    history: list[dict[str, float]]
    stopped: Stopped

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.history)

    @property
    def criterion(self) -> float:
        """The convergence criterion after the last step."""
        return self.history[-1]["criterion"]


def best_run(
    methods: Iterable[Method], limit: int, trace: Trace, objective: Callable[[State], float] = itemgetter("objective")
) -> Run:
    """The run with the lowest objective; of runs that differ by no more than rounding, the first.

    `trace` says why that one stopped, unless all were ended early, also where a method begins or takes its first step.
    """
    best: Run | None = None
    try:
        for method in methods:
            first = len(trace.rows)
            state = iterate(method, limit, trace)
            run = Run(state, float(objective(state)), trace.rows[first:], trace.stopped)
            if best is None or run.objective < best.objective - MIN_GAIN * abs(best.objective):
                best = run
            if trace.stopped in EARLY:
                return best
    except BudgetError:
        if best is None:
            raise
        trace.stopped = context.reason_to_stop() or "budget"
        grant_time(trace)
        return best
    assert best is not None, "a run begins somewhere"
    trace.stopped = best.stopped
    return best


def record_components(trace: Trace, parts: list[Any]) -> None:
    """A row for every part, and the weakest certificate among them."""
    proofs = [(part.certificate_, part.trace_) for part in parts if hasattr(part, "certificate_")]
    for _, course in proofs:
        trace.record(course.rows[-1]["objective"])
    if not proofs:
        trace.exact("every part was fitted to its own problem")
        return
    worst, course = max(proofs, key=lambda pair: (not pair[0].holds, pair[0].value))
    trace.stopped = course.stopped
    trace.certify(worst.kind, worst.value, worst.tolerance, f"the weakest of {len(proofs)} parts: {worst.claim}")
