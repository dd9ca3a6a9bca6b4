"""Several runs of a method that may end in different local optima, of which the best is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter

from ..core.errors import BudgetError
from ..core.runtime.context import reason_to_stop
from ..core.runtime.trace import EARLY, Stopped, Trace
from .iterate import Method, State, grant_time, iterate

REAL_GAIN = 1e-9  # relative improvement of the objective above which a result counts as better


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
            if best is None or run.objective < best.objective - REAL_GAIN * abs(best.objective):
                best = run
            if trace.stopped in EARLY:
                return best
    except BudgetError:
        if best is None:
            raise
        trace.stopped = reason_to_stop() or "budget"
        grant_time(trace)
        return best
    assert best is not None, "a run begins somewhere"
    trace.stopped = best.stopped
    return best
