"""Comparison of models: scores with confidence intervals, ties in one colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core.validate.sparse_input import ChecksSparse
from ..inference import Comparison, compare
from ..inference.comparison import ComparedModel
from ..parts.literal_text import literal_text
from ._style import BLUE, GREEN, GREY, ORANGE, RED, axes_or_new, plain

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)


@dataclass
class ComparisonDisplay(ChecksSparse):
    """Scores of models with confidence intervals, the best on top.

    Models of one colour do not differ significantly from its best. Small dots are single test sets, the dashed
    line is the score of the baseline. The model called `recommended` is drawn bolder than the others.
    """

    comparison: Comparison
    recommended: str | None = None

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, ax: Any = None) -> Self:
        """Draw what `inference.compare` found."""
        return cls(comparison).plot(ax=ax)

    @classmethod
    def from_estimators(
        cls, models: Mapping[str, Any] | Sequence[Any], X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> Self:
        """Compare models on a table, with the options of `inference.compare`, and draw the result."""
        return cls(compare(models, X, y, **options)).plot(ax=ax)

    def plot(self, *, ax: Any = None, negate_score: bool = False, verdicts: bool = True) -> Self:
        """Draw onto `ax`, or a new figure; `negate_score` shows losses as positive numbers."""
        rows, sign = self.comparison.rows, -1 if negate_score else 1
        self.ax_ = plain(axes_or_new(ax, (7.0, 1.2 + 0.5 * len(rows))))
        self.figure_ = self.ax_.figure
        for place, row in enumerate(rows):
            self._draw(place, row, sign)
        labels = [literal_text(row.name) + (f"\n{row.verdict or 'baseline'}" if verdicts else "") for row in rows]
        self.ax_.set_yticks(range(len(rows)), labels, **({"fontsize": 8} if verdicts else {}))
        self.ax_.set(xlabel=self.comparison.measure, ylim=(len(rows) - 0.5, -0.5))
        return self

    def _draw(self, place: int, row: ComparedModel, sign: int) -> None:
        """One model: its test sets, its interval, its score."""
        colour, folds = COLOURS[(row.group - 1) % len(COLOURS)], sign * np.asarray(self.comparison.scores[row.name])
        wide, large = (4, 9) if row.name == self.recommended else (2, 6)
        self.ax_.plot(folds, np.full(len(folds), place), ".", color=colour, alpha=0.3)
        base = row.name == self.comparison.baseline
        if base:
            self.ax_.axvline(sign * row.score, color=GREY, linestyle="--", linewidth=0.9)
        if not base or np.ptp(folds) > 0:  # the interval of a guess that always scores the same would hide the others
            self.ax_.plot([sign * row.low, sign * row.high], [place, place], color=colour, linewidth=wide)
        self.ax_.plot(sign * row.score, place, "o", color=colour, markersize=large)
