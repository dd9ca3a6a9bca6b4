"""How many groups: the curve that a choice was made by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..cluster import ClusterChoice
from ..core import Array
from .style import BLUE, ORANGE, axes_or_new, plain

WORDS = {
    "elbow": "sum of squared distances",
    "silhouette": "mean silhouette",
    "gap": "gap to uniform rows",
    "held-out": "mean squared distance of held-out rows",
    "bic": "BIC",
}


@dataclass
class ClusterChoiceDisplay:
    """A score for each number of groups, and the number that was chosen."""

    counts: Array
    scores: Array
    errors: Array | None
    best: int
    criterion: str

    @classmethod
    def from_choice(cls, choice: ClusterChoice, *, ax: Any = None) -> Self:
        """Draw what `choose_clusters` returned."""
        return cls(choice.counts, choice.scores, choice.errors, choice.best, choice.criterion).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        self.ax_.errorbar(self.counts, self.scores, self.errors, fmt="o-", color=BLUE, markersize=4, capsize=3)
        self.ax_.axvline(self.best, color=ORANGE, linewidth=1.2, linestyle="--")
        self.ax_.annotate(
            f"{self.best}", (self.best, 1), xycoords=("data", "axes fraction"), color=ORANGE, ha="center", va="bottom"
        )
        self.ax_.set(xlabel="number of groups", ylabel=WORDS.get(self.criterion, self.criterion))
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        return self
