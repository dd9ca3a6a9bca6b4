"""Options of metrics: which there are, and what they may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import ParameterError

OPTIONS = {
    "minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("V", "VI"), "haversine": (),
    "gower": ("categorical", "ranges", "weight"), "nan_euclidean": ("squared", "missing_values", "copy"),
}  # fmt: skip


def check_options(metric: Any, options: dict[str, Any], columns: int, owner: str) -> None:
    """Refuse options that a named metric does not have, and numbers for columns that cannot be meant."""
    if not isinstance(metric, str) or not options:
        return
    known = OPTIONS.get(metric, ("w",))
    unknown = sorted(set(options) - set(known))
    if unknown:
        said = f"has the options {', '.join(known)}" if known else "has no options"
        raise ParameterError(f"{owner}: the metric {metric} {said}; got {unknown[0]!r}")
    if metric == "mahalanobis":
        for name in options:
            _square(options[name], columns, name, owner)
    for name in {"w"} if metric != "seuclidean" else {"V"}:
        if options.get(name) is not None:
            per_column(options[name], columns, name, owner)


def _square(values: Any, columns: int, name: str, owner: str) -> None:
    """Refuse what is not a matrix with a row and a column for each column of X."""
    shape = np.shape(values) if values is not None else (columns, columns)
    if shape != (columns, columns):
        raise ParameterError(
            f"{owner}: {name} of the metric mahalanobis must be {columns} x {columns} numbers, as X has {columns} "
            f"columns; its shape is {shape}"
        )


def per_column(values: Any, columns: int, name: str, owner: str) -> Array:
    """A finite number of at least 0 for each column, as an option of a metric."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (columns,) or not (np.isfinite(found) & (found >= 0)).all():
        raise ParameterError(
            f"{owner}: {name} of the metric must be {columns} finite numbers of at least 0, one for each column of X; "
            f"got {values!r:.60}"
        )
    return found
