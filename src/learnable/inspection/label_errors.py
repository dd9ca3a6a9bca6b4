"""Rows whose label is probably wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Column, Model, Rows, checked
from ..core.validate.mixed_table import is_missing
from ..model_selection import cross_val_predict

ROUNDING = 1e-6  # of probabilities above 1, as those of a model in single precision


@dataclass(frozen=True)
class LabelErrors:
    """Rows whose label is probably wrong: worst first, the label that is suggested, and the estimated noise.

    `joint[i, j]` estimates the probability that a row has the label of class i and belongs to class j.
    """

    indices: Array
    suggested: Array
    quality: Array
    joint: Array
    classes: Array

    @property
    def noise_rate(self) -> float:
        """The estimated fraction of wrong labels."""
        return float(1 - np.trace(self.joint))


@checked()
def find_label_errors(
    estimator: Model,
    X: Rows,
    y: Column,
    *,
    cv: Any = 5,
    pred_probs: Any = None,
    filter_by: Literal["prune_by_noise_rate", "confident_learning"] = "prune_by_noise_rate",
) -> LabelErrors:
    """Confident learning: rows whose label is probably wrong, by out-of-fold class probabilities.

    a row with label i counts for class j if p_j(x) >= t_j, the mean of p_j over the rows with label j

    The counts, scaled to the frequencies of the labels, estimate how many labels i should be j. "prune_by_noise_rate"
    returns that many rows of each kind, those with the largest p_j - p_i; "confident_learning" the counted rows. Rows
    are ordered by the probability of their own label, the `quality`. `pred_probs` of another model may be given, if
    they are out-of-fold. [Northcutt, Jiang and Chuang, Confident learning, 2021]

    >>> from learnable import LogisticRegression
    >>> from learnable.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> wrong = y.copy(); wrong[[3, 120]] = [1, 0]
    >>> sorted(find_label_errors(LogisticRegression(), X, wrong).indices[:2].tolist())
    [3, 120]
    """
    labels = np.asarray(y)
    if is_missing(labels).any():
        raise DataError(
            f"find_label_errors: y is missing in row {int(is_missing(labels).argmax())}; leave such rows out"
        )
    classes, own = np.unique(labels, return_inverse=True)
    n, k = len(labels), len(classes)
    if pred_probs is None:
        pred_probs = cross_val_predict(estimator, X, labels, cv=cv, method="predict_proba")
    proba = _probabilities(pred_probs, n, k)
    if k < 2:
        raise DataError("find_label_errors: y must have at least two classes")
    threshold = np.array([proba[own == j, j].mean() for j in range(k)])
    confident = proba >= threshold
    best = np.where(confident, proba, -1.0).argmax(axis=1)
    counted = confident.any(axis=1)
    counts = np.zeros((k, k))
    np.add.at(counts, (own[counted], best[counted]), 1)
    joint = _calibrated(counts, np.bincount(own, minlength=k))
    rows = np.arange(n)
    if filter_by == "confident_learning":
        found = counted & (best != own)
    else:
        found = _pruned(proba, own, joint * n)
    found &= proba.argmax(axis=1) != own
    quality = proba[rows, own]
    indices = np.flatnonzero(found)
    indices = indices[np.argsort(quality[indices], kind="stable")]
    return LabelErrors(indices, classes[proba[indices].argmax(axis=1)], quality, joint, classes)


def _probabilities(pred_probs: Any, n: int, k: int) -> Array:
    try:
        proba = np.asarray(pred_probs, dtype=np.float64)
    except (TypeError, ValueError):
        proba = np.empty(0)
    if proba.shape != (n, k) or not np.isfinite(proba).all():
        raise DataError(
            f"find_label_errors: pred_probs must be finite probabilities of the shape ({n}, {k}), a column for each "
            f"class in order; got {proba.shape}"
        )
    outside = ((proba < 0) | (proba > 1 + ROUNDING)).any(axis=1)
    if outside.any():
        row = int(outside.argmax())
        raise DataError(
            f"find_label_errors: pred_probs must be between 0 and 1; got {proba[row].tolist()!r:.60} in row {row}"
        )
    return proba


def _calibrated(counts: Array, labelled: Array) -> Array:
    """The joint distribution of label and class: rows of counts scaled to the frequencies of the labels."""
    sums = counts.sum(axis=1, keepdims=True)
    rows = np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), np.eye(len(counts)))
    joint: Array = rows * labelled[:, None] / labelled.sum()
    return joint


def _pruned(proba: Array, own: Array, expected: Array) -> Array:
    """For each pair of classes the expected number of rows, those with the largest difference of probabilities."""
    found = np.zeros(len(own), dtype=bool)
    for i in range(len(expected)):
        rows = np.flatnonzero(own == i)
        for j in range(len(expected)):
            count = round(float(expected[i, j]))
            if i != j and count and len(rows):
                margin = proba[rows, j] - proba[rows, i]
                found[rows[np.argsort(-margin, kind="stable")[:count]]] = True
    return found
