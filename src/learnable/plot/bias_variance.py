"""Bias-variance decomposition of the error, over the complexity of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..theory import BiasVariance
from ._style import BLUE, GREY, ORANGE, axes_or_new, plain


@dataclass
class BiasVarianceDisplay(ChecksSparse):
    """Bias-variance trade-off: noise, squared bias, variance and their sum against model complexity."""

    complexity: Array
    noise: Array
    squared_bias: Array
    variance: Array

    @classmethod
    def from_parts(cls, parts: Mapping[Any, BiasVariance], *, ax: Any = None, draw: bool = True) -> Self:
        """Draw what `theory.bias_variance` found, by complexity."""
        columns = [
            np.array([getattr(part, name) for part in parts.values()]) for name in ("noise", "squared_bias", "variance")
        ]
        display = cls(np.array(list(parts)), *columns)
        return display.plot(ax=ax) if draw else display

    @property
    def total(self) -> Array:
        """The expected squared error."""
        return np.asarray(self.noise + self.squared_bias + self.variance)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        self.ax_.plot(self.complexity, self.squared_bias, "o-", color=ORANGE, markersize=4, label="squared bias")
        self.ax_.plot(self.complexity, self.variance, "o-", color=BLUE, markersize=4, label="variance")
        self.ax_.plot(self.complexity, self.noise, color=GREY, linestyle=":", label="noise")
        self.ax_.plot(self.complexity, self.total, color="black", linewidth=2, label="expected error: their sum")
        best = int(self.total.argmin())
        self.ax_.plot(self.complexity[best], self.total[best], "o", color="black")
        self.ax_.set(xlabel="complexity", ylabel="squared error", ylim=(0, None))
        self.ax_.legend(fontsize=8)
        return self
