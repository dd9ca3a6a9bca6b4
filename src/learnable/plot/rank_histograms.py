"""Ranks of the draws of each chain among all draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_text
from ._draws import entry_of
from ._style import GREY, axes_or_new, plain


@dataclass
class RankDisplay:
    """Rank plot of Markov chains: for each chain the histogram of the ranks of its draws among those of all chains.

    The histograms of converged chains are flat. A chain that is too low, too high or too narrow shows at once.
    [Vehtari, Gelman, Simpson, Carpenter and Buerkner, 2021]

    >>> RankDisplay(np.arange(40.0).reshape(4, 10), "mu", bins=4).counts[0].tolist()
    [10, 0, 0, 0]
    """

    values: Array
    name: str = ""
    bins: int = 20

    @property
    def counts(self) -> Array:
        """The number of draws of each chain (a row) with ranks in each bin."""
        values = np.asarray(self.values)
        ranks = np.argsort(np.argsort(values, axis=None, kind="stable"), kind="stable").reshape(values.shape)
        bin_of = ranks * self.bins // values.size
        return np.array([np.bincount(chain, minlength=self.bins) for chain in bin_of])

    @classmethod
    def from_draws(cls, draws: Any, name: str, *, bins: int = 20, ax: Any = None) -> Self:
        """Draw the entry `name` of `Draws`, such as mu or theta[0]."""
        return cls(entry_of(draws, name), name, bins).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure: the histograms one above the other."""
        self.ax_ = plain(axes_or_new(ax, (7.0, 2.6)))
        self.figure_ = self.ax_.figure
        counts = self.counts
        expected = counts.sum() / counts.size
        for k, row in enumerate(counts):
            edges = np.linspace(0, 1, self.bins + 1)
            self.ax_.bar(edges[:-1], 0.45 * row / expected, 1 / self.bins, bottom=k, align="edge", color=f"C{k % 10}",
                         edgecolor="white", lw=0.5)  # fmt: skip
            self.ax_.axhline(k + 0.45, color=GREY, lw=0.8, ls="--")
        self.ax_.set(xlabel=f"fractional rank of {literal_text(self.name)}", ylabel="chain", xlim=(0, 1))
        self.ax_.set_yticks(range(len(counts)))
        return self
