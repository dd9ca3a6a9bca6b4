"""How many labels are right: accuracy and its corrected forms, agreement beyond chance."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Rows, checked
from ..core.errors import ParameterError, UndefinedMetricWarning, warn
from ._labels import Labelled, labelled
from .confusion import confusion_table


@checked()
def accuracy_score(y_true: Rows, y_pred: Rows, *, normalize: bool = True, sample_weight: Rows | None = None) -> float:
    """Accuracy: the fraction (or number) of correct labels; with several labels a row, all of them must be correct.

    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """
    data = labelled("accuracy_score", y_true, y_pred, sample_weight)
    return _right(data, normalize)


@checked()
def error_rate(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Error rate: the fraction of incorrect labels, 1 - accuracy.

    >>> error_rate([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    """
    return 1 - _right(labelled("error_rate", y_true, y_pred, sample_weight), True)


@checked()
def zero_one_loss(y_true: Rows, y_pred: Rows, *, normalize: bool = True, sample_weight: Rows | None = None) -> float:
    """Zero-one loss: the fraction (or number) of incorrect labels.

    >>> zero_one_loss([1, 2, 3], [1, 2, 2], normalize=False)
    1.0
    """
    data = labelled("zero_one_loss", y_true, y_pred, sample_weight)
    total = 1.0 if normalize else (len(data.truth) if data.weight is None else float(data.weight.sum()))
    return total - _right(data, normalize)


@checked()
def hamming_loss(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Hamming loss: the fraction of incorrect labels, where each of several labels of a row counts by itself.

    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]])
    0.25
    """
    data = labelled("hamming_loss", y_true, y_pred, sample_weight)
    wrong = data.truth != data.predicted
    return float(np.average(wrong.mean(axis=1) if data.several else wrong, weights=data.weight))


@checked()
def balanced_accuracy_score(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, adjusted: bool = False
) -> float:
    """Balanced accuracy: the mean of the recalls of the classes.

    sum 1(p = y) v / sum v,  v_i = w_i / (weight of the class of row i); `adjusted` makes chance 0.

    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    owner = "balanced_accuracy_score"
    table = confusion_table(owner, labelled(owner, y_true, y_pred, sample_weight))
    there = table.sum(axis=1)
    if not there.all():
        warn("y_pred contains classes not in y_true", UserWarning)
    recalls = table.diagonal()[there > 0] / there[there > 0]
    score = float(recalls.mean())
    if not adjusted:
        return score
    chance_level = 1 / len(recalls)
    return (score - chance_level) / (1 - chance_level) if chance_level < 1 else float("nan")


@checked()
def matthews_corrcoef(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Matthews correlation coefficient of true and predicted classes; 0 where it is undefined.

    (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)) for two classes

    >>> round(matthews_corrcoef([1, 1, 1, -1], [1, -1, 1, 1]), 4)
    -0.3333
    """
    owner = "matthews_corrcoef"
    table = confusion_table(owner, labelled(owner, y_true, y_pred, sample_weight)).astype(np.float64)
    actual, predicted, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    spread = (total**2 - predicted @ predicted) * (total**2 - actual @ actual)
    if spread == 0:
        return 0.0
    return float((np.trace(table) * total - actual @ predicted) / np.sqrt(spread))


@checked()
def cohen_kappa_score(
    y1: Rows,
    y2: Rows,
    *,
    labels: Column | None = None,
    weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: Rows | None = None,
    replace_undefined_by: float = np.nan,
) -> float:
    """Cohen's kappa.

    Agreement of two raters beyond chance, 1 - disagreement / disagreement expected of independent raters.

    `weights` makes distant classes disagree more, by their distance or its square.

    >>> round(cohen_kappa_score([0, 1, 1, 0], [0, 1, 0, 0]), 4)
    0.5
    """
    owner = "cohen_kappa_score"
    if weights not in (None, "linear", "quadratic"):
        raise ParameterError(f"{owner}: weights must be 'linear', 'quadratic' or None; got {weights!r}")
    table = confusion_table(owner, labelled(owner, y1, y2, sample_weight), labels).astype(np.float64)
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total if total else np.zeros_like(table)
    cost = _disagreement(len(table), weights)
    if (cost * expected).sum() == 0:
        warn(
            "y1 and y2 share at most one of the labels, for which kappa is 0/0; it is set to "
            f"replace_undefined_by={replace_undefined_by}.",
            UndefinedMetricWarning,
        )
        return replace_undefined_by
    return float(1 - (cost * table).sum() / (cost * expected).sum())


def _right(data: Labelled, normalize: bool) -> float:
    """The share or the weight of right rows."""
    right = data.truth == data.predicted
    if data.several:
        right = right.all(axis=1)
    if normalize:
        return float(np.average(right, weights=data.weight))
    return float(right.sum() if data.weight is None else data.weight @ right)


def _disagreement(size: int, weights: str | None) -> Array:
    distance = np.abs(np.arange(size)[:, None] - np.arange(size)).astype(np.float64)
    costs = {None: np.sign(distance), "linear": distance, "quadratic": distance**2}
    return np.asarray(costs[weights])
