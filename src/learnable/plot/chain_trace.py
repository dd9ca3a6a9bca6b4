"""Draws of Markov chains in the order in which they were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_text
from ._draws import entry_of
from ._style import axes_or_new, plain


@dataclass
class ChainTraceDisplay:
    """Trace plot of Markov chains: the draws of a quantity in order, a line for each chain.

    Chains that have converged overlap as one band; those that wander or stay apart have not.

    >>> ChainTraceDisplay(np.zeros((4, 10)), "mu").values.shape
    (4, 10)
    """

    values: Array
    name: str = ""

    @classmethod
    def from_draws(cls, draws: Any, name: str, *, ax: Any = None) -> Self:
        """Draw the entry `name` of `Draws`, such as mu or theta[0]."""
        return cls(entry_of(draws, name), name).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (7.0, 2.6)))
        self.figure_ = self.ax_.figure
        values = np.asarray(self.values, dtype=np.float64)
        self.lines_ = [self.ax_.plot(chain, color=f"C{k % 10}", lw=0.6, alpha=0.8)[0] for k, chain in enumerate(values)]
        self.ax_.set(xlabel="draw", ylabel=literal_text(self.name), xlim=(0, values.shape[1]))
        return self
