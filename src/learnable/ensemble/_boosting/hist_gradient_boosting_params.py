"""Parameters of histogram gradient boosting, as in scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ...core import Data, Estimator, declaring, param
from ...engines.trees.boosting import BoostingConfig
from ...engines.trees.growth_limits import TreeLimits
from ...engines.trees.histograms import HistogramConfig
from .constraints import interaction_groups, monotonic_directions
from .heads import Head
from .histogram_boosting import HistogramOptions
from .validation_split import StoppingOptions


@declaring
class HistGradientBoostingParams(Estimator):
    """Base class with the parameters of histogram gradient boosting."""

    if TYPE_CHECKING:  # declared by HistogramBoostingBase
        monotonic_cst: Any = None
        interaction_cst: Any = None
        validation_fraction: Any = None
        seed_: Any = None

    learning_rate: float = param(
        0.1, "learning rate: shrinkage of each tree", above=0, tune=(0.03, 0.1, 0.3), simpler="smaller"
    )
    max_iter: int = param(
        100, "maximum number of boosting iterations", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    max_leaf_nodes: int | None = param(
        31, "maximum number of leaves of a tree; None for no limit", at_least=2, tune=(7, 15, 31, 63), simpler="smaller"
    )
    max_depth: int | None = param(
        None, "maximum depth of a tree", at_least=1, tune=(2, 3, 5, 8, None), simpler="smaller"
    )
    min_samples_leaf: int = param(
        20, "minimum number of rows in a leaf", at_least=1, tune=(5, 20, 50, 100), simpler="larger"
    )
    l2_regularization: float = param(
        0.0, "L2 regularisation of leaf values", at_least=0, tune=(0.0, 0.1, 1.0, 10.0), simpler="larger"
    )
    max_features: float = param(1.0, "fraction of the columns tried at each node", above=0, at_most=1)
    max_bins: int = param(255, "maximum number of bins of a column, besides that of missing values", between=(2, 65535))
    early_stopping: bool | Literal["auto"] = param(
        "auto", "whether to stop when the validation score no longer improves"
    )
    scoring: str | Callable[..., Any] | None = param("loss", 'score for early stopping: "loss", or a scorer')
    n_iter_no_change: int = param(10, "number of iterations without improvement before stopping", at_least=1)
    tol: float = param(1e-7, "minimum improvement of the score", at_least=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")

    def _options(self, data: Data, head: Head) -> HistogramOptions:
        trees = HistogramConfig(
            TreeLimits(
                self.max_depth, self.max_leaf_nodes, min_samples_leaf=self.min_samples_leaf, min_weight_leaf=1e-3
            ),
            l2=self.l2_regularization,
            node_fraction=self.max_features,
            monotonic_cst=[] if self.monotonic_cst is None else monotonic_directions(self, data, head.outputs),
            interaction_groups=[] if self.interaction_cst is None else interaction_groups(self, data.p),
        )
        stopping = StoppingOptions(
            None if self.early_stopping == "auto" else bool(self.early_stopping),
            self.validation_fraction,
            self.n_iter_no_change,
            self.tol,
            self.scoring,
        )
        config = BoostingConfig(self.max_iter, self.learning_rate, trees, self.seed_, loss_unit=head.loss_unit)
        return HistogramOptions("max_iter", config, stopping, self.max_bins, self.max_bins)
