"""Which metrics to use for imbalanced classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.declare.checked_functions import Label, Rows, checked
from ._counts import class_counts
from ._labels import labelled
from .classification import accuracy_score, balanced_accuracy_score, matthews_corrcoef
from .precision_recall import f1_score, precision_score, recall_score
from .ranking_scores import average_precision_score, roc_auc_score


@checked()
def imbalance_report(
    y_true: Rows,
    y_pred: Rows,
    y_score: Rows | None = None,
    *,
    pos_label: Label | None = 1,
    sample_weight: Rows | None = None,
) -> dict[str, Any]:
    """Report on imbalanced classes: metrics to use instead of accuracy where one class is rare.

    Precision, recall and F1 of the class `pos_label`, Matthews correlation, balanced accuracy; with scores also the
    areas under the precision-recall and ROC curves. `share_of_largest` is the accuracy of always saying the most
    frequent class, and `advice` says in words what follows.

    >>> report = imbalance_report([0] * 95 + [1] * 5, [0] * 100)
    >>> report["accuracy"], report["balanced_accuracy"], report["recall"]
    (0.95, 0.5, 0.0)
    """
    data = labelled("imbalance_report", y_true, y_pred, sample_weight)
    counts = class_counts("imbalance_report", data)
    largest = float(counts.actual.max() / counts.actual.sum())
    given: dict[str, Any] = {"sample_weight": sample_weight}
    chosen: dict[str, Any] = {"labels": [pos_label], "average": "macro", "zero_division": 0.0, **given}
    by_labels: dict[str, Callable[[], Any]] = {
        "accuracy": lambda: accuracy_score(y_true, y_pred, **given),
        "share_of_largest": lambda: largest,
        "precision": lambda: precision_score(y_true, y_pred, **chosen),
        "recall": lambda: recall_score(y_true, y_pred, **chosen),
        "f1": lambda: f1_score(y_true, y_pred, **chosen),
        "matthews_corrcoef": lambda: matthews_corrcoef(y_true, y_pred, **given),
        "balanced_accuracy": lambda: balanced_accuracy_score(y_true, y_pred, **given),
    }
    report = {name: measure() for name, measure in by_labels.items()}
    if y_score is not None:
        positive = [label == pos_label for label in data.classes[data.truth].tolist()]
        report["average_precision"] = average_precision_score(positive, y_score, **given)
        report["roc_auc"] = roc_auc_score(positive, y_score, **given)
    report["advice"] = _advice(report["accuracy"], largest)
    return report


def _advice(accuracy: float, largest: float) -> str:
    if largest < 0.7:
        return "The classes are about even: accuracy says what it seems to say."
    verdict = "no better than" if accuracy <= largest else "to be compared with"
    return (
        f"The largest class has {largest:.0%} of the rows, so an accuracy of {accuracy:.3f} is {verdict} always saying "
        "that class. Use precision, recall, F1, Matthews correlation, balanced accuracy and the precision-recall "
        "curve."
    )
