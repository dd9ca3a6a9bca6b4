"""Parameters that limit the growth of trees."""

from __future__ import annotations

from typing import Any

from ..core import Estimator, declaring, param
from ..core.numeric import MOST
from ..engines.trees.builder import TreeLimits
from ..engines.trees.growth_limits import resolve_row_count


@declaring
class TreeLimitParams(Estimator):
    """Base class of estimators with the stopping rules of trees; subclasses declare `max_depth`."""

    max_depth: int | None  # declared, with a default of its own, by each class

    min_samples_split: int | float = param(
        2, "minimum number or fraction of rows to split a node", above=0, tune=(2, 5, 10, 20), simpler="larger"
    )
    min_samples_leaf: int | float = param(
        1, "minimum number or fraction of rows in a leaf", above=0, tune=(1, 2, 5, 10, 20), simpler="larger"
    )
    min_weight_fraction_leaf: float = param(0.0, "minimum fraction of the total weight in a leaf", between=(0, 0.5))
    max_leaf_nodes: int | None = param(
        None,
        "maximum number of leaves, of best-first growth",
        at_least=2,
        tune=(4, 8, 16, 32, None),
        simpler="smaller",
    )
    min_impurity_decrease: float = param(0.0, "minimum impurity decrease of a split", at_least=0)

    def _growth(self, rows: int, weight: float, unit: float, **more: Any) -> TreeLimits:
        """The limits for a number of rows of total `weight`; `unit` is the gain of an impurity of one per weight."""
        owner = type(self).__name__
        return TreeLimits(
            MOST if self.max_depth is None else self.max_depth,
            self.max_leaf_nodes or 0,
            max(resolve_row_count(self.min_samples_split, rows, f"{owner}: min_samples_split"), 2),
            resolve_row_count(self.min_samples_leaf, rows, f"{owner}: min_samples_leaf"),
            self.min_weight_fraction_leaf * weight,
            self.min_impurity_decrease * unit * weight,
            **more,
        )
