"""The precision-recall curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..metrics import average_precision_score, precision_recall_curve
from .binary import CurveDisplay, draw_chance, draw_line, legend, line_label, positive_words, square_axes


@dataclass
class PrecisionRecallDisplay(CurveDisplay):
    """Precision against recall over all thresholds: what a rare class asks for.

    >>> PrecisionRecallDisplay([0.5, 1.0], [1.0, 0.0], average_precision=0.5).average_precision
    0.5
    """

    precision: Any
    recall: Any
    average_precision: float | None = None
    name: str | None = None
    pos_label: Any = None
    prevalence_pos_label: float | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of scores of the positive class."""
        positive = 1 if pos_label is None else pos_label
        given = {"pos_label": pos_label, "sample_weight": sample_weight, "drop_intermediate": drop_intermediate}
        precision, recall, _ = precision_recall_curve(y_true, y_score, **given)
        area = average_precision_score(y_true, y_score, pos_label=positive, sample_weight=sample_weight)
        share = float(np.average(np.asarray(y_true) == positive, weights=sample_weight))
        return cls(precision, recall, area, name, pos_label, share).plot(**options)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = True,
        **options: Any,
    ) -> Self:
        """Draw onto `ax`, or a new figure; guessing reaches the share of the positive class at every recall."""
        self.ax_ = square_axes(ax)
        self.figure_ = self.ax_.figure
        label = line_label(name or self.name, "AP", self.average_precision)
        self.line_ = draw_line(self.ax_, self.recall, self.precision, label, {"drawstyle": "steps-post", **options})
        self.chance_level_ = None
        if plot_chance_level:
            share = self.prevalence_pos_label
            if share is None:
                raise ValueError("PrecisionRecallDisplay: prevalence_pos_label is needed to draw the level of chance")
            words = f"chance (AP = {share:0.2f})"
            self.chance_level_ = draw_chance(self.ax_, [0, 1], [share, share], words, chance_level_kw)
        words = positive_words(self.pos_label)
        self.ax_.set(xlabel=f"recall{words}", ylabel=f"precision{words}")
        legend(self.ax_, "lower left")
        return self
