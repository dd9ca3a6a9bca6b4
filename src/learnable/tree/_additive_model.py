"""What an export asks of a model: to be a fitted sum of trees."""

from __future__ import annotations

from typing import Any

from ..core import DataError
from ..core.errors import not_fitted
from ..engines.trees.additive_trees import TreeSum


def sum_of(model: Any, caller: str) -> TreeSum:
    """The sum of trees that a model is."""
    if not hasattr(model, "n_features_in_"):
        raise not_fitted(model)
    if not hasattr(model, "_tree_sum"):
        raise DataError(f"{caller}: {type(model).__name__} is no sum of trees")
    sums: TreeSum = model._tree_sum()
    return sums


def keeps_single(model: Any) -> bool:
    """Whether a model takes its rows in single precision."""
    return bool(getattr(model, "single", False))
