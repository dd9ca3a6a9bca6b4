"""All thresholds at once: scores in falling order, with the weight of positives and negatives above each.

ROC, precision-recall and DET curves, average precision, equal error rates and operating points all read this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.runtime.native import kernels
from ._labels import coded, label_array, label_kind
from ._validate import same_length, scores_column, weights


@dataclass(frozen=True, slots=True)
class Sweep:
    """For each distinct score, falling: what is found (hits) and what is wrongly found (alarms) from there up."""

    thresholds: Array
    hits: Array
    alarms: Array

    @property
    def positives(self) -> float:
        """The weight of all positive rows."""
        return float(self.hits[-1])

    @property
    def negatives(self) -> float:
        """The weight of all negative rows."""
        return float(self.alarms[-1])

    def kept(self, rows: Array) -> Sweep:
        """The thresholds chosen by a mask."""
        return Sweep(self.thresholds[rows], self.hits[rows], self.alarms[rows])

    def from_nothing(self) -> Sweep:
        """The same, starting with a threshold above all scores."""
        return Sweep(*(np.concatenate([[first], values]) for first, values in
                       ((np.inf, self.thresholds), (0.0, self.hits), (0.0, self.alarms))))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of rows, which of them are positive, and what they count."""

    scores: Array
    positive: Array
    weight: Array | None

    def sweep(self) -> Sweep:
        """The counts at every threshold."""
        return Sweep(*kernels.threshold_counts(self.scores, self.positive, self.weight))

    def area(self) -> tuple[float, float, float]:
        """Weight of rightly ordered pairs (ties count half), of positives and of negatives."""
        return kernels.ranked_area(self.scores, self.positive, self.weight)


def scored(owner: str, y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None) -> Scored:
    """Scores of a positive class, checked."""
    truth = label_array(owner, y_true, "y_true")
    scores = scores_column(owner, y_score)
    same_length(owner, y_true=truth, y_score=scores)
    if label_kind(owner, truth, "y_true") != "classes":
        raise DataError(f"{owner}: multilabel-indicator format is not supported; pass one column of it")
    positive = positive_rows(owner, truth, pos_label)
    return Scored(scores, positive, weights(owner, sample_weight, len(truth)))


def positive_rows(owner: str, truth: Array, pos_label: Any) -> Array:
    """One for each row of the class `pos_label` (None: 1 of {0, 1} or {-1, 1}), zero for others."""
    classes, (codes,) = coded(owner, truth)
    if pos_label is None:
        if classes.dtype.kind in "OUST" or not (set(classes.tolist()) <= {0, 1} or set(classes.tolist()) <= {-1, 1}):
            if len(classes) > 2:
                raise DataError(f"{owner}: multiclass format is not supported; choose a class by pos_label")
            listed = ", ".join(repr(label) for label in classes.tolist())
            raise ParameterError(
                f"{owner}: which of {{{listed}}} is positive? Give pos_label, or code y_true as 0 and 1, or -1 and 1."
            )
        pos_label = 1
    place = classes.tolist().index(pos_label) if pos_label in classes.tolist() else -1
    return np.asarray(codes == place).view(np.uint8)
