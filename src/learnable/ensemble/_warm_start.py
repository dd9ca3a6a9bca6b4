"""Warm starts of ensembles."""

from __future__ import annotations

from typing import Any

from ..core.errors import ParameterError, warn


def remaining_range(model: Any, fitted: int, name: str = "n_estimators") -> range:
    """Indices of the trees or iterations still to be fitted after a warm start; the number cannot decrease."""
    requested: int = getattr(model, name)
    if requested < fitted:
        raise ParameterError(
            f"{type(model).__name__}: warm_start cannot reduce {name} from {fitted} to {requested}; raise it, or set "
            "warm_start=False"
        )
    if requested == fitted > 0 and getattr(model, "warm_start", False):
        warn("Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning)
    return range(fitted, requested)
