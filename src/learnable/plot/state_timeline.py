"""The states of a series over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ._style import GREY, axes_or_new, check_learned, plain


@dataclass
class StateTimelineDisplay(ChecksSparse):
    """Timeline of hidden states: a series on a background with the colour of the state at each step.

    >>> StateTimelineDisplay([1.0, 2.0], [0, 1]).states
    [0, 1]
    """

    series: Array | list[float]
    states: Array | list[int]
    times: Array | list[float] | None = None

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, column: int = 0, times: Any = None, ax: Any = None) -> Self:
        """Draw one column of a sequence, and the most probable states."""
        check_learned("StateTimelineDisplay", model, "transmat_")
        series = np.asarray(X, dtype=np.float64).reshape(len(X), -1)[:, column]
        return cls(series, model.predict(X), times).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (8.0, 3.0)))
        self.figure_ = self.ax_.figure
        series, states = np.asarray(self.series, dtype=np.float64), np.asarray(self.states)
        times = np.arange(len(series)) if self.times is None else np.asarray(self.times, dtype=np.float64)
        half = np.diff(times) / 2 if len(times) > 1 else np.array([0.5])
        borders = np.concatenate([[times[0] - half[0]], (times[1:] + times[:-1]) / 2, [times[-1] + half[-1]]])
        changes = np.flatnonzero(np.diff(states)) + 1
        self.spans_, named = [], set()
        for first, last in zip([0, *changes], [*changes, len(states)], strict=True):
            state = int(states[first])
            label = None if state in named else f"state {state}"
            named.add(state)
            span = self.ax_.axvspan(
                borders[first], borders[last], color=f"C{state % 10}", alpha=0.25, lw=0, label=label
            )
            self.spans_.append(span)
        (self.line_,) = self.ax_.plot(times, series, color=GREY, lw=1.0)
        self.ax_.set(xlabel="step" if self.times is None else "time", xlim=(borders[0], borders[-1]))
        self.ax_.legend(frameon=False, fontsize=8, ncols=min(len(named), 6), loc="lower left", bbox_to_anchor=(0, 1))
        return self
