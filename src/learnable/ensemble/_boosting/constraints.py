"""What trees may not do: fall where scores must rise, or let columns act together that must not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ...core import Data
from ...core.errors import ParameterError
from ...engines.trees.growth_limits import directions


def named_directions(model: Any, requested: Any, data: Data) -> list[int]:
    """1, -1 or 0 for each column, from an array or names; nothing if all are free."""
    if requested is None:
        return []
    owner = type(model).__name__
    if isinstance(requested, dict):
        if data.names is None:
            raise ParameterError(f"{owner}: monotonic_cst by name needs columns with names; give an array")
        strange = [name for name in requested if name not in data.names]
        if strange:
            raise ParameterError(f"{owner}: monotonic_cst contains {len(strange)} unexpected feature names: {strange}")
        requested = [requested.get(name, 0) for name in data.names]
    asked = np.array(directions(requested, data.p, 1, owner))
    if model.__dict__["coding_"].categories and (asked[model.coding_.categorical] != 0).any():
        raise ParameterError(f"{owner}: categories have no order: monotonic_cst must be 0 for their columns")
    return asked.tolist() if asked.any() else []


def groups(model: Any, requested: Any, columns: int) -> list[list[int]]:
    """The groups of columns that may act together; those in none make one of their own."""
    if requested is None:
        return []
    if isinstance(requested, str):
        if requested not in ("pairwise", "no_interactions"):
            raise ParameterError(f'{type(model).__name__}: interaction_cst must be groups, "pairwise" or '
                                 f'"no_interactions"; got {requested!r}')  # fmt: skip
        requested = combinations(range(columns), 2) if requested == "pairwise" else [[j] for j in range(columns)]
    try:
        found = [sorted(set(group)) for group in requested]
    except TypeError:
        raise ParameterError(
            f"{type(model).__name__}: interaction_cst is a list of groups of columns; got {requested!r}"
        ) from None
    for group in found:
        if not all(isinstance(j, (int, np.integer)) and 0 <= j < columns for j in group):
            raise ParameterError(
                f"{type(model).__name__}: groups of interaction_cst hold places of columns, from 0 to {columns - 1}; "
                f"got {group!r}"
            )
    rest = sorted(set(range(columns)) - {j for group in found for j in group})
    return [[int(j) for j in group] for group in [*found, rest] if len(group)]
