"""The number of components: the curve of the criterion that chose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..mixture.n_components import ComponentChoice
from ._style import BLUE, ORANGE, axes_or_new, plain

WORDS = {"bic": "BIC", "aic": "AIC", "held-out": "-log density of held-out rows"}


@dataclass
class ComponentChoiceDisplay:
    """Information criterion or score against the number of components, and the selected number."""

    counts: Array
    scores: Array
    criterion: str = "bic"

    @classmethod
    def from_choice(cls, choice: ComponentChoice, *, ax: Any = None) -> Self:
        """Draw what `choose_components` returned."""
        return cls(choice.counts, choice.scores, choice.criterion).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.0, 3.6)))
        self.figure_ = self.ax_.figure
        best = int(np.argmin(self.scores))
        self.ax_.plot(self.counts, self.scores, "o-", color=BLUE)
        self.ax_.plot(self.counts[best], self.scores[best], "o", color=ORANGE, markersize=10, fillstyle="none")
        said = WORDS.get(self.criterion, self.criterion)
        self.ax_.set(xlabel="number of components", ylabel=f"{said}\n(lower is better)", xticks=self.counts)
        return self
