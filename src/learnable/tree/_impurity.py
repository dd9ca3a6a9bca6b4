"""Impurity of class counts."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked, limits
from ..engines.trees.multiway_builder import weighted_impurity


@checked(base=limits(above=1))
def impurity(counts: Rows, criterion: Literal["gini", "entropy", "error"] = "gini", *, base: float = 2.0) -> Any:
    """Impurity of class counts: 0 for a pure node, maximum if all classes are equally frequent.

    gini = 1 - sum_k p_k^2,   entropy = -sum_k p_k log p_k,   error = 1 - max_k p_k

    `counts` are weights or proportions of the classes, in the last axis. Gini and entropy are strictly concave, so that
    a split which makes one side pure reduces them even where the error rate stays the same.
    [Breiman, Friedman, Olshen and Stone, 1984]

    >>> round(impurity([4, 6]), 4), round(impurity([4, 6], "entropy"), 4), round(impurity([4, 6], "error"), 4)
    (0.48, 0.971, 0.4)
    """
    if criterion not in ("gini", "entropy", "error"):
        raise ParameterError(f'impurity: criterion must be "gini", "entropy" or "error"; got {criterion!r}')
    if not base > 0 or base == 1:
        raise ParameterError(f"impurity: base must be above 0 and not 1; got {base!r}")
    table = np.asarray(counts, dtype=np.float64)
    total = table.sum(axis=-1)
    if table.ndim == 0 or (table < 0).any() or not (total > 0).all():
        raise DataError("impurity: counts must not be negative, and at least one of them above zero")
    found = weighted_impurity(table, criterion) / total
    found = found / np.log2(base) if criterion == "entropy" else found
    return float(found) if found.ndim == 0 else found
