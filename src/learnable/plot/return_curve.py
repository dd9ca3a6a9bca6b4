"""The returns of a learner over the episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, DataError
from ..core.numeric import is_fraction
from ._style import BLUE, axes_or_new, plain


@dataclass
class ReturnDisplay:
    """Return curve: the mean return of episodes over several runs with its confidence interval."""

    returns: Array
    window: int = 1
    confidence: float = 0.95

    @classmethod
    def from_runs(
        cls, returns: Any, *, window: int = 1, confidence: float = 0.95, ax: Any = None, label: str | None = None
    ) -> Self:
        """Draw rows of returns, one for each run, as `return_curves` gives them; averaged over `window` episodes."""
        table = np.atleast_2d(np.asarray(returns, dtype=np.float64))
        if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
            raise DataError(f"ReturnDisplay: returns must be rows of finite numbers; got the shape {table.shape}")
        if isinstance(window, bool) or not isinstance(window, int) or not 1 <= window <= table.shape[1]:
            raise DataError(f"ReturnDisplay: window must be a whole number from 1 to {table.shape[1]}; got {window!r}")
        if not (is_fraction(confidence) and 0 < confidence < 1):
            raise DataError(f"ReturnDisplay: confidence must be a number between 0 and 1; got {confidence!r}")
        return cls(table, window, confidence).plot(ax=ax, label=label)

    @property
    def smooth(self) -> Array:
        """Means over the last `window` episodes, a row for each run."""
        total = np.cumsum(np.pad(self.returns, ((0, 0), (1, 0))), axis=1)
        found: Array = (total[:, self.window :] - total[:, : -self.window]) / self.window
        return found

    def plot(self, *, ax: Any = None, label: str | None = None, color: str = BLUE) -> Self:
        """Draw onto `ax`, or a new figure."""
        from scipy.special import stdtrit

        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        rows = self.smooth
        episodes = np.arange(self.window, self.returns.shape[1] + 1)
        mean = rows.mean(axis=0)
        (self.line_,) = self.ax_.plot(episodes, mean, color=color, label=label)
        if len(rows) > 1:
            width = stdtrit(len(rows) - 1, 0.5 + self.confidence / 2) * rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
            self.band_ = self.ax_.fill_between(
                episodes, mean - width, mean + width, color=color, alpha=0.2, linewidth=0
            )
        self.ax_.set(xlabel="episode", ylabel="return")
        return self
