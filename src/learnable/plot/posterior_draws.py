"""Posterior densities from draws, and pairs of quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_text
from ._draws import entry_of
from ._style import BLUE, GREY, RED, axes_or_new, plain


@dataclass
class PosteriorDrawsDisplay:
    """Posterior intervals of several quantities from draws: medians, and central intervals of 50 % and 94 %.

    >>> PosteriorDrawsDisplay({"mu": np.arange(101.0)}).intervals["mu"].tolist()
    [3.0, 25.0, 50.0, 75.0, 97.0]
    """

    values: dict[str, Array]

    @property
    def intervals(self) -> dict[str, Array]:
        """The quantiles 3 %, 25 %, 50 %, 75 % and 97 % by name."""
        return {name: np.quantile(values, (0.03, 0.25, 0.5, 0.75, 0.97)) for name, values in self.values.items()}

    @classmethod
    def from_draws(cls, draws: Any, names: list[str] | None = None, *, ax: Any = None) -> Self:
        """Draw entries of `Draws` such as mu or theta[0], by default all."""
        chosen = list(draws.entries) if names is None and hasattr(draws, "entries") else list(names or [])
        return cls({name: entry_of(draws, name).ravel() for name in chosen}).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure: a line for each quantity."""
        self.ax_ = plain(axes_or_new(ax, (6.0, 0.8 + 0.3 * len(self.values))))
        self.figure_ = self.ax_.figure
        for k, quantiles in enumerate(self.intervals.values()):
            self.ax_.plot(quantiles[[0, 4]], [k, k], color=BLUE, lw=1.2)
            self.ax_.plot(quantiles[[1, 3]], [k, k], color=BLUE, lw=4, solid_capstyle="butt")
            self.ax_.plot(quantiles[2], k, "o", color="white", mec=BLUE, ms=5)
        self.ax_.set_yticks(range(len(self.values)), [literal_text(name) for name in self.values])
        self.ax_.invert_yaxis()
        return self


@dataclass
class DrawsPairDisplay:
    """Pair plot of draws: two quantities against each other, divergent transitions in red.

    Divergences that gather in one corner show where the sampler cannot go, as in the neck of a funnel.

    >>> DrawsPairDisplay(np.zeros(3), np.ones(3), ("mu", "tau")).names
    ('mu', 'tau')
    """

    first: Array
    second: Array
    names: tuple[str, str]
    diverging: Array | None = None

    @classmethod
    def from_draws(cls, draws: Any, first: str, second: str, *, ax: Any = None) -> Self:
        """Draw two entries of `Draws` against each other."""
        marked = draws.sample_stats.get("diverging") if hasattr(draws, "sample_stats") else None
        pair = entry_of(draws, first).ravel(), entry_of(draws, second).ravel()
        return cls(*pair, (first, second), None if marked is None else marked.ravel()).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (4.2, 3.6)))
        self.figure_ = self.ax_.figure
        self.ax_.plot(self.first, self.second, ".", color=GREY, ms=2, alpha=0.4)
        if self.diverging is not None and self.diverging.any():
            first, second = np.asarray(self.first)[self.diverging], np.asarray(self.second)[self.diverging]
            self.ax_.plot(first, second, ".", color=RED, ms=5, label="divergent")
            self.ax_.legend(frameon=False)
        self.ax_.set(xlabel=literal_text(self.names[0]), ylabel=literal_text(self.names[1]))
        return self
