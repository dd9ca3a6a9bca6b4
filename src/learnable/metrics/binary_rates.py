"""Rates of a positive class against the rest: all are quotients of the four counts TP, FP, FN, TN."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.declare.checked_functions import Column, Label, Rows, checked
from ..core.errors import DataError, ParameterError, UndefinedMetricWarning, warn
from ._counts import class_counts
from ._labels import labelled
from .confusion import confusion_table


def binary_counts(
    owner: str, y_true: Any, y_pred: Any, pos_label: Any = 1, sample_weight: Any = None
) -> tuple[float, float, float, float]:
    """TN, FP, FN, TP of the class `pos_label` against all others."""
    data = labelled(owner, y_true, y_pred, sample_weight)
    if data.several:
        raise DataError(f"{owner}: the target is multilabel; pass one of its columns")
    if pos_label not in data.classes.tolist() and len(data.classes) > 1:
        raise ParameterError(f"{owner}: pos_label={pos_label!r} is not among the labels {data.classes.tolist()}")
    counts = class_counts(owner, data, [pos_label])
    parts = (counts.true_negatives, counts.false_positives, counts.false_negatives, counts.hits)
    return tuple(float(part[0]) for part in parts)  # type: ignore[return-value]  # four of them


@checked()
def specificity(y_true: Rows, y_pred: Rows, *, pos_label: Label | None = 1, sample_weight: Rows | None = None) -> float:
    """Specificity (true negative rate), TN / (TN + FP); NaN without any negative.

    >>> specificity([1, 1, 0, 0], [1, 0, 0, 1])
    0.5
    """
    tn, fp, _, _ = binary_counts("specificity", y_true, y_pred, pos_label, sample_weight)
    return _share(tn, tn + fp)


@checked()
def false_alarm_rate(
    y_true: Rows, y_pred: Rows, *, pos_label: Label | None = 1, sample_weight: Rows | None = None
) -> float:
    """False alarm rate (false positive rate), FP / (FP + TN).

    >>> false_alarm_rate([1, 1, 0, 0], [1, 0, 0, 1])
    0.5
    """
    tn, fp, _, _ = binary_counts("false_alarm_rate", y_true, y_pred, pos_label, sample_weight)
    return _share(fp, tn + fp)


@checked()
def false_negative_rate(
    y_true: Rows, y_pred: Rows, *, pos_label: Label | None = 1, sample_weight: Rows | None = None
) -> float:
    """False negative rate, FN / (FN + TP) = 1 - recall.

    >>> false_negative_rate([1, 1, 0, 0], [1, 0, 0, 1])
    0.5
    """
    _, _, fn, tp = binary_counts("false_negative_rate", y_true, y_pred, pos_label, sample_weight)
    return _share(fn, fn + tp)


@checked()
def joint_error_fractions(
    y_true: Rows, y_pred: Rows, *, pos_label: Label | None = 1, sample_weight: Rows | None = None
) -> tuple[float, float]:
    """False positives and false negatives as fractions of all rows, FP / n and FN / n: they add up to the error rate.

    >>> joint_error_fractions([1, 1, 0, 0], [1, 0, 0, 1])
    (0.25, 0.25)
    """
    tn, fp, fn, tp = binary_counts("joint_error_fractions", y_true, y_pred, pos_label, sample_weight)
    total = tn + fp + fn + tp
    return fp / total, fn / total


@checked()
def cost_sensitive_error(
    y_true: Rows,
    y_pred: Rows,
    *,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    true_positive: float = 1.0,
    true_negative: float = 1.0,
    pos_label: Label | None = 1,
    sample_weight: Rows | None = None,
) -> float:
    """The error rate where each kind of prediction counts by its weight: wrong / (wrong + right), after weighting.

    >>> cost_sensitive_error([1, 1, 0, 0], [1, 0, 0, 1], false_negative=3.0)
    0.6666666666666666
    """
    tn, fp, fn, tp = binary_counts("cost_sensitive_error", y_true, y_pred, pos_label, sample_weight)
    wrong = false_positive * fp + false_negative * fn
    return _share(wrong, wrong + true_positive * tp + true_negative * tn)


@checked()
def neyman_pearson_error(
    y_true: Rows, y_pred: Rows, *, kappa: float = 1.0, pos_label: Label | None = 1, sample_weight: Rows | None = None
) -> float:
    """kappa FN / n + FP / n: a missed positive costs kappa times a false alarm.

    `neyman_pearson_threshold` finds the threshold of scores at which it is smallest.

    >>> neyman_pearson_error([1, 1, 0, 0], [1, 0, 0, 1], kappa=3.0)
    1.0
    """
    fp, fn = joint_error_fractions(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return kappa * fn + fp


@checked()
def class_likelihood_ratios(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    sample_weight: Rows | None = None,
    replace_undefined_by: float | dict[str, float] = np.nan,
) -> tuple[float, float]:
    """Class likelihood ratios, the factors by which a positive and a negative prediction change the odds.

    LR+ = TPR / FPR and LR- = FNR / TNR.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    owner = "class_likelihood_ratios"
    data = labelled(owner, y_true, y_pred, sample_weight)
    if data.kind != "binary":
        raise DataError(f"{owner} is defined for two classes, but the target is {data.kind}")
    table = confusion_table(owner, data, labels).astype(np.float64)
    if table.shape != (2, 2):
        raise DataError(f"{owner}: needs two classes; pass both as labels")
    (tn, fp), (fn, tp) = table.tolist()
    instead = _stand_ins(owner, replace_undefined_by)
    if tp + fn == 0:
        warn("No row of y_true is positive: both ratios are undefined.", UndefinedMetricWarning)
    up = _ratio(tp * (tn + fp), fp * (tp + fn), "positive_likelihood_ratio", fp == 0, instead[0])
    down = _ratio(fn * (tn + fp), tn * (tp + fn), "negative_likelihood_ratio", tn == 0, instead[1])
    return up, down


@checked()
def positive_likelihood_ratio(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Positive likelihood ratio, TPR / FPR, or 1 where it is undefined."""
    options: dict[str, Any] = {"sample_weight": sample_weight, "replace_undefined_by": 1.0}
    return class_likelihood_ratios(y_true, y_pred, **options)[0]


@checked()
def negative_likelihood_ratio(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Negative likelihood ratio, FNR / TNR, or 1 where it is undefined."""
    options: dict[str, Any] = {"sample_weight": sample_weight, "replace_undefined_by": 1.0}
    return class_likelihood_ratios(y_true, y_pred, **options)[1]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _ratio(top: float, bottom: float, name: str, undefined: bool, instead: float) -> float:
    if undefined:
        warn(
            f"{name} is 0/0 and taken as {instead}; set replace_undefined_by to choose the value.",
            UndefinedMetricWarning,
        )
        return instead
    return top / bottom if bottom else float("nan")


def _stand_ins(owner: str, given: Any) -> tuple[float, float]:
    """The values of LR+ and LR- where they are undefined."""
    if isinstance(given, dict):
        values = float(given.get("LR+", -1)), float(given.get("LR-", -1))
    else:
        values = float(given), float(given)
    if not (values[0] != values[0] or values[0] >= 1) or not (values[1] != values[1] or 0 <= values[1] <= 1):
        raise ParameterError(
            f"{owner}: replace_undefined_by must be NaN, 1.0 or {{'LR+': at least 1, 'LR-': 0 to 1}}; got {given!r}"
        )
    return values
