"""Coefficients of a linear model with confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..engines.sparse_coefficients import dense
from ..parts.literal_text import literal_texts
from ._style import BLUE, GREY, axes_or_new, check_learned, fitted_names, inches_beyond, plain


@dataclass
class CoefficientDisplay:
    """Forest plot of the coefficients of a linear model, with confidence intervals where the model has them."""

    names: list[str]
    coef: Array
    low: Array | None = None
    high: Array | None = None
    level: float = 0.95

    @classmethod
    def from_estimator(cls, estimator: Any, *, level: float = 0.95, sort: bool = False, ax: Any = None) -> Self:
        """Draw the coefficients of a fitted model; `sort` puts the largest on top."""
        check_learned("CoefficientDisplay", estimator, "coef_")
        coef, low, high = np.ravel(dense(estimator.coef_)), None, None
        table = estimator.summary(level).table if hasattr(estimator, "summary") else {}
        if "low" in table:
            low, high = table["low"][-len(coef) :], table["high"][-len(coef) :]
        order = np.argsort(-np.abs(coef)) if sort else np.arange(len(coef))
        names = fitted_names(estimator)
        ends = {} if low is None or high is None else {"low": low[order], "high": high[order]}
        return cls([names[j] for j in order], coef[order], level=level, **ends).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (6.0 + inches_beyond(self.names, 1.5), 1.2 + 0.3 * len(self.names))))
        self.figure_ = self.ax_.figure
        points = np.arange(len(self.names))
        if self.low is not None and self.high is not None:
            self.ax_.hlines(points, self.low, self.high, color=BLUE, linewidth=2, alpha=0.6)
        self.ax_.plot(self.coef, points, "o", color=BLUE, markersize=5)
        self.ax_.axvline(0, color=GREY, linestyle="--", linewidth=1)
        self.ax_.set_yticks(points, literal_texts(self.names))
        self.ax_.invert_yaxis()
        self.ax_.set_xlabel("coefficient" if self.low is None else f"coefficient and {self.level:.0%} interval")
        return self
