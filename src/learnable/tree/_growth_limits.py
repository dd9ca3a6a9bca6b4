"""Where trees end, whatever they grow for."""

from __future__ import annotations

from typing import Any

from ..core import Estimator, declaring, param
from ..core.numeric import MOST
from ..engines.trees.builder import GrowthRules
from ..engines.trees.growth_limits import requested_rows


@declaring
class LimitedGrowth(Estimator):
    """An estimator whose trees end at limits that the user sets; a class says how deep they may become."""

    max_depth: int | None  # declared, with a default of its own, by each class

    min_samples_split: int | float = param(
        2, "fewest rows, or which share, that are divided", above=0, tune=(2, 5, 10, 20), simpler="larger"
    )
    min_samples_leaf: int | float = param(
        1, "fewest rows of a leaf, or their share", above=0, tune=(1, 2, 5, 10, 20), simpler="larger"
    )
    min_weight_fraction_leaf: float = param(0.0, "least share of the weight in a leaf", between=(0, 0.5))
    max_leaf_nodes: int | None = param(
        None,
        "most leaves of a tree, which then grows where it gains most",
        at_least=2,
        tune=(4, 8, 16, 32, None),
        simpler="smaller",
    )
    min_impurity_decrease: float = param(0.0, "least impurity that a division must remove", at_least=0)

    def _growth(self, rows: int, weight: float, unit: float, **more: Any) -> GrowthRules:
        """The limits for so many rows of such a weight, of which an impurity of one is worth `unit` times as much."""
        owner = type(self).__name__
        return GrowthRules(
            MOST if self.max_depth is None else self.max_depth,
            self.max_leaf_nodes or 0,
            max(requested_rows(self.min_samples_split, rows, f"{owner}: min_samples_split"), 2),
            requested_rows(self.min_samples_leaf, rows, f"{owner}: min_samples_leaf"),
            self.min_weight_fraction_leaf * weight,
            self.min_impurity_decrease * unit * weight,
            **more,
        )
