"""A table of precision, recall and F for every class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Rows, checked, limits
from ..core.errors import ParameterError, warn
from ._labels import Labelled, labelled
from .precision_recall import Average, ZeroDivision, precision_recall_fscore_support

COLUMNS = ("precision", "recall", "f1-score", "support")
Lines = list[tuple[str, list[float]]]


@checked(digits=limits(at_least=0))
def classification_report(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: Rows | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Precision, recall, F1 and support of every class and their averages, as text or as a dictionary.

    >>> print(classification_report([0, 1, 1], [0, 1, 0], digits=3))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0      0.500     1.000     0.667         1
               1      1.000     0.500     0.667         2
    <BLANKLINE>
        accuracy                          0.667         3
       macro avg      0.750     0.750     0.667         3
    weighted avg      0.833     0.667     0.667         3
    <BLANKLINE>
    """
    data = labelled("classification_report", y_true, y_pred, sample_weight)
    chosen = data.classes if labels is None else np.asarray(labels)
    names = _names(chosen, target_names, labels is not None)
    options: dict[str, Any] = {"labels": chosen, "sample_weight": sample_weight, "zero_division": zero_division}
    table = precision_recall_fscore_support(y_true, y_pred, **options)
    support = table[3]
    classes: Lines = [(name, list(row)) for name, row in zip(names, zip(*table, strict=True), strict=False)]
    averages: Lines = []
    kinds: tuple[Average, ...] = ("micro", "macro", "weighted", "samples")
    for average in kinds if data.several else kinds[:3]:
        values = precision_recall_fscore_support(y_true, y_pred, average=average, **options)
        heading = "accuracy" if average == "micro" and _micro_is_accuracy(data, labels) else f"{average} avg"
        averages.append((heading, [*values[:3], np.sum(support)]))
    return _as_dictionary(classes, averages) if output_dict else _as_text(names, classes, averages, digits)


def _names(chosen: Array, target_names: Any, labels_given: bool) -> list[str]:
    if target_names is None:
        return [str(label) for label in chosen]
    if len(target_names) != len(chosen):
        if not labels_given:
            raise ParameterError(
                f"target_names holds {len(target_names)} names for {len(chosen)} classes; give labels= too"
            )
        warn(f"target_names holds {len(target_names)} names for {len(chosen)} labels", UserWarning)
    return list(target_names)


def _micro_is_accuracy(data: Labelled, labels: Any) -> bool:
    """Pooled over all classes of a single label, precision, recall and F are the accuracy."""
    everything = labels is None or set(np.asarray(labels).tolist()) >= set(data.classes.tolist())
    return everything and not data.several


def _as_dictionary(classes: Lines, averages: Lines) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: dict(zip(COLUMNS, map(float, row), strict=True)) for name, row in [*classes, *averages]
    }
    if "accuracy" in found:
        found["accuracy"] = found["accuracy"]["precision"]
    return found


def _as_text(names: list[str], classes: Lines, averages: Lines, digits: int) -> str:
    width = max(*(len(name) for name in names), len("weighted avg"), digits)
    lines = [f"{'':>{width}s} " + "".join(f" {column:>9}" for column in COLUMNS), ""]
    lines += [_line(name, row, width, digits) for name, row in classes]
    lines.append("")
    lines += [_line(name, row, width, digits) for name, row in averages]
    return "\n".join(lines) + "\n"


def _line(name: str, row: list[float], width: int, digits: int) -> str:
    if name == "accuracy":
        return f"{name:>{width}s}  {'':>9} {'':>9} {row[2]:>9.{digits}f} {row[3]:>9}"
    return f"{name:>{width}s} " + "".join(f" {value:>9.{digits}f}" for value in row[:3]) + f" {row[3]:>9}"
