"""Rows of baselines, of which only the number counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Estimator, Matrix
from ..core.validate.targets import is_sparse


class OfAnyRows(Estimator):
    """Base class of baselines: rows may have any number of dimensions."""

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        if is_sparse(X):
            return self._validator.matrix(X)  # a table of sparse rows would be dense
        if isinstance(X, (list, tuple, np.ndarray)) and len(X):
            entries = np.asarray(X) if isinstance(X, np.ndarray) or np.ndim(X[0]) != 1 else X
            if isinstance(entries, np.ndarray) and entries.ndim not in (0, 2):
                X = entries.reshape(len(entries), -1)
        return super()._enter(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        return tags


def some_rows(X: Any, y: Any, width: int = 1) -> Any:
    """`X`, or as many rows as there are targets where it is None."""
    return np.zeros((len(y), width)) if X is None else X
