"""Choosing a threshold: every operating point, the equal error rate, the cheapest point."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Label, Rows, checked
from ..core.errors import DataError, ParameterError
from ._threshold_sweep import Scored, scored


@dataclass(frozen=True)
class OperatingPoints:
    """Counts at each threshold, from no row predicted positive (infinity) to all of them, in falling order.

    A row is called positive if its score is at least the threshold.
    """

    thresholds: Array
    true_positives: Array
    false_positives: Array
    false_alarm_rate: Array
    miss_rate: Array
    precision: Array
    recall: Array
    f1: Array

    def at(self, place: int) -> dict[str, float]:
        """Everything about one threshold."""
        return {field.name.removesuffix("s"): float(getattr(self, field.name)[place]) for field in fields(self)}

    def best(
        self, *, most_false_alarms: float | None = None, most_misses: float | None = None, by: str = "f1"
    ) -> dict[str, float]:
        """The point that keeps the required rates and is best otherwise.

        With a bound on false positives, the fewest false negatives, and the reverse; with neither,
        the largest of the column `by`.
        """
        allowed = np.ones(len(self.thresholds), dtype=bool)
        goal = getattr(self, by)
        if most_misses is not None:
            allowed &= self.miss_rate <= most_misses
            goal = -self.false_alarm_rate
        if most_false_alarms is not None:
            allowed &= self.false_alarm_rate <= most_false_alarms
            goal = -self.miss_rate
        if not allowed.any():
            raise ParameterError("OperatingPoints.best: no threshold keeps both rates; allow more of one of them")
        return self.at(int(np.argmax(np.where(allowed, np.nan_to_num(goal, nan=-np.inf), -np.inf))))


class EqualErrorRate(NamedTuple):
    """The equal error rate, where the false positive rate equals the false negative rate, and its threshold."""

    rate: float
    threshold: float


@checked()
def operating_points(
    y_true: Rows, y_score: Rows, *, pos_label: Label | None = None, sample_weight: Rows | None = None
) -> OperatingPoints:
    """False alarms, false negatives, precision, recall and F1 at every threshold of the scores.

    >>> points = operating_points([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> points.best(most_misses=0.0)["threshold"], points.best(most_false_alarms=0.0)["threshold"]
    (0.35, 0.8)
    """
    found = both_classes("operating_points", y_true, y_score, pos_label, sample_weight).sweep().from_nothing()
    called = found.hits + found.alarms
    with np.errstate(invalid="ignore"):
        precision = np.where(called > 0, found.hits / np.where(called > 0, called, 1), np.nan)
    return OperatingPoints(
        found.thresholds,
        found.hits,
        found.alarms,
        found.alarms / found.negatives,
        1 - found.hits / found.positives,
        precision,
        found.hits / found.positives,
        2 * found.hits / (called + found.positives),
    )


@checked()
def equal_error_rate(
    y_true: Rows, y_score: Rows, *, pos_label: Label | None = None, sample_weight: Rows | None = None
) -> EqualErrorRate:
    """Equal error rate, where false positive and false negative rate cross: 0 is perfect, 1/2 is chance; interpolated.

    >>> equal_error_rate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    EqualErrorRate(rate=0.5, threshold=0.4)
    """
    found = both_classes("equal_error_rate", y_true, y_score, pos_label, sample_weight).sweep().from_nothing()
    alarms, missed = found.alarms / found.negatives, 1 - found.hits / found.positives
    after = int(np.argmax(alarms >= missed))  # false negatives fall from 1 to 0 while alarms rise from 0 to 1
    before = after - 1
    differences = missed[before] - alarms[before], alarms[after] - missed[after]
    share = differences[0] / (differences[0] + differences[1])
    rate = alarms[before] + share * (alarms[after] - alarms[before])
    low, high = found.thresholds[after], found.thresholds[before]
    threshold = low if np.isinf(high) or share == 1 else high + share * (low - high)
    return EqualErrorRate(float(rate), float(threshold))


@checked()
def neyman_pearson_threshold(
    y_true: Rows,
    y_score: Rows,
    *,
    kappa: float = 1.0,
    pos_label: Label | None = None,
    sample_weight: Rows | None = None,
) -> tuple[float, float]:
    """The threshold with the least kappa FN / n + FP / n, and that error; the highest of equally good ones.

    >>> neyman_pearson_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], kappa=3.0)
    (0.35, 0.25)
    """
    if kappa < 0:
        raise ParameterError(f"neyman_pearson_threshold: kappa must not be negative; got {kappa!r}")
    found = scored("neyman_pearson_threshold", y_true, y_score, pos_label, sample_weight).sweep().from_nothing()
    total = found.positives + found.negatives
    errors = (kappa * (found.positives - found.hits) + found.alarms) / total
    best = int(np.argmin(errors))
    return float(found.thresholds[best]), float(errors[best])


def both_classes(owner: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Scored:
    """Scores of a positive class beside another one."""
    data = scored(owner, y_true, y_score, pos_label, sample_weight)
    counted = data.positive if data.weight is None else data.positive[data.weight > 0]
    if counted.all() or not counted.any():
        raise DataError(f"{owner}: y_true has rows of one class only; rates of both classes are needed")
    return data
