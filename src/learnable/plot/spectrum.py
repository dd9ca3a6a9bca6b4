"""Scree plot: variance explained by each component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, plain


@dataclass
class SpectrumDisplay:
    """Scree plot: fraction of the variance explained by each component, and the cumulative sum."""

    shares: Array

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the `explained_variance_ratio_` of a fitted model."""
        check_learned("SpectrumDisplay", estimator, "explained_variance_ratio_")
        return cls(np.asarray(estimator.explained_variance_ratio_)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        numbers = np.arange(1, len(self.shares) + 1)
        self.ax_.bar(numbers, self.shares, color=BLUE, width=0.7, label="single")
        self.ax_.plot(numbers, np.cumsum(self.shares), "o-", color=ORANGE, markersize=3, label="cumulative")
        self.ax_.axhline(1, color=GREY, linewidth=0.8)
        self.ax_.set(xlabel="component", ylabel="fraction of the variance", ylim=(0, 1.05))
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        self.ax_.legend(frameon=False, fontsize="small", loc="center right")
        return self
