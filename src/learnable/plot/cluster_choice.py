"""The number of clusters: the curve of the criterion that chose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..cluster import ClusterChoice
from ..core import Array
from ._style import BLUE, GREY, ORANGE, axes_or_new, plain

WORDS = {
    "elbow": "sum of squared distances",
    "silhouette": "mean silhouette",
    "gap": "gap statistic",
    "held-out": "mean squared distance of held-out rows",
    "bic": "BIC",
    "agreement": "adjusted Rand index of two subsamples",
}


@dataclass
class ClusterChoiceDisplay:
    """Score against the number of clusters, and the selected number.

    `errors` are distances of the ends of intervals from the scores: one for both ends, or two rows, below and above.
    `level` is what a score has to reach.
    """

    counts: Array
    scores: Array
    errors: Array | None
    best: int | None
    criterion: str
    level: float | None = None

    @classmethod
    def from_choice(cls, choice: ClusterChoice, *, ax: Any = None) -> Self:
        """Draw what `choose_clusters` returned."""
        return cls(choice.counts, choice.scores, choice.errors, choice.best, choice.criterion).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        self.ax_.errorbar(self.counts, self.scores, self.errors, fmt="o-", color=BLUE, markersize=4, capsize=3)
        if self.level is not None:
            self.ax_.axhline(self.level, color=GREY, linewidth=1.2, linestyle=":")
        if self.best is not None:
            self._mark(self.best)
        self.ax_.set(xlabel="number of clusters", ylabel=WORDS.get(self.criterion, self.criterion))
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        return self

    def _mark(self, best: int) -> None:
        """A line and a number at the choice."""
        self.ax_.axvline(best, color=ORANGE, linewidth=1.2, linestyle="--")
        above = ("data", "axes fraction")
        self.ax_.annotate(f"{best}", (best, 1), xycoords=above, color=ORANGE, ha="center", va="bottom")
