"""Counts of correct and wrong predictions, from which every metric of labels is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ._labels import Labelled


def cross_counts(rows: Array, columns: Array, weight: Array | None, shape: tuple[int, int]) -> Array:
    """How often (or with what weight) each pair of codes occurs, as a table.

    >>> cross_counts(np.array([0, 0, 1]), np.array([0, 1, 1]), None, (2, 2)).tolist()
    [[1, 1], [0, 1]]
    """
    flat = rows * shape[1] + columns
    counts = np.bincount(flat, weights=weight, minlength=shape[0] * shape[1])
    return counts.reshape(shape)


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """For each class (or each row): hits, how often it was predicted, how often it was true, and all there was."""

    hits: Array
    predicted: Array
    actual: Array
    total: Array | float

    @property
    def false_positives(self) -> Array:
        """Predicted, and not true."""
        return self.predicted - self.hits

    @property
    def false_negatives(self) -> Array:
        """True, and not predicted."""
        return self.actual - self.hits

    @property
    def true_negatives(self) -> Array:
        """Neither true nor predicted."""
        return self.total - self.predicted - self.actual + self.hits

    def pooled(self) -> LabelCounts:
        """All classes as one: micro averages are made of it."""
        hits, predicted, actual = (np.sum(part, keepdims=True) for part in (self.hits, self.predicted, self.actual))
        return LabelCounts(hits, predicted, actual, np.sum(self.total + 0 * self.hits, keepdims=True))


def class_counts(owner: str, data: Labelled, labels: Any = None, samplewise: bool = False) -> LabelCounts:
    """The counts of each of `labels` (None: of all classes), or of each row."""
    if data.several:
        return _indicator_counts(owner, data, labels, samplewise)
    if samplewise:
        raise ParameterError(f"{owner}: average='samples' needs rows with several labels each")
    size = len(data.classes)
    table = cross_counts(data.truth, data.predicted, data.weight, (size, size))
    total = table.sum()
    hits, predicted, actual = table.diagonal(), table.sum(axis=0), table.sum(axis=1)
    if labels is not None:
        indices = positions(data.classes, labels)
        hits, predicted, actual = (np.where(indices >= 0, part[indices], 0) for part in (hits, predicted, actual))
    return LabelCounts(hits, predicted, actual, total)


def positions(classes: Array, labels: Any) -> Array:
    """Where each label stands among the classes; -1 where it is not among them."""
    known = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([known.get(label, -1) for label in np.asarray(labels).tolist()], dtype=np.intp)


def _indicator_counts(owner: str, data: Labelled, labels: Any, samplewise: bool) -> LabelCounts:
    truth, predicted = data.truth, data.predicted
    if labels is not None:
        chosen = np.asarray(labels)
        if chosen.max() > data.classes[-1] or chosen.min() < 0:
            bad = f"{chosen.max()} > {data.classes[-1]}" if chosen.max() > data.classes[-1] else f"{chosen.min()} < 0"
            raise ParameterError(f"{owner}: labels are indices of columns of y, from 0; got {bad}")
        truth, predicted = truth[:, chosen], predicted[:, chosen]
    both = truth & predicted
    if samplewise:
        weight = 1 if data.weight is None else data.weight
        hits, found, actual = (part.sum(axis=1) * weight for part in (both, predicted, truth))
        return LabelCounts(hits, found, actual, weight * truth.shape[1])
    if data.weight is None:
        return LabelCounts(both.sum(axis=0), predicted.sum(axis=0), truth.sum(axis=0), len(truth))
    hits, found, actual = (data.weight @ part for part in (both, predicted, truth))
    return LabelCounts(hits, found, actual, data.weight.sum())
