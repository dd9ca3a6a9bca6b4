"""Weights instead of copies: what a row of each class counts for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Column, Rows, checked
from ..core.validate.rows import row_count
from ..core.validate.targets import TargetValidator
from ..parts.class_weights import class_weights


@checked()
def compute_class_weight(class_weight: Any, *, classes: Column, y: Rows, sample_weight: Rows | None = None) -> Array:
    """Class weights of each of `classes`; "balanced": inversely proportional to class frequencies.

    w_c = n / (K n_c)

    for K classes with n_c of the n rows each; a dictionary gives weights by class, and 1 to those it leaves out.

    >>> compute_class_weight("balanced", classes=[0, 1], y=[0, 1, 1, 1]).round(3)
    array([2.   , 0.667])
    """
    owner, requested = "compute_class_weight", np.asarray(classes)
    validator = TargetValidator(owner)
    rows = row_count(y, "y")
    labels, codes = validator.classes(y, rows)
    unknown = sorted(set(labels.tolist()) - set(requested.tolist()), key=str)
    if unknown:
        raise DataError(f"{owner}: classes lacks {unknown}, which occur in y")
    weight = validator.weights(sample_weight, rows)
    order = {label: place for place, label in enumerate(requested.tolist())}
    positions = np.array([order[label] for label in labels.tolist()])[codes]
    if isinstance(class_weight, str) and class_weight == "balanced" and len(labels) < len(requested):
        raise DataError(f"{owner}: some of classes={requested.tolist()} never occur in y, and have no weight")
    return class_weights(class_weight, requested, positions, weight, owner)


@checked()
def compute_sample_weight(class_weight: Any, y: Rows, *, indices: Sequence[int] | None = None) -> Array:
    """Sample weights from class weights; for several targets the product of theirs.

    w_i = n / (K n_{y_i})

    for "balanced". With `indices` the counts are those of these rows, and a class that is not among them weighs 0: what
    a model needs that is fitted to a bootstrap sample.

    >>> compute_sample_weight("balanced", ["rare", "common", "common", "common"]).round(3)
    array([2.   , 0.667, 0.667, 0.667])
    """
    owner, target = "compute_sample_weight", np.asarray(y)
    columns = target[:, None] if target.ndim == 1 else target
    several = columns.shape[1] > 1
    given = [class_weight] * columns.shape[1] if not several or isinstance(class_weight, str) else class_weight
    if class_weight is None:
        given = [None] * columns.shape[1]
    if several and (isinstance(given, dict) or len(given) != columns.shape[1]):
        raise ParameterError(
            f'{owner}: for several targets class_weight must be "balanced" or a list with one per column'
        )
    weight = np.ones(len(columns))
    for column, of_column in zip(columns.T, given, strict=True):
        weight = weight * _of_column(of_column, column, indices, owner)
    return weight


def _of_column(class_weight: Any, y: Array, indices: Any, owner: str) -> Array:
    labels, codes = TargetValidator(owner).classes(y, len(y))
    if indices is not None and class_weight != "balanced":
        raise ParameterError(f'{owner}: with indices, class_weight must be "balanced"; got {class_weight!r}')
    part = codes if indices is None else codes[np.asarray(indices, dtype=np.intp)]
    return class_weights(class_weight, labels, part, None, owner)[codes]
