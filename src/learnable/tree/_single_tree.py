"""What functions of one tree take."""

from __future__ import annotations

from typing import Any

from ..core.errors import DataError, not_fitted
from ._decision_paths import Telling


def single_tree(model: Any, owner: str) -> Any:
    """The grown tree of a fitted estimator; an error says what is wrong with any other."""
    if not isinstance(model, Telling):
        raise DataError(
            f"{owner} takes one decision tree, and {type(model).__name__} is none; of a forest, give one of its "
            "estimators_"
        )
    if not hasattr(model, "tree_"):
        raise not_fitted(model)
    return model.tree_
