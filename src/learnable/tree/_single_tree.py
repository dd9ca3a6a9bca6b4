"""Validation of the model argument of functions of one decision tree."""

from __future__ import annotations

from typing import Any

from ..core.errors import DataError, not_fitted
from ._decision_paths import ExplainableTree


def single_tree(model: Any, owner: str) -> Any:
    """The tree of a fitted decision tree; an error for any other model."""
    if not isinstance(model, ExplainableTree):
        raise DataError(
            f"{owner} needs a decision tree, got {type(model).__name__}; of a forest, pass one of its estimators_"
        )
    if not hasattr(model, "tree_"):
        raise not_fitted(model)
    return model.tree_
