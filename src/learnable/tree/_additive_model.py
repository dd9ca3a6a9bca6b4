"""Models that can be exported: fitted sums of trees."""

from __future__ import annotations

from typing import Any

from ..core import DataError
from ..core.errors import not_fitted
from ..engines.trees.additive_trees import TreeSum


def tree_sum_of(model: Any, caller: str) -> TreeSum:
    """The additive tree model of a fitted estimator; an error for any other model."""
    if not hasattr(model, "n_features_in_"):
        raise not_fitted(model)
    if not hasattr(model, "_tree_sum"):
        raise DataError(f"{caller}: {type(model).__name__} is not a tree model or a sum of trees")
    sums: TreeSum = model._tree_sum()
    return sums


def uses_float32(model: Any) -> bool:
    """Whether a model rounds its rows to single precision."""
    return bool(getattr(model, "single", False))
