"""Calibration curve, or reliability diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..calibration.curve import binned
from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..metrics._threshold_sweep import scored
from ..parts.confidence_intervals import wilson
from ._binary_base import draw_chance_level, draw_line, legend, scores_of, square_axes

Strategy = Literal["uniform", "quantile"]


@dataclass
class CalibrationDisplay(ChecksSparse):
    """Calibration curve (reliability diagram): the fraction of positives against the predicted probability, in bins.

    `band` has the lower and the upper ends of intervals of the fractions.

    >>> CalibrationDisplay([0.1], [0.2], [0.2]).estimator_name is None
    True
    """

    prob_true: Any
    prob_pred: Any
    y_prob: Any
    estimator_name: str | None = None
    pos_label: Any = None
    band: tuple[Array, Array] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, pos_label: Any = None, name: str | None = None, **options: Any
    ) -> Self:
        """Predict probabilities for the rows of `X` by a binary classifier and draw."""
        scores, positive, called = scores_of(estimator, X, "predict_proba", pos_label, name)
        return cls.from_predictions(y, scores, pos_label=positive, name=called, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        n_bins: int = 5,
        strategy: Strategy = "uniform",
        pos_label: Any = None,
        name: str | None = None,
        sample_weight: Any = None,
        confidence: float | None = None,
        **options: Any,
    ) -> Self:
        """Put the rows into bins of equal width ("uniform") or equal numbers ("quantile") and draw.

        A `confidence`, such as 0.95, adds a band of Wilson's intervals of the fractions.
        """
        data = scored("CalibrationDisplay", y_true, y_prob, pos_label, sample_weight)
        true, predicted, count = binned(cls.__name__, data.positive, data.scores, data.weight, n_bins, strategy)
        band = None if confidence is None else _intervals(true, count, confidence)
        return cls(true, predicted, data.scores, name, pos_label, band).plot(**options)

    def plot(self, *, ax: Any = None, name: str | None = None, ref_line: bool = True, **options: Any) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = square_axes(ax)
        self.figure_ = self.ax_.figure
        if ref_line and "Perfectly calibrated" not in self.ax_.get_legend_handles_labels()[1]:
            draw_chance_level(self.ax_, [0, 1], [0, 1], "Perfectly calibrated", None)
        style = {"marker": "s", "markersize": 4, **options}
        self.line_ = draw_line(self.ax_, self.prob_pred, self.prob_true, name or self.estimator_name, style)
        if self.band is not None:
            self.ax_.fill_between(self.prob_pred, *self.band, color=self.line_.get_color(), alpha=0.2, linewidth=0)
        words = "" if self.pos_label is None else f" (Positive class: {self.pos_label})"
        self.ax_.set(xlabel=f"Mean predicted probability{words}", ylabel=f"Fraction of positives{words}")
        legend(self.ax_, "lower right")
        return self


def _intervals(share: Array, count: Array, confidence: float) -> tuple[Array, Array]:
    """The lower and the upper ends of intervals of proportions of the given numbers of rows."""
    low, high = zip(*(wilson(s * n, n, confidence) for s, n in zip(share, count, strict=True)), strict=True)
    return np.array(low), np.array(high)
