"""Training error and generalisation error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..theory import ErrorCurve
from ._style import BLUE, GREY, ORANGE, axes_or_new, plain


@dataclass
class ErrorCurveDisplay(ChecksSparse):
    """Training and test errors against the number of rows or the complexity, with bands of two standard errors."""

    curve: ErrorCurve
    target: float | None = None

    @classmethod
    def from_curve(cls, curve: ErrorCurve, *, target: float | None = None, ax: Any = None, **style: Any) -> Self:
        """Draw what `theory.error_by_size` or `theory.error_by_complexity` found; `target` marks the target error."""
        return cls(curve, target).plot(ax=ax, **style)

    def plot(self, *, ax: Any = None, mark: bool = True) -> Self:
        """Draw onto `ax`, or a new figure; `mark` shows where the error on new rows is smallest."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        values = self.curve.values
        self._line(values, self.curve.train, BLUE, "training error")
        self._line(values, self.curve.test, ORANGE, "test error")
        if mark and self.curve.axis == "complexity":
            self.ax_.axvline(self.curve.turning_point, color=GREY, linestyle=":", label="turning point")
        if self.target is not None:
            self.ax_.axhline(self.target, color=GREY, linestyle="--", linewidth=0.9, label="target")
        if self.curve.axis == "rows" and values.max() > 20 * values.min():
            self.ax_.set_xscale("log")
            self.ax_.set_xticks(values, [f"{value:g}" for value in values])
            self.ax_.minorticks_off()
        self.ax_.set(xlabel=self.curve.axis, ylabel="error")
        self.ax_.legend(fontsize=8)
        return self

    def _line(self, values: Array, errors: Array, colour: str, label: str) -> None:
        mean, reach = errors.mean(axis=1), 2 * errors.std(axis=1) / np.sqrt(errors.shape[1])
        low = np.maximum(mean - reach, errors.min(axis=1))
        self.ax_.fill_between(values, low, mean + reach, color=colour, alpha=0.15, linewidth=0)
        self.ax_.plot(values, mean, "o-", color=colour, markersize=4, label=label)
