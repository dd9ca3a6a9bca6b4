"""Class weights: given, or balanced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.errors import DataError, ParameterError
from ..core.validate.features import Array


def class_weights(
    class_weight: Any, classes: Array, codes: Array, sample_weight: Array | None = None, owner: str = "class_weight"
) -> Array:
    """The weight of each of `classes`: 1, those of a dictionary, or with "balanced" n / (K n_c).

    `codes` are indices into `classes`; with weights, n_c is the weight of class c and n that of all K classes that
    occur.

    >>> class_weights("balanced", np.array(["a", "b"]), np.array([0, 1, 1, 1])).round(3)
    array([2.   , 0.667])
    """
    if class_weight is None or (isinstance(class_weight, Mapping) and not class_weight):
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(
                f'{owner}: class_weight must be a dictionary, "balanced" or None; got {class_weight!r}'
            )
        totals = np.bincount(codes, weights=sample_weight, minlength=len(classes)).astype(np.float64)
        present = np.count_nonzero(totals)
        return np.asarray(totals.sum() / (max(present, 1) * np.where(totals > 0, totals, np.inf)))
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f'{owner}: class_weight must be a dictionary, "balanced" or None; got {class_weight!r:.60}'
        )
    labels = classes.tolist()
    strange = [label for label in class_weight if label not in labels]
    left_out = [label for label in labels if label not in class_weight]
    if strange and left_out:  # a name that is misspelt, or of another type
        raise ParameterError(
            f"{owner}: class_weight names {strange!r:.80}, which is not in y, and gives no weight to the classes "
            f"{left_out!r:.80}"
        )
    found = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    if not (np.isfinite(found) & (found >= 0)).all():
        raise ParameterError(
            f"{owner}: weights in class_weight must be finite and not negative; got {class_weight!r:.80}"
        )
    return found


def row_weights(class_weight: Any, labels: list[Array], codes: Array, sample_weight: Array | None, owner: str) -> Array:
    """The product of the weights of the classes of each row: `codes` has a column for each target, of these `labels`.

    >>> row_weights({"a": 3.0}, [np.array(["a", "b"])], np.array([[0], [1]]), None, "f")
    array([3., 1.])
    """
    given = class_weight if isinstance(class_weight, list) else [class_weight] * len(labels)
    if len(given) != len(labels):
        raise ParameterError(f"{owner}: class_weight has {len(given)} entries for {len(labels)} targets")
    product = np.ones(len(codes))
    for weights_of_target, classes, of_target in zip(given, labels, codes.T, strict=True):
        product *= class_weights(weights_of_target, classes, of_target, sample_weight, owner)[of_target]
    return product


def weighted(class_weight: Any, classes: Array, codes: Array, sample_weight: Array | None, owner: str) -> Array | None:
    """The weights of rows times those of their classes; None if both are one.

    >>> weighted({"a": 3.0}, np.array(["a", "b"]), np.array([0, 1]), None, "class_weight")
    array([3., 1.])
    """
    if class_weight is None:
        return sample_weight
    codes = codes.astype(np.intp)
    factor = class_weights(class_weight, classes, codes, sample_weight, owner)[codes]
    return factor if sample_weight is None else factor * sample_weight


def check_classes(owner: str, classes: Array, codes: Array, factors: Array) -> None:
    """Refuse rows that count, of the classes `codes`, if all those whose class has a weight are of one.

    >>> check_classes("SVC", np.array(["a", "b"]), np.array([0, 1, 1]), np.array([1.0, 0.5]))
    """
    (present,) = (np.bincount(codes, minlength=len(factors)) * factors).nonzero()
    if len(present) < 2:
        held = f"one class, {classes[present[0]]!r}," if len(present) else "no class"
        raise DataError(f"{owner}: y holds {held} with a weight above zero; two classes or more are needed")
