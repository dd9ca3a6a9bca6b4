"""Areas under curves: ROC AUC and average precision, for two classes, several classes, several labels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Label, Rows, checked
from ..core.errors import DataError, ParameterError, UndefinedMetricWarning, warn
from ._labels import coded, label_array, label_kind
from ._threshold_sweep import Scored, scored
from ._validate import numbers, same_length, weights
from .curves import auc, precision_and_recall, roc_curve

Score = Callable[[Array, Array, Array | None], float]
Average = Literal["micro", "macro", "samples", "weighted"] | None


@checked()
def roc_auc_score(
    y_true: Rows,
    y_score: Rows,
    *,
    average: Average = "macro",
    sample_weight: Rows | None = None,
    max_fpr: float | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: Column | None = None,
) -> Any:
    """Area under the ROC curve (AUC): how often a positive scores higher than a negative, ties counting half.

    1 / (P N) sum over pairs of 1(s+ > s-) + 1(s+ = s-) / 2

    Several classes are taken one against the rest ("ovr") or in pairs ("ovo"), by their probabilities. With `max_fpr`,
    only the part up to that false positive rate, rescaled so that chance is 1/2. [Hand and Till, 2001; McClish, 1989]

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    owner = "roc_auc_score"
    truth, scores = label_array(owner, y_true, "y_true"), numbers(owner, y_score, "y_score")
    same_length(owner, y_true=truth, y_score=scores)
    weight = weights(owner, sample_weight, len(truth))

    def area(positive: Array, column: Array, weight: Array | None) -> float:
        return _area(Scored(np.ascontiguousarray(column), positive.astype(np.uint8, copy=False), weight), max_fpr)

    if label_kind(owner, truth, "y_true") == "multilabel-indicator":
        return average_over_labels(owner, area, truth != 0, scores, average, weight)
    classes, (codes,) = coded(owner, truth)
    if len(classes) > 2 or (scores.ndim == 2 and scores.shape[1] > 2):
        if max_fpr is not None and max_fpr != 1.0:
            raise ParameterError(
                f"roc_auc_score: a part of the area (max_fpr={max_fpr}) is defined for two classes; leave max_fpr at "
                "None"
            )
        return _several_classes(area, truth, scores, average, multi_class, labels, weight)
    if scores.ndim == 2 and scores.shape[1] != 1:
        raise DataError(f"{owner}: y_score should be a 1d array for two classes; got shape {scores.shape}")
    return area((codes == 1).view(np.uint8) if len(classes) == 2 else codes.astype(np.uint8), scores.ravel(), weight)


@checked()
def average_precision_score(
    y_true: Rows,
    y_score: Rows,
    *,
    average: Average = "macro",
    pos_label: Label | None = 1,
    sample_weight: Rows | None = None,
) -> Any:
    """Average precision: the area under the precision-recall curve, sum (R_k - R_(k-1)) P_k, without interpolation.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    owner = "average_precision_score"
    truth, scores = label_array(owner, y_true, "y_true"), numbers(owner, y_score, "y_score")
    same_length(owner, y_true=truth, y_score=scores)
    if label_kind(owner, truth, "y_true") != "multilabel-indicator":
        classes, (codes,) = coded(owner, truth)
        if len(classes) <= 2:
            if len(classes) == 2 and pos_label not in classes.tolist():
                raise ParameterError(f"pos_label={pos_label} is not one of the classes {classes}; choose one of them")
            return _precision_area(scored(owner, truth, scores, pos_label, sample_weight))
        if scores.shape != (len(truth), len(classes)):
            raise DataError(f"{owner}: several classes need a column of y_score each; its shape is {scores.shape}")
        truth = codes[:, None] == np.arange(len(classes))
    if pos_label != 1:
        raise ParameterError(
            f"{owner}: Parameter pos_label is fixed to 1 for several labels. "
            "Do not set pos_label or set pos_label to 1."
        )

    def area(positive: Array, column: Array, weight: Array | None) -> float:
        return _precision_area(Scored(np.ascontiguousarray(column), positive.astype(np.uint8), weight))

    return average_over_labels(owner, area, truth != 0, scores, average, weights(owner, sample_weight, len(truth)))


def average_over_labels(
    owner: str, score: Score, truth: Array, scores: Array, average: Average, weight: Array | None
) -> Any:
    """A score of two classes for every label (column), or every row, averaged."""
    if truth.shape != scores.shape:
        raise DataError(f"{owner}: y_true has shape {truth.shape} and y_score {scores.shape}; they must be equal")
    if average == "micro":
        flat = None if weight is None else np.repeat(weight, truth.shape[1])
        return score(truth.ravel(), scores.ravel(), flat)
    if average == "samples":
        if weight is not None:  # a row that does not count need not have a score
            truth, scores, weight = (part[weight > 0] for part in (truth, scores, weight))
        rows = [score(t, s, None) for t, s in zip(truth, scores, strict=True)]
        return float(np.average(rows, weights=weight))
    if average not in (None, "macro", "weighted"):
        raise ParameterError(f"{owner}: average is None, micro, macro, weighted or samples; got {average!r}")
    values = np.array([score(t, s, weight) for t, s in zip(truth.T, scores.T, strict=True)])
    if average is None:
        return values
    shares = None
    if average == "weighted":
        shares = truth.sum(axis=0) if weight is None else weight @ truth
        if np.isclose(shares.sum(), 0.0):
            return 0.0
        values = np.where(shares > 0, values, 0)
    return float(np.average(values, weights=shares))


def _area(data: Scored, max_fpr: float | None) -> float:
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise ParameterError(f"Expected max_fpr in range (0, 1], got: {max_fpr!r}")
    if max_fpr is not None and max_fpr < 1:
        return _partial_area(data, max_fpr)
    area, positives, negatives = data.area()
    if positives == 0 or negatives == 0:
        return _undefined()
    return area / (positives * negatives)


def _partial_area(data: Scored, max_fpr: float) -> float:
    """The area up to a false positive rate, rescaled so that chance is 1/2 and perfection 1."""
    _, positives, negatives = data.area()
    if positives == 0 or negatives == 0:
        return _undefined()
    alarms, hits, _ = roc_curve(data.positive, data.scores, sample_weight=data.weight, drop_intermediate=True)
    stop = int(np.searchsorted(alarms, max_fpr, "right"))
    end = np.interp(max_fpr, alarms[stop - 1 : stop + 1], hits[stop - 1 : stop + 1])
    area = auc(np.append(alarms[:stop], max_fpr), np.append(hits[:stop], end))
    least = 0.5 * max_fpr**2
    return 0.5 * (1 + (area - least) / (max_fpr - least))


def _undefined() -> float:
    warn("y_true holds one class, and ranks need two: the area is NaN.", UndefinedMetricWarning)
    return float("nan")


def _precision_area(data: Scored) -> float:
    precision, recall = precision_and_recall(data.sweep())
    return float(max(0.0, np.sum(np.diff(recall, prepend=0.0) * precision)))


def _several_classes(
    area: Score, truth: Array, scores: Array, average: Average, multi_class: str, labels: Any, weight: Array | None
) -> Any:
    owner = "roc_auc_score"
    if multi_class not in ("ovr", "ovo"):
        raise ParameterError(f"{owner}: multi_class is 'ovo' or 'ovr'; got {multi_class!r}")
    classes, codes = score_columns(owner, truth, scores, labels)
    if not np.allclose(1, scores.sum(axis=1)):
        raise DataError(f"{owner}: with several classes scores must be probabilities that sum to one in each row")
    if average not in (("macro", "weighted") if multi_class == "ovo" else ("micro", "macro", "weighted", None)):
        if average is None:
            raise NotImplementedError("roc_auc_score: average=None needs multi_class='ovr'; choose an average")
        raise ParameterError(f"{owner}: average={average!r} is not supported for multi_class={multi_class!r}")
    if multi_class == "ovr":
        return average_over_labels(owner, area, codes[:, None] == np.arange(len(classes)), scores, average, weight)
    return _pairs(area, codes, scores, average, weight)


def _pairs(area: Score, codes: Array, scores: Array, average: Average, weight: Array | None) -> float:
    """The mean over pairs of classes of how well either's score separates them."""
    values, shares = [], []
    counted = np.ones(len(codes)) if weight is None else weight
    for a, b in combinations(np.unique(codes), 2):
        rows = (codes == a) | (codes == b)
        here = None if weight is None else weight[rows]
        both = [area(codes[rows] == label, scores[rows, label], here) for label in (a, b)]
        values.append(np.mean(both))
        shares.append(counted[rows].sum() / counted.sum())
    return float(np.average(values, weights=shares if average == "weighted" else None))


def score_columns(owner: str, truth: Array, scores: Array, labels: Any) -> tuple[Array, Array]:
    """The classes that the columns of `scores` stand for, and the code of every row among them."""
    if scores.ndim != 2:
        raise DataError(f"{owner}: several classes need a column of y_score each; its shape is {scores.shape}")
    if labels is None:
        classes, (codes,) = coded(owner, truth)
        if len(classes) != scores.shape[1]:
            raise DataError(
                f"{owner}: y_true has {len(classes)} classes, y_score has {scores.shape[1]} columns; give all classes "
                "as labels"
            )
        return classes, codes
    return _given_columns(owner, truth, scores.shape[1], label_array(owner, labels, "labels"))


def _given_columns(owner: str, truth: Array, columns: int, given: Array) -> tuple[Array, Array]:
    classes, (indices,) = coded(owner, given)
    if len(classes) != len(given):
        raise ParameterError(f"{owner}: labels names a class more than once")
    if not (indices == np.arange(len(given))).all():
        raise ParameterError(f"{owner}: labels must be sorted, as the columns of y_score are")
    if len(classes) != columns:
        raise ParameterError(
            f"{owner}: labels names {len(classes)} classes, y_score has {columns} columns: one is needed for each"
        )
    together, (codes, _) = coded(owner, truth, given)
    if len(together) != len(classes):
        raise ParameterError(f"{owner}: y_true holds classes that labels does not name")
    return classes, codes
