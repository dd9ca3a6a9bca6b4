"""Classes as numbers: true and predicted labels of any type become codes of one sorted list of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ._validate import column, same_length, weights

Kind = Literal["binary", "multiclass", "multilabel-indicator"]
MAX_TABLE = 1 << 16  # integers in a range up to this are coded by a table, others by sorting


@dataclass(frozen=True, slots=True)
class Labelled:
    """Truth and predictions on common classes.

    Codes point into `classes`; with several labels a row, they are tables of zeros and ones instead, and the classes
    are the numbers of the columns.
    """

    kind: Kind
    classes: Array
    truth: Array
    predicted: Array
    weight: Array | None

    @property
    def several(self) -> bool:
        """Whether a row has several labels."""
        return self.kind == "multilabel-indicator"


def labelled(owner: str, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Labelled:
    """True and predicted labels, checked and coded."""
    truth, predicted = label_array(owner, y_true, "y_true"), label_array(owner, y_pred, "y_pred")
    same_length(owner, y_true=truth, y_pred=predicted)
    kinds = label_kind(owner, truth, "y_true"), label_kind(owner, predicted, "y_pred")
    several: Kind = "multilabel-indicator"
    if several in kinds and kinds[0] != kinds[1]:
        raise DataError(f"{owner}: Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets")
    weight = weights(owner, sample_weight, len(truth))
    if kinds[0] == several:
        if truth.shape != predicted.shape:
            raise DataError(f"{owner}: y_true has {truth.shape[1]} labels and y_pred has {predicted.shape[1]}")
        return Labelled(several, np.arange(truth.shape[1]), truth != 0, predicted != 0, weight)
    classes, codes = coded(owner, truth, predicted)
    kind: Kind = "multiclass" if len(classes) > 2 else "binary"
    return Labelled(kind, classes, codes[0], codes[1], weight)


def label_array(owner: str, y: Any, name: str) -> Array:
    """Labels as an array of one dimension, or two where a row has several of them."""
    if hasattr(y, "toarray"):
        y = y.toarray()
    values = column(owner, y, name)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2):
        raise DataError(f"{owner}: {name} must be one column of labels; its shape is {values.shape}")
    return values


def label_kind(owner: str, values: Array, name: str) -> str:
    """ "multilabel-indicator" for a table of zeros and ones, "classes" for a column of labels; others are refused."""
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise DataError(f"{owner}: Input {name} contains NaN or infinity; drop the rows without a label")
        if (values != np.floor(values)).any():
            shape = "continuous" if values.ndim == 1 else "continuous-multioutput"
            raise DataError(
                f"{owner}: {shape} is not supported: {name} holds fractions, and classes are expected. "
                "Classification metrics can't handle a mix of classes and continuous targets"
            )
    if values.ndim == 1:
        return "classes"
    if values.dtype.kind in "fiub" and ((values == 0) | (values == 1)).all():
        return "multilabel-indicator"
    raise DataError(f"{owner}: multiclass-multioutput is not supported: {name} has several columns of classes")


def coded(owner: str, *arrays: Array) -> tuple[Array, list[Array]]:
    """The sorted classes of all arrays together, and every array as positions among them."""
    kinds = {values.dtype.kind for values in arrays}
    if kinds <= set("iub"):
        found = _by_table(arrays)
        if found is not None:
            return found
    try:
        together = np.concatenate(_one_type(owner, arrays))
        classes, codes = np.unique(together, return_inverse=True)
    except TypeError:
        raise DataError(f"{owner}: some labels are texts and some are numbers; make all of one type") from None
    ends = np.cumsum([len(values) for values in arrays])[:-1]
    return classes, np.split(codes.ravel(), ends)


def _one_type(owner: str, arrays: tuple[Array, ...]) -> list[Array]:
    """Texts and numbers do not mix: NumPy would turn the numbers into texts."""
    texts = [values.dtype.kind in "UST" for values in arrays]
    if any(texts) and not all(texts):
        arrays = tuple(values.astype(object) for values in arrays)
    if any(values.dtype.kind == "O" for values in arrays):
        seen = {isinstance(value, str) for values in arrays for value in values.tolist()}
        if len(seen) > 1:
            raise DataError(f"{owner}: some labels are texts and some are numbers; make all of one type")
    _refuse_missing(owner, arrays)
    return list(arrays)


def _refuse_missing(owner: str, arrays: tuple[Array, ...]) -> None:
    for values in arrays:
        if values.dtype.kind == "f":
            missing = ~np.isfinite(values)
        else:
            listed = values.tolist() if values.dtype.kind == "O" else []
            missing = np.array([value is None or value != value for value in listed], dtype=bool)
        if missing.any():
            row = int(missing.argmax())
            raise DataError(
                f"{owner}: the label of row {row} is {values[row]}: labels must not be missing (NaN) or infinity; drop "
                "the rows without a label"
            )


def _by_table(arrays: tuple[Array, ...]) -> tuple[Array, list[Array]] | None:
    """Codes of integers in a short range; None where it is long."""
    parts = [values.view(np.uint8) if values.dtype.kind == "b" else values for values in arrays]
    low, high = min(int(v.min()) for v in parts), max(int(v.max()) for v in parts)
    if high - low >= MAX_TABLE:
        return None
    shifted = [
        values.astype(np.intp, copy=False) - low if low else values.astype(np.intp, copy=False) for values in parts
    ]
    there = np.zeros(high - low + 1, dtype=bool)
    for values in shifted:
        there |= np.bincount(values, minlength=len(there)) > 0
    classes = np.flatnonzero(there)
    code = np.cumsum(there) - 1
    labels = (classes + low).astype(np.result_type(*arrays))
    if len(classes) == len(there):
        return labels, shifted
    return labels, [code[values] for values in shifted]
