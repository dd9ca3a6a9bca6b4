"""Precision-recall curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..metrics import average_precision_score, precision_recall_curve
from ._binary_base import draw_chance_level, legend, positive_words, square_axes
from ._fold_curves import FoldCurvesDisplay, Style, draw_curves


@dataclass
class PrecisionRecallDisplay(FoldCurvesDisplay):
    """Precision-recall curve: precision against recall over all thresholds, suited to rare classes.

    Lists of values draw a curve each, as `from_cv_results` does for the folds of a cross-validation.

    >>> PrecisionRecallDisplay([0.5, 1.0], [1.0, 0.0], average_precision=0.5).average_precision
    0.5
    """

    precision: Any
    recall: Any
    average_precision: float | list[float] | None = None
    name: str | list[str] | None = None
    pos_label: Any = None
    prevalence_pos_label: float | list[float] | None = None

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
        return cls.of(y_true, y_score, sample_weight, drop_intermediate, pos_label, name).plot(**options)

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, sample_weight: Any, drop_intermediate: bool, pos_label: Any, name: str | None
    ) -> Self:
        """The curve of scores of the positive class, not drawn yet."""
        positive = 1 if pos_label is None else pos_label
        given = {"pos_label": pos_label, "sample_weight": sample_weight, "drop_intermediate": drop_intermediate}
        precision, recall, _ = precision_recall_curve(y_true, y_score, **given)
        area = average_precision_score(y_true, y_score, pos_label=positive, sample_weight=sample_weight)
        share = float(np.average(np.asarray(y_true) == positive, weights=sample_weight))
        return cls(precision, recall, area, name, pos_label, share)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | list[str] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        curve_kwargs: Style = None,
        despine: bool = True,
        **options: Any,
    ) -> Self:
        """Draw onto `ax`, or a new figure; random guessing has the prevalence as precision at every recall."""
        self.ax_ = square_axes(ax)
        self.figure_ = self.ax_.figure
        style = options or curve_kwargs
        stepwise = [{**STEPS, **one} for one in style] if isinstance(style, list) else {**STEPS, **(style or {})}
        figures = ("AP", self.average_precision, name or self.name)
        self.line_ = draw_curves(self.ax_, self.recall, self.precision, *figures, stepwise)
        self.chance_level_ = self._draw_chance_level(chance_level_kw) if plot_chance_level else None
        words = positive_words(self.pos_label)
        self.ax_.set(xlabel=f"recall{words}", ylabel=f"precision{words}")
        legend(self.ax_, "lower left")
        return self

    def _draw_chance_level(self, style: dict[str, Any] | None) -> Any:
        """The prevalence as a horizontal line; of several folds as faint lines with one label."""
        shares = self.prevalence_pos_label
        if shares is None:
            raise ValueError("PrecisionRecallDisplay: prevalence_pos_label is needed to draw the chance level")
        words = f"chance (AP = {np.mean(shares):0.2f})"
        if not isinstance(shares, list):
            return draw_chance_level(self.ax_, [0, 1], [shares, shares], words, style)
        faint = {"alpha": 0.3, **(style or {})}
        labels = [words, *([""] * (len(shares) - 1))]
        pairs = zip(shares, labels, strict=True)
        return [draw_chance_level(self.ax_, [0, 1], [share, share], label, faint) for share, label in pairs]


STEPS = {"drawstyle": "steps-post"}
