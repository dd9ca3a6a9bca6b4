"""Rows that are arbitrary objects, such as texts or sets, which a kernel given as a function can compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, Matrix
from ...core.roles.estimator import Estimator


def objects_of(X: Any) -> Array | None:
    """A list or series of texts, sets or mappings as a column of objects; None for anything else.

    >>> objects_of(["spam", "eggs"]).shape, objects_of([[1.0], [2.0]])
    ((2, 1), None)
    """
    listed = list(X) if isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 1 else []
    if not listed or not all(isinstance(item, (str, bytes, set, frozenset, dict)) for item in listed):
        return None
    column = np.empty((len(listed), 1), dtype=object)
    column[:, 0] = listed
    return column


def precision_of(X: Matrix) -> Any:
    """The dtype of predictions for `X`: its own if it holds floats, else float64."""
    return X.dtype if X.dtype.kind == "f" else np.float64


class ComparesObjects(Estimator):
    """Mixed into machines whose `kernel` may be a function: `X` may then be a list of objects."""

    kernel: Any

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix; objects that only a function can compare become a column of dtype object."""
        objects = objects_of(X) if callable(self.kernel) else None
        return super()._enter(X) if objects is None else (objects, None)
