"""Curves over all thresholds: ROC, precision-recall, DET, and areas under them."""

from __future__ import annotations

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Label, Rows, checked
from ..core.errors import DataError, UndefinedMetricWarning, warn
from ._threshold_sweep import Sweep, scored
from ._validate import numbers, same_length


@checked()
def confusion_matrix_at_thresholds(
    y_true: Rows, y_score: Rows, *, pos_label: Label | None = None, sample_weight: Rows | None = None
) -> tuple[Array, Array, Array, Array, Array]:
    """True and false negatives and positives for each decision threshold, in descending order.

    >>> [part.tolist() for part in confusion_matrix_at_thresholds([0, 1, 1], [0.1, 0.8, 0.4])]
    [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 2.0, 2.0], [0.8, 0.4, 0.1]]
    """
    found = scored("confusion_matrix_at_thresholds", y_true, y_score, pos_label, sample_weight).sweep()
    missed, rejected = found.positives - found.hits, found.negatives - found.alarms
    return rejected, found.alarms, missed, found.hits, found.thresholds


@checked()
def roc_curve(
    y_true: Rows,
    y_score: Rows,
    *,
    pos_label: Label | None = None,
    sample_weight: Rows | None = None,
    drop_intermediate: bool = True,
) -> tuple[Array, Array, Array]:
    """ROC curve: false positive rate FP / N and true positive rate TP / P for decreasing thresholds, from infinity on.

    `drop_intermediate` leaves out points inside straight pieces.

    >>> [part.tolist() for part in roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])]
    [[0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1]]
    """
    found = scored("roc_curve", y_true, y_score, pos_label, sample_weight).sweep()
    if drop_intermediate and len(found.hits) > 2:
        found = found.kept(_turns((np.diff(found.alarms, 2) != 0) | (np.diff(found.hits, 2) != 0)))
    found = found.from_nothing()
    rates = _rate(found.alarms, "negative", "false positive"), _rate(found.hits, "positive", "true positive")
    return *rates, found.thresholds


@checked()
def precision_recall_curve(
    y_true: Rows,
    y_score: Rows,
    *,
    pos_label: Label | None = None,
    sample_weight: Rows | None = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """Precision-recall curve: precision TP / (TP + FP) and recall TP / P by increasing threshold, and the end (1, 0).

    >>> [part.tolist() for part in precision_recall_curve([0, 1, 1], [0.1, 0.8, 0.4])]
    [[0.6666666666666666, 1.0, 1.0, 1.0], [1.0, 1.0, 0.5, 0.0], [0.1, 0.4, 0.8]]
    """
    found = scored("precision_recall_curve", y_true, y_score, pos_label, sample_weight).sweep()
    if drop_intermediate and len(found.hits) > 2:
        steps = np.diff(found.hits) != 0
        found = found.kept(_turns(steps[:-1] | steps[1:]))
    precision, recall = precision_and_recall(found)
    return np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), found.thresholds[::-1]


def precision_and_recall(found: Sweep) -> tuple[Array, Array]:
    """Both at every threshold of a sweep; recall is 1 without positives."""
    called = found.hits + found.alarms
    precision = np.divide(found.hits, called, out=np.zeros_like(called), where=called != 0)
    if found.positives == 0:
        warn("No row of y_true is positive: recall is 0/0, and taken as one everywhere.", UserWarning)
        return precision, np.ones_like(precision)
    return precision, found.hits / found.positives


@checked()
def det_curve(
    y_true: Rows,
    y_score: Rows,
    pos_label: Label | None = None,
    sample_weight: Rows | None = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """DET curve: false positive rate FP / N and false negative rate FN / P for increasing thresholds.

    >>> [part.tolist() for part in det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])]
    [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8]]
    """
    found = scored("det_curve", y_true, y_score, pos_label, sample_weight).sweep().from_nothing()
    if drop_intermediate and len(found.hits) > 2:
        steps = np.diff(found.hits) != 0
        found = found.kept(_turns(steps[:-1] | steps[1:]))
    if not found.positives or not found.negatives:
        raise DataError("det_curve: y_true holds one class, and error rates need two")
    first = np.searchsorted(found.alarms, 0.0, side="right") - 1
    last = np.searchsorted(found.hits, found.hits[-1]) + 1
    part = found.kept(np.arange(first, last)[::-1])
    return part.alarms / found.negatives, (found.positives - part.hits) / found.positives, part.thresholds


@checked()
def auc(x: Rows, y: Rows) -> float:
    """Area under a curve by the trapezoidal rule; x must be monotonic.

    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    abscissae, heights = numbers("auc", x, "x").ravel(), numbers("auc", y, "y").ravel()
    same_length("auc", x=abscissae, y=heights)
    if len(abscissae) < 2:
        raise DataError(f"auc: an area needs two points or more; x has the shape {abscissae.shape}")
    steps = np.diff(abscissae)
    if (steps < 0).any() and (steps > 0).any():
        raise DataError(f"auc: x is neither increasing nor decreasing; sort the points: {abscissae}")
    return float(np.sum(np.abs(steps) * (heights[1:] + heights[:-1]) / 2))


def _turns(inside: Array) -> Array:
    """A mask of the points to keep: both ends, and those `inside` that matter."""
    return np.concatenate([[True], inside, [True]])


def _rate(counts: Array, kind: str, name: str) -> Array:
    if counts[-1] <= 0:
        warn(f"No {kind} samples in y_true, {name} value should be meaningless", UndefinedMetricWarning)
        return np.full(len(counts), np.nan)
    return np.asarray(counts / counts[-1])
