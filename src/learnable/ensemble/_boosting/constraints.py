"""Monotonic and interaction constraints of boosted trees."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ...core import Data
from ...core.errors import ParameterError
from ...engines.trees.growth_limits import resolve_monotonic_cst


def monotonic_directions(model: Any, data: Data, outputs: int) -> list[int]:
    """The monotonic constraint 1, -1 or 0 of each column, from an array or by name; empty if all are zero."""
    constraint, owner = model.monotonic_cst, type(model).__name__
    if outputs > 1:
        raise ParameterError(f"{owner}: monotonic_cst is defined for two classes; y holds more")
    if isinstance(constraint, dict):
        if data.names is None:
            raise ParameterError(f"{owner}: monotonic_cst by name needs named columns; pass an array")
        unknown = [name for name in constraint if name not in data.names]
        if unknown:
            raise ParameterError(f"{owner}: monotonic_cst contains {len(unknown)} unexpected feature names: {unknown}")
        constraint = [constraint.get(name, 0) for name in data.names]
    directions = np.array(resolve_monotonic_cst(constraint, data.p, 1, owner))
    if model.__dict__["coding_"].categories and (directions[model.coding_.categorical] != 0).any():
        raise ParameterError(f"{owner}: monotonic_cst must be 0 for categorical columns, which have no order")
    return directions.tolist() if directions.any() else []


def interaction_groups(model: Any, columns: int) -> list[list[int]]:
    """Groups of columns that may interact; columns outside all groups form one more group."""
    constraint = model.interaction_cst
    if isinstance(constraint, str):
        if constraint not in ("pairwise", "no_interactions"):
            raise ParameterError(f'{type(model).__name__}: interaction_cst must be groups, "pairwise" or '
                                 f'"no_interactions"; got {constraint!r}')  # fmt: skip
        constraint = combinations(range(columns), 2) if constraint == "pairwise" else [[j] for j in range(columns)]
    try:
        found = [sorted(set(group)) for group in constraint]
    except TypeError:
        raise ParameterError(
            f"{type(model).__name__}: interaction_cst must be a list of groups of columns; got {constraint!r}"
        ) from None
    for group in found:
        if not all(isinstance(j, (int, np.integer)) and 0 <= j < columns for j in group):
            raise ParameterError(
                f"{type(model).__name__}: groups of interaction_cst hold column indices from 0 to {columns - 1}; "
                f"got {group!r}"
            )
    rest = sorted(set(range(columns)) - {j for group in found for j in group})
    return [[int(j) for j in group] for group in [*found, rest] if len(group)]
