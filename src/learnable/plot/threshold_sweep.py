"""Error rates over all thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core.validate.sparse_input import ChecksSparse
from ..metrics import equal_error_rate, operating_points
from ._binary_base import positive_words, scores_of
from ._style import BLUE, GREY, ORANGE, axes_or_new, plain


@dataclass
class ThresholdDisplay(ChecksSparse):
    """False positive and false negative rates against the decision threshold; they cross at the equal error rate.

    >>> ThresholdDisplay([0.0, 1.0], [1.0, 0.0], [0.0, 1.0], 0.5, 0.5).equal_error_rate
    0.5
    """

    thresholds: Any
    false_alarm_rate: Any
    miss_rate: Any
    equal_error_rate: float
    equal_error_threshold: float
    pos_label: Any = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, response_method: Any = "auto", pos_label: Any = None, **options: Any
    ) -> Self:
        """Score the rows of `X` by a binary classifier and draw."""
        scores, positive, _ = scores_of(estimator, X, response_method, pos_label, None)
        return cls.from_predictions(y, scores, pos_label=positive, **options)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None, **options: Any
    ) -> Self:
        """Draw the rates of scores of the positive class."""
        given = {"pos_label": pos_label, "sample_weight": sample_weight}
        points, crossing = operating_points(y_true, y_score, **given), equal_error_rate(y_true, y_score, **given)
        rates = points.thresholds[1:], points.false_alarm_rate[1:], points.miss_rate[1:]
        return cls(*rates, *crossing, pos_label).plot(**options)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        thresholds = np.asarray(self.thresholds)
        style = {"where": "post", "linewidth": 1.8}
        (self.alarms_,) = self.ax_.step(
            thresholds, self.false_alarm_rate, color=ORANGE, label="false positives", **style
        )
        (self.misses_,) = self.ax_.step(thresholds, self.miss_rate, color=BLUE, label="false negatives", **style)
        label = f"equal errors: {self.equal_error_rate:.3f} at {self.equal_error_threshold:.3g}"
        self.ax_.axvline(self.equal_error_threshold, color=GREY, linestyle="--", linewidth=1)
        place = [self.equal_error_threshold], [self.equal_error_rate]
        (self.crossing_,) = self.ax_.plot(*place, "o", color=GREY, label=label)
        words = positive_words(self.pos_label)
        self.ax_.set(xlabel=f"threshold{words}", ylabel="rate", ylim=(-0.02, 1.02))
        self.ax_.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
        return self
