"""Convergence of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ._style import BLUE, axes_or_new, check_learned, plain


@dataclass
class TraceDisplay:
    """Convergence plot: a column of the trace against the iterations."""

    values: Array
    column: str = "objective"

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, column: str = "objective", ax: Any = None, label: str | None = None
    ) -> Self:
        """Draw a column of `estimator.trace_`."""
        check_learned("TraceDisplay", estimator, "trace_")
        return cls(estimator.trace_[column], column).plot(ax=ax, label=label)

    def plot(self, *, ax: Any = None, label: str | None = None, color: str = BLUE) -> Self:
        """Draw onto `ax`, or a new figure; on a logarithmic axis if the values span more than a factor of 100."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        iterations = np.arange(1, len(self.values) + 1)
        (self.line_,) = self.ax_.plot(iterations, self.values, ".-", color=color, label=label)
        seen = self.values[np.isfinite(self.values)]
        if len(seen) and seen.min() > 0 and seen.max() > 100 * seen.min():
            self.ax_.set_yscale("log")
        self.ax_.set(xlabel="iteration", ylabel=self.column)
        return self
