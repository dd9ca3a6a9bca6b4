"""Impurity measures of two classes against the fraction of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..tree import impurity
from ._style import BLUE, GREEN, ORANGE, axes_or_new, plain


@dataclass
class ImpurityDisplay:
    """Impurity of a node against the fraction of a class: entropy in bits, Gini impurity, misclassification rate."""

    share: Array
    values: dict[str, Array]

    @classmethod
    def from_shares(cls, share: Any = None, *, ax: Any = None) -> Self:
        """Draw the three measures; `share` of the first class, or 201 steps from 0 to 1."""
        grid = np.linspace(0, 1, 201) if share is None else np.asarray(share, dtype=np.float64)
        both = np.column_stack([grid, 1 - grid])
        values = {"entropy (bits)": impurity(both, "entropy"), "Gini": impurity(both), "error": impurity(both, "error")}
        return cls(grid, values).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.4, 3.8)))
        self.figure_ = self.ax_.figure
        for (name, values), colour in zip(self.values.items(), (BLUE, ORANGE, GREEN), strict=True):
            self.ax_.plot(self.share, values, color=colour, linewidth=2, label=name)
        self.ax_.set(xlabel="fraction of one of two classes", ylabel="impurity", xlim=(0, 1), ylim=(0, None))
        self.ax_.legend(frameon=False)
        return self
