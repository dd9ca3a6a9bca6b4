"""What every support vector classifier asks of its classes, and of the things that they are classes of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError


def things_of(X: Any) -> Array | None:
    """A list of things that are neither numbers nor rows of them as a column of objects; None if it is another table.

    >>> things_of(["spam", "eggs"]).shape, things_of([[1.0], [2.0]])
    ((2, 1), None)
    """
    listed = list(X) if isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.ndim == 1) else []
    if not listed or not all(isinstance(thing, (str, bytes, set, frozenset, dict)) for thing in listed):
        return None
    column = np.empty((len(listed), 1), dtype=object)
    column[:, 0] = listed
    return column


def check_classes(owner: str, classes: Array, codes: Array, factors: Array) -> None:
    """Refuse rows that count, of the classes `codes`, if all those whose class has a weight are of one.

    >>> check_classes("SVC", np.array(["a", "b"]), np.array([0, 1, 1]), np.array([1.0, 0.5]))
    """
    present = np.unique(codes[factors[codes] > 0])
    if len(present) < 2:
        held = f"one class, {classes[present[0]]!r}," if len(present) else "no class"
        raise DataError(f"{owner}: y holds {held} with a weight above zero; two classes or more are needed")
