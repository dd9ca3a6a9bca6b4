"""What a target holds, in scikit-learn's words."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import checked
from ..core.validate.targets import as_column_array, is_sparse

TargetType = Literal[
    "binary", "multiclass", "continuous", "multilabel-indicator", "multiclass-multioutput", "continuous-multioutput",
    "unknown",
]  # fmt: skip


@checked()
def type_of_target(y: Any, input_name: str = "", raise_unknown: bool = False) -> TargetType:
    """What a target holds: classes or numbers, in one column or in several.

    Whole numbers and texts are classes; `learnable.target_kind` says the same in the words of learning tasks.

    >>> type_of_target([0, 1, 1]), type_of_target(["a", "b", "c"]), type_of_target([0.5, 1.0])
    ('binary', 'multiclass', 'continuous')
    """
    name = input_name or "y"
    if is_multilabel(y):
        return "multilabel-indicator"
    values = _values(y, name)
    known = values.ndim in (1, 2) and not (values.dtype.kind == "O" and not _are_texts(values))
    if not known or (values.ndim == 2 and values.shape[1] == 0):
        if raise_unknown:
            raise DataError(f"type_of_target: Unknown label type for {name}: {values!r:.60}")
        return "unknown"
    several = values.ndim == 2 and values.shape[1] > 1
    if values.dtype.kind == "f" and values.size and (values != np.floor(values)).any():
        if not np.isfinite(values).all():
            raise DataError(f"type_of_target: Input {name} contains NaN or infinity; drop the rows without a target")
        return "continuous-multioutput" if several else "continuous"
    if several:
        return "multiclass-multioutput"
    return "multiclass" if len(set(values.ravel().tolist())) > 2 else "binary"


@checked()
def check_classification_targets(y: Any) -> None:
    """Refuse a target that holds no classes, such as one of numbers.

    >>> check_classification_targets(["a", "b"])
    """
    kind = type_of_target(y)
    if kind in ("continuous", "continuous-multioutput", "unknown"):
        raise DataError(
            f"check_classification_targets: Unknown label type: {kind}; continuous targets need a regressor, or must "
            "be binned first"
        )


def is_multilabel(y: Any) -> bool:
    """Whether a target is a table of several columns with at most two whole numbers in it, a column for each label.

    >>> is_multilabel([[1, 0], [0, 1]]), is_multilabel([1, 0])
    (True, False)
    """
    if is_sparse(y):
        values, zero = y.data, [0]
        shape = y.shape
    elif isinstance(y, (list, tuple)) or hasattr(y, "__array__"):
        try:
            values, zero = as_column_array(y), []
        except ValueError:
            return False
        shape = values.shape
    else:
        return False
    if len(shape) != 2 or shape[1] < 2 or values.dtype.kind not in "biuf":
        return False
    whole = values.dtype.kind != "f" or bool((np.isfinite(values) & (values == np.floor(values))).all())
    return whole and len(set(np.unique(values).tolist()) | set(zero)) <= 2


@checked()
def unique_labels(*ys: Any, ys_types: Any = None) -> Array:
    """The labels that occur in any of the targets, sorted; the columns of a table of labels.

    >>> unique_labels([3, 5, 5], [5, 7])
    array([3, 5, 7])
    """
    if not ys:
        raise DataError("unique_labels: give at least one list of labels")
    kinds = {type_of_target(y) for y in ys}
    if kinds == {"multilabel-indicator"}:
        widths = {(y.shape if hasattr(y, "shape") else np.shape(y))[1] for y in ys}
        if len(widths) > 1:
            raise DataError(f"unique_labels: the tables of labels have different numbers of columns: {sorted(widths)}")
        return np.arange(widths.pop())
    if not kinds <= {"binary", "multiclass"}:
        raise DataError(f"unique_labels: labels are needed, in one column each; got {', '.join(sorted(kinds))}")
    labels = {label for y in ys for label in as_column_array(y).ravel().tolist()}
    if len({isinstance(label, str) for label in labels}) > 1:
        raise DataError("unique_labels: some labels are texts and some are numbers; make all of one type")
    return np.array(sorted(labels))


def _values(y: Any, name: str) -> Array:
    if not (isinstance(y, (list, tuple)) or hasattr(y, "__array__") or is_sparse(y)) or isinstance(y, str):
        raise DataError(f"type_of_target: {name} must be a list or an array of labels; got {y!r:.40}")
    try:
        return np.asarray(y.toarray()) if is_sparse(y) else as_column_array(y)
    except ValueError:
        raise DataError(f"type_of_target: the rows of {name} differ in length") from None


def _are_texts(values: Array) -> bool:
    return len(values) > 0 and isinstance(values.flat[0], str)
