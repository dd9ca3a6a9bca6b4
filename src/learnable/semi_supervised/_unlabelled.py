"""Which rows of a target have no label: -1, NaN or None."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.validate.targets import TargetValidator

UNLABELLED = -1


def split_labels(validator: TargetValidator, y: Any, rows: int) -> tuple[Array, Array]:
    """The sorted classes, and their index for each row, -1 where it has no label."""
    target = np.asarray(y)
    if target.dtype.kind not in "iufbO" and target.ndim == 1 and (target == str(UNLABELLED)).any():
        raise DataError(
            f"{validator.owner}: y has dtype string, in which -1 is a text. If you wish to predict on string targets, "
            "use dtype object, and use -1 or None as the label for unlabeled samples."
        )
    if target.dtype.kind == "O" or target.ndim != 1:
        target = np.array(y, dtype=object)
    if target.ndim == 2 and target.shape[1] == 1:
        validator.classes(np.zeros(target.shape, dtype=np.int64), rows)  # warns of a column
        target = target[:, 0]
    known = ~_without_label(target)
    if target.ndim != 1 or len(target) != rows:
        validator.classes(y, rows)  # says what is wrong
        raise DataError(f"{validator.owner}: y must have one dimension and {rows} entries; got shape {target.shape}")
    if not known.any():
        raise DataError(f"{validator.owner}: y has no labels, only -1; label at least one row")
    classes, inside = validator.classes(target[known], int(known.sum()))
    codes = np.full(rows, UNLABELLED, dtype=np.int64)
    codes[known] = inside
    return classes, codes


def _without_label(target: Array) -> Array:
    """Whether each entry is -1, NaN or None."""
    if target.dtype.kind in "iu":
        return np.asarray(target == UNLABELLED)
    if target.dtype.kind == "f":
        return np.asarray((target == UNLABELLED) | np.isnan(target))
    if target.dtype.kind == "O":
        flat = [_is_missing(label) for label in target.ravel().tolist()]
        return np.array(flat, dtype=bool).reshape(target.shape)
    return np.zeros(target.shape, dtype=bool)


def _is_missing(label: Any) -> bool:
    if label is None or (isinstance(label, float) and label != label):
        return True
    return not isinstance(label, (str, bytes, bool)) and bool(label == UNLABELLED)


def transduced(classes: Array, codes: Array) -> Array:
    """The labels of all rows, -1 where there is none."""
    numeric = classes.dtype.kind in "iuf"
    found = np.full(len(codes), UNLABELLED, dtype=classes.dtype if numeric else object)
    found[codes >= 0] = classes[codes[codes >= 0]]
    return found
