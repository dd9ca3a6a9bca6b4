"""What every support vector classifier asks of its classes."""

from __future__ import annotations

import numpy as np

from ..core import Array, DataError


def check_classes(owner: str, classes: Array, codes: Array, factors: Array) -> None:
    """Refuse rows that count, of the classes `codes`, if all those whose class has a weight are of one.

    >>> check_classes("SVC", np.array(["a", "b"]), np.array([0, 1, 1]), np.array([1.0, 0.5]))
    """
    (present,) = (np.bincount(codes, minlength=len(factors)) * factors).nonzero()
    if len(present) < 2:
        held = f"one class, {classes[present[0]]!r}," if len(present) else "no class"
        raise DataError(f"{owner}: y holds {held} with a weight above zero; two classes or more are needed")
