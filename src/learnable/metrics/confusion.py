"""Confusion matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Rows, checked
from ..core.errors import DataError, ParameterError, warn
from ._counts import class_counts, cross_counts, positions
from ._labels import Labelled, labelled


@checked()
def confusion_matrix(
    y_true: Rows,
    y_pred: Rows,
    *,
    labels: Column | None = None,
    sample_weight: Rows | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
    layout: Literal["actual", "predicted"] = "actual",
) -> Array:
    """Confusion matrix: the number of rows of class i predicted as class j.

    Rows are true classes, columns predicted classes.

    `normalize` makes rows of actual classes ("true"), predicted classes ("pred") or everything ("all") add up to 1.
    `layout="predicted"` puts the predicted classes into the rows.

    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2]).tolist()
    [[2, 0, 0], [0, 0, 1], [1, 0, 2]]
    """
    owner = "confusion_matrix"
    if normalize not in (None, "true", "pred", "all"):
        raise ParameterError(f"{owner}: normalize must be 'true', 'pred', 'all' or None; got {normalize!r}")
    if layout not in ("actual", "predicted"):
        raise ParameterError(f"{owner}: layout must be 'actual' or 'predicted'; got {layout!r}")
    table = confusion_table(owner, labelled(owner, y_true, y_pred, sample_weight), labels)
    if sample_weight is not None and np.asarray(sample_weight).dtype.kind in "iub":
        table = table.astype(np.int64)
    table = _normalised(table, normalize)
    if table.shape == (1, 1):
        warn(
            "Only one label occurs, so the matrix has one row and one column; give all classes as labels= to have them "
            "in it.",
            UserWarning,
        )
    return table if layout == "actual" else table.T


def confusion_table(owner: str, data: Labelled, labels: Any = None) -> Array:
    """Counts of actual (rows) and predicted (columns) classes; rows with other labels than these are left out."""
    if data.several:
        raise DataError(f"{owner}: multilabel-indicator is not supported; use multilabel_confusion_matrix")
    size = len(data.classes)
    table = cross_counts(data.truth, data.predicted, data.weight, (size, size))
    if labels is None:
        return table
    if np.size(labels) == 0:
        raise ParameterError(f"{owner}: labels is empty; leave it at None for those of the data")
    indices = positions(data.classes, labels)
    if not np.isin(np.unique(data.truth), indices).any():
        raise ParameterError(f"{owner}: none of the given labels occurs in y_true")
    inside = indices >= 0
    return np.where(inside[:, None] & inside, table[np.ix_(indices, indices)], 0)


@checked()
def multilabel_confusion_matrix(
    y_true: Rows,
    y_pred: Rows,
    *,
    sample_weight: Rows | None = None,
    labels: Column | None = None,
    samplewise: bool = False,
) -> Array:
    """Multilabel confusion matrix: [[TN, FP], [FN, TP]] of each class against the rest, or of each row.

    >>> multilabel_confusion_matrix(["a", "b", "a"], ["a", "a", "a"]).tolist()
    [[[0, 1], [0, 2]], [[2, 0], [1, 0]]]
    """
    owner = "multilabel_confusion_matrix"
    counts = class_counts(owner, labelled(owner, y_true, y_pred, sample_weight), labels, samplewise)
    entries = [counts.true_negatives, counts.false_positives, counts.false_negatives, counts.hits]
    return np.stack(entries, axis=1).reshape(-1, 2, 2)


def _normalised(table: Array, normalize: str | None) -> Array:
    if normalize is None:
        return table
    totals = {"true": table.sum(axis=1, keepdims=True), "pred": table.sum(axis=0, keepdims=True), "all": table.sum()}
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(table / totals[normalize]))
