"""Errors for targets outside the range of a loss."""

from __future__ import annotations

import numpy as np

from ...core import Array, DataError


def demand(allowed: Array, y: Array, loss: str, rule: str) -> None:
    """Raise DataError naming the loss, its rule and the first target that breaks it."""
    broken = np.flatnonzero(~allowed)
    if len(broken):
        row = int(broken[0])
        raise DataError(
            f"the {loss} loss needs {rule}, but y[{row}] is {y.flat[row]:g} ({len(broken)} such rows): "
            "remove these rows or choose another loss"
        )
