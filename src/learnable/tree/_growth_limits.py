"""Parameters that limit the growth of trees."""

from __future__ import annotations

from ..core import Estimator, declaring, param
from ..core.numeric import is_fraction


@declaring
class TreeLimitParams(Estimator):
    """Base class of estimators with the stopping rules of trees; subclasses declare `max_depth`."""

    max_depth: int | None  # declared, with a default of its own, by each class

    min_samples_split: int | float = param(
        2, "minimum number or fraction of rows to split a node", above=0, tune=(2, 5, 10, 20), simpler="larger",
        accepts=lambda value: is_fraction(value) or value > 1, says="at least 2, or a fraction of the rows",
    )  # fmt: skip
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
