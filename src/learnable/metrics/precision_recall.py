"""Precision, recall, F and Jaccard: quotients of counts, and their averages over classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Label, OrNaN, Rows, checked, limits
from ..core.errors import ParameterError, UndefinedMetricWarning, warn
from ._counts import LabelCounts, class_counts
from ._labels import Labelled, labelled

Average = Literal["binary", "micro", "macro", "weighted", "samples"] | None
ZeroDivision = OrNaN | Literal["warn"]
AVERAGES = (None, "micro", "macro", "weighted", "samples")


@checked(beta=limits(at_least=0, infinite=True))
def precision_recall_fscore_support(
    y_true: Rows,
    y_pred: Rows,
    *,
    beta: float = 1.0,
    labels: Column | None = None,
    pos_label: Label | None = 1,
    average: Average = None,
    warn_for: Iterable[str] = ("precision", "recall", "f-score"),
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision TP / (TP + FP), recall TP / (TP + FN), their weighted harmonic mean F, and the number of true rows.

    F = (1 + beta^2) P R / (beta^2 P + R). `zero_division` is the value of 0 / 0.

    >>> precision_recall_fscore_support([0, 0, 1, 1], [0, 1, 1, 1], average="binary")
    (0.6666666666666666, 1.0, 0.8, None)
    """
    owner = "precision_recall_fscore_support"
    data = labelled(owner, y_true, y_pred, sample_weight)
    counts = _chosen_counts(owner, data, labels, pos_label, average)
    precision, recall, f_score = _quotients(counts, beta, average, frozenset(warn_for), zero_division)
    if average is None:
        return precision, recall, f_score, counts.actual
    shares = _shares(data, counts, average)
    return _mean(precision, shares), _mean(recall, shares), _mean(f_score, shares), None


@checked()
def precision_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Precision, TP / (TP + FP).

    >>> precision_score([0, 0, 1, 1], [0, 1, 1, 1], average="macro")
    0.8333333333333333
    """
    given = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
    options: dict[str, Any] = {**given, "zero_division": zero_division, "warn_for": ("precision",)}
    return precision_recall_fscore_support(y_true, y_pred, **options)[0]


@checked()
def recall_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Recall (sensitivity), TP / (TP + FN).

    >>> recall_score([0, 0, 1, 1], [0, 1, 1, 1], average="macro")
    0.75
    """
    given = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
    options: dict[str, Any] = {**given, "zero_division": zero_division, "warn_for": ("recall",)}
    return precision_recall_fscore_support(y_true, y_pred, **options)[1]


@checked(beta=limits(at_least=0, infinite=True))
def fbeta_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    beta: float,
    labels: Column | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """F-beta score, (1 + beta^2) P R / (beta^2 P + R): recall counts beta times as much as precision.

    >>> round(fbeta_score([0, 0, 1, 1], [0, 1, 1, 1], beta=2.0), 4)
    0.9091
    """
    given = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
    options: dict[str, Any] = {**given, "zero_division": zero_division, "warn_for": ("f-score",), "beta": beta}
    return precision_recall_fscore_support(y_true, y_pred, **options)[2]


@checked()
def f1_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """F1 score: the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    >>> f1_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.8
    """
    given = {"labels": labels, "pos_label": pos_label, "average": average, "sample_weight": sample_weight}
    return fbeta_score(y_true, y_pred, beta=1.0, zero_division=zero_division, **given)


@checked()
def macro_f(
    y_true: Rows,
    y_pred: Rows,
    *,
    definition: Literal["mean of F", "F of means"] = "mean of F",
    beta: float = 1.0,
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> float:
    """Macro-averaged F score: the mean of the F scores of the classes, or F of the mean precision and mean recall.

    The two differ; "mean of F" is what `f1_score(average="macro")` returns.

    >>> truth, predicted = [1, 1, 0, 0], [1, 1, 1, 0]
    >>> [round(macro_f(truth, predicted, definition=d), 4) for d in ("mean of F", "F of means")]
    [0.7333, 0.7895]
    """
    if definition not in ("mean of F", "F of means"):
        raise ParameterError(f"macro_f: definition must be 'mean of F' or 'F of means'; got {definition!r}")
    precision, recall, mean, _ = precision_recall_fscore_support(
        y_true, y_pred, beta=beta, average="macro", sample_weight=sample_weight, zero_division=zero_division
    )
    if definition == "mean of F":
        return float(mean)
    bottom = beta**2 * precision + recall
    return float((1 + beta**2) * precision * recall / bottom) if bottom else 0.0


@checked()
def jaccard_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: Rows | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Jaccard score, TP / (TP + FP + FN).

    >>> jaccard_score([0, 1, 1], [1, 1, 1])
    0.6666666666666666
    """
    owner = "jaccard_score"
    data = labelled(owner, y_true, y_pred, sample_weight)
    counts = _chosen_counts(owner, data, labels, pos_label, average)
    union = counts.predicted + counts.actual - counts.hits
    value = quotient(counts.hits, union, "jaccard", "true or predicted", average, {"jaccard"}, zero_division)
    if average is None:
        return value
    shares = _shares(data, counts, average)
    return float(np.average(value, weights=shares if shares is not None and shares.any() else None))


def quotient(
    top: Array,
    bottom: Array,
    name: str,
    lacking: str,
    average: Average,
    warn_for: Iterable[str],
    zero_division: ZeroDivision,
) -> Array:
    """top / bottom, with the value of `zero_division` for nothing at all, and a warning where it was not chosen."""
    value_of_nothing = _value_of_nothing(zero_division)
    nothing = bottom == 0
    result = np.where(nothing, value_of_nothing, top / np.where(nothing, 1, bottom))
    if nothing.any() and zero_division == "warn" and name in warn_for:
        one, other = ("label", "sample") if average == "samples" else ("sample", "label")
        where = "due to" if len(result) == 1 else f"in {other}s with"
        warn(
            f"{name.capitalize()} is 0/0 {where} no {lacking} {one}s, and taken as 0; set zero_division to "
            "choose the value.",
            UndefinedMetricWarning,
        )
    return result


def _value_of_nothing(zero_division: ZeroDivision) -> float:
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, (int, float)) and (zero_division in (0, 1) or zero_division != zero_division):
        return float(zero_division)
    raise ParameterError(f"zero_division must be 'warn', 0, 1 or NaN; got {zero_division!r}")


def _quotients(
    counts: LabelCounts, beta: float, average: Average, warn_for: frozenset[str], zero_division: ZeroDivision
) -> tuple[Array, Array, Array]:
    hits, predicted, actual = counts.hits, counts.predicted, counts.actual
    more: tuple[Any, ...] = (average, warn_for, zero_division)
    precision = quotient(hits, predicted, "precision", "predicted", *more)
    recall = quotient(hits, actual, "recall", "true", *more)
    if np.isposinf(beta):
        return precision, recall, recall
    if beta == 0:
        return precision, recall, precision
    bottom = beta**2 * actual + predicted
    return precision, recall, quotient((1 + beta**2) * hits, bottom, "f-score", "true nor predicted", *more)


def _chosen_counts(owner: str, data: Labelled, labels: Any, pos_label: Any, average: Average) -> LabelCounts:
    """The counts that an average is made of."""
    if average == "binary":
        labels = [_positive_label(data, pos_label)]
    elif pos_label is not None and not (np.isscalar(pos_label) and pos_label == 1):
        warn(
            f"pos_label={pos_label!r} plays no part in average={average!r}; labels=[pos_label] asks for one class "
            "alone",
            UserWarning,
        )
    counts = class_counts(owner, data, labels, samplewise=average == "samples")
    return counts.pooled() if average == "micro" else counts


def _positive_label(data: Labelled, pos_label: Any) -> Any:
    if data.kind != "binary":
        choices = [a for a in AVERAGES if a != "samples" or data.several]
        raise ParameterError(
            f"average='binary' needs two classes, but the target is {data.kind}; choose one of {choices}."
        )
    if pos_label not in data.classes.tolist() and len(data.classes) >= 2:
        raise ParameterError(f"pos_label={pos_label} is not one of the classes {data.classes}; choose one of them")
    return pos_label


def _shares(data: Labelled, counts: LabelCounts, average: Average) -> Array | None:
    """What each class, or each row, counts in the average; None where all count alike."""
    if average == "weighted":
        return counts.actual
    return data.weight if average == "samples" else None


def _mean(values: Array, shares: Array | None) -> float:
    """The mean of what is defined; NaN where nothing is."""
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    if shares is None:
        return float(values[defined].mean())
    total = shares[defined].sum()
    return float(np.average(values[defined], weights=shares[defined])) if total else float(values[defined].mean())
