"""Rows that are no numbers, texts and sets for example: a kernel that is a function can compare them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix
from ..core.estimator import Estimator


def things_of(X: Any) -> Array | None:
    """A list or series of things that are neither numbers nor rows of these, as a column of objects; else None.

    >>> things_of(["spam", "eggs"]).shape, things_of([[1.0], [2.0]])
    ((2, 1), None)
    """
    listed = list(X) if isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 1 else []
    if not listed or not all(isinstance(thing, (str, bytes, set, frozenset, dict)) for thing in listed):
        return None
    column = np.empty((len(listed), 1), dtype=object)
    column[:, 0] = listed
    return column


def precision_of(X: Matrix) -> Any:
    """The type of the numbers of an answer: that of those in `X`, if there are any."""
    return X.dtype if X.dtype.kind == "f" else np.float64


class ComparesThings(Estimator):
    """Mixed into machines whose `kernel` may be a function: their tables may then be lists of anything."""

    kernel: Any

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix; things that only a function can compare, texts for example, are a column of objects."""
        things = things_of(X) if callable(self.kernel) else None
        return super()._enter(X) if things is None else (things, None)
