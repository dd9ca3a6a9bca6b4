"""Models side by side: scores with intervals, ties in one colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..inference import Comparison, compare
from .style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, plain

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)


@dataclass
class ComparisonDisplay:
    """The scores of models with their intervals, the best on top.

    Models of one colour were not told apart from the best of that colour. Small dots are single test sets, the dashed
    line is the score of the baseline.
    """

    comparison: Comparison

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, ax: Any = None) -> Self:
        """Draw what `inference.compare` found."""
        return cls(comparison).plot(ax=ax)

    @classmethod
    def from_estimators(
        cls, models: Mapping[str, Any] | Sequence[Any], X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> Self:
        """Compare models on a table, with the options of `inference.compare`, and draw the outcome."""
        return cls(compare(models, X, y, **options)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        rows = self.comparison.rows
        self.ax_ = plain(axes_or_new(ax, (7.0, 1.2 + 0.5 * len(rows))))
        self.figure_ = self.ax_.figure
        for place, row in enumerate(rows):
            colour, folds = COLOURS[(row.group - 1) % len(COLOURS)], self.comparison.scores[row.name]
            self.ax_.plot(folds, np.full(len(folds), place), ".", color=colour, alpha=0.3)
            self.ax_.plot([row.low, row.high], [place, place], color=colour, linewidth=2)
            self.ax_.plot(row.score, place, "o", color=colour)
            if row.name == self.comparison.baseline:
                self.ax_.axvline(row.score, color=GREY, linestyle="--", linewidth=0.9)
        labels = [f"{row.name}\n{row.verdict or 'baseline'}" for row in rows]
        self.ax_.set_yticks(range(len(rows)), labels, fontsize=8)
        self.ax_.set(xlabel=self.comparison.measure, ylim=(len(rows) - 0.5, -0.5))
        return self
