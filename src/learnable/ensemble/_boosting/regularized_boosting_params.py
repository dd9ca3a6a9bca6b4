"""Parameters of regularized gradient boosting, as in XGBoost and LightGBM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ...core import Array, Data, Estimator, Traits, declaring, param
from ...core.errors import ParameterError
from ...engines.trees.boosting import BoostingConfig
from ...engines.trees.boosting_sampling import GradientSampling, RowSubsample, StageSampler, TreeDropout
from ...engines.trees.growth_limits import TreeLimits
from ...engines.trees.histograms import HistogramConfig
from .constraints import interaction_groups, monotonic_directions
from .custom_loss import CustomLoss
from .heads import Head
from .histogram_boosting import HistogramOptions
from .validation_split import StoppingOptions


@declaring
class RegularizedBoostingParams(Estimator):
    """Base class with the parameters of boosting with penalties on leaves and leaf values."""

    if TYPE_CHECKING:  # declared by HistogramBoostingBase and each class
        loss: Any = None
        monotonic_cst: Any = None
        interaction_cst: Any = None
        validation_fraction: Any = None
        seed_: Any = None

    n_estimators: int = param(
        100, "maximum number of boosting iterations", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    learning_rate: float = param(
        0.3, "learning rate: shrinkage of each tree", above=0, tune=(0.03, 0.1, 0.3), simpler="smaller"
    )
    max_depth: int | None = param(
        6, "maximum depth of a tree; None for no limit", at_least=1, tune=(2, 3, 4, 6, 8), simpler="smaller"
    )
    max_leaves: int | None = param(
        None,
        "maximum number of leaves of a tree; None for no limit",
        at_least=2,
        tune=(7, 15, 31, 63, None),
        simpler="smaller",
    )
    grow_policy: Literal["depthwise", "lossguide"] = param("depthwise", "growth level by level, or best first")
    gamma: float = param(
        0.0,
        "cost per leaf: minimum loss reduction of a split",
        at_least=0,
        tune=(0.0, 0.1, 1.0),
        simpler="larger",
    )
    post_pruning: bool = param(True, "whether splits below `gamma` are pruned after growth, rather than not made")
    reg_lambda: float = param(
        1.0, "L2 regularisation of leaf values", at_least=0, tune=(0.1, 1.0, 10.0), simpler="larger"
    )
    reg_alpha: float = param(0.0, "L1 regularisation of leaf values", at_least=0)
    min_child_weight: float = param(1.0, "minimum sum of Hessians in a leaf", at_least=0)
    min_samples_leaf: int = param(
        1, "minimum number of rows in a leaf", at_least=1, tune=(1, 5, 20, 50), simpler="larger"
    )
    max_delta_step: float = param(0.0, "maximum absolute leaf value; zero for no limit", at_least=0)
    subsample: float = param(1.0, "fraction of the rows drawn for each stage", above=0, at_most=1, tune=(0.5, 0.8, 1.0))
    sampling_method: Literal["uniform", "gradient_based"] = param(
        "uniform", "sampling of rows: uniform, or gradient-based one-side sampling (GOSS)"
    )
    top_rate: float = param(0.2, "fraction of rows with the largest gradients that GOSS keeps", between=(0, 1))
    other_rate: float = param(0.1, "fraction of the other rows that GOSS draws", between=(0, 1))
    colsample_bytree: float = param(1.0, "fraction of the columns drawn for each tree", above=0, at_most=1)
    colsample_bylevel: float = param(1.0, "fraction of these columns drawn for each level", above=0, at_most=1)
    colsample_bynode: float = param(1.0, "fraction of these columns drawn for each node", above=0, at_most=1)
    tree_method: Literal["hist", "exact"] = param(
        "hist", "whether thresholds lie between histogram bins, or between any two values"
    )
    max_bin: int = param(255, "maximum number of bins of a column, besides that of missing values", between=(2, 65535))
    bundling: bool = param(
        False, "whether to bundle columns that are rarely nonzero together (exclusive feature bundling)"
    )
    max_conflict_rate: float = param(0.0, "fraction of rows in which columns of a bundle may conflict", between=(0, 1))
    booster: Literal["gbtree", "dart"] = param(
        "gbtree", "gradient boosted trees, or with dropout of earlier stages (DART)"
    )
    rate_drop: float = param(0.1, "dropout probability of each earlier stage, with dart", between=(0, 1))
    skip_drop: float = param(0.0, "probability of no dropout in a stage, with dart", between=(0, 1))
    base_score: float | None = param(None, "initial score; None for the best constant")
    early_stopping_rounds: int | None = param(
        None, "number of iterations without improvement before stopping", at_least=1
    )
    tol: float = param(0.0, "minimum improvement of the score", at_least=0)

    traits = Traits(sparse=True, storage="csc")

    def _training_loss(self, head: Head, y: Array) -> Any:
        if not callable(self.loss):
            return head.loss
        if head.outputs > 1:
            raise ParameterError(f"{type(self).__name__}: a custom loss needs two classes; y has {head.outputs}")
        loss = CustomLoss.of(self.loss, y)
        if self.early_stopping_rounds is not None and not loss.known:
            raise ParameterError(
                f"{type(self).__name__}: early_stopping_rounds needs loss values; let the function `loss` return the "
                "losses of the rows as a third array, or set early_stopping_rounds=None"
            )
        return loss

    def _options(self, data: Data, head: Head) -> HistogramOptions:
        cost = self.gamma / head.scale**2
        trees = HistogramConfig(
            TreeLimits(
                self.max_depth,
                self.max_leaves,
                min_samples_leaf=self.min_samples_leaf,
                min_weight_leaf=self.min_child_weight,
                min_gain=0.0 if self.post_pruning else cost,
            ),
            by_level=self.grow_policy == "depthwise",
            prune_gain=cost if self.post_pruning else 0.0,
            l1=self.reg_alpha / head.scale,
            l2=self.reg_lambda,
            max_delta_step=self.max_delta_step / head.scale,
            tree_fraction=self.colsample_bytree,
            level_fraction=self.colsample_bylevel,
            node_fraction=self.colsample_bynode,
            monotonic_cst=[] if self.monotonic_cst is None else monotonic_directions(self, data, head.outputs),
            interaction_groups=[] if self.interaction_cst is None else interaction_groups(self, data.p),
        )
        stopping = StoppingOptions(
            self.early_stopping_rounds is not None,
            self.validation_fraction,
            self.early_stopping_rounds or 1,
            self.tol,
            keep_best=True,
            parameter="early_stopping_rounds",
        )
        config = BoostingConfig(
            self.n_estimators,
            self.learning_rate,
            trees,
            self.seed_,
            sampler=self._sampler(),
            dropout=TreeDropout(self.rate_drop, self.skip_drop) if self.booster == "dart" else None,
            max_conflicts=self.max_conflict_rate if self.bundling else None,
            loss_unit=head.loss_unit,
        )
        max_bins = 0 if self.tree_method == "exact" else self.max_bin
        return HistogramOptions("n_estimators", config, stopping, max_bins, 65535)

    def _sampler(self) -> StageSampler | None:
        if self.sampling_method == "gradient_based":
            return GradientSampling(self.top_rate, self.other_rate)
        return RowSubsample(self.subsample) if self.subsample < 1 else None
