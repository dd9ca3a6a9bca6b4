"""What boosting with penalised leaves shares, whatever it predicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ...core import Array, Data, declaring, param
from ...core.errors import ParameterError
from ...engines.trees.boosting import Dropout, GradientSample, RowSample, Sample
from ...engines.trees.histograms import HistogramRules
from .binned_boosting import BinnedBoosting, Plan
from .constraints import groups, named_directions
from .custom_loss import GivenLoss


@declaring
class RegularizedBoosting(BinnedBoosting):
    """Stages of trees whose leaves and divisions have prices; a class says which loss they lower."""

    n_estimators: int = param(100, "most stages", at_least=1, tune=(50, 100, 200, 400), simpler="smaller")
    learning_rate: float = param(
        0.3, "share of each tree's answer that is added", above=0, tune=(0.03, 0.1, 0.3), simpler="smaller"
    )
    max_depth: int | None = param(
        6, "most divisions above a leaf; None for no limit", at_least=1, tune=(2, 3, 4, 6, 8), simpler="smaller"
    )
    max_leaves: int | None = param(
        None, "most leaves of a tree; None for no limit", at_least=2, tune=(7, 15, 31, 63, None), simpler="smaller"
    )
    grow_policy: Literal["depthwise", "lossguide"] = param("depthwise", "level by level, or where most is gained")
    gamma: float = param(
        0.0,
        "price of a leaf: what half the gain of a division must exceed",
        at_least=0,
        tune=(0.0, 0.1, 1.0),
        simpler="larger",
    )
    post_pruning: bool = param(True, "whether divisions that gain too little are taken back only at the end")
    reg_lambda: float = param(
        1.0, "price of the squared value of a leaf", at_least=0, tune=(0.1, 1.0, 10.0), simpler="larger"
    )
    reg_alpha: float = param(0.0, "price of the size of the value of a leaf", at_least=0)
    min_child_weight: float = param(1.0, "least sum of curvatures of a leaf", at_least=0)
    min_samples_leaf: int = param(1, "fewest rows of a leaf", at_least=1, tune=(1, 5, 20, 50), simpler="larger")
    max_delta_step: float = param(0.0, "largest value of a leaf; zero for no limit", at_least=0)
    subsample: float = param(
        1.0, "share of the rows that a stage learns from", above=0, at_most=1, tune=(0.5, 0.8, 1.0)
    )
    sampling_method: Literal["uniform", "gradient_based"] = param(
        "uniform", "rows of a stage: all alike, or those of large gradients and some others"
    )
    top_rate: float = param(0.2, "share of the rows of largest gradients, if sampled by these", between=(0, 1))
    other_rate: float = param(0.1, "share of the others that stand for all of them", between=(0, 1))
    colsample_bytree: float = param(1.0, "share of the columns that a tree looks at", above=0, at_most=1)
    colsample_bylevel: float = param(1.0, "share of these at each level", above=0, at_most=1)
    colsample_bynode: float = param(1.0, "share of these at each node", above=0, at_most=1)
    tree_method: Literal["hist", "exact"] = param(
        "hist", "whether divisions lie between bins, or between any two numbers of a column"
    )
    max_bin: int = param(255, "most bins of a column, besides that of missing entries", between=(2, 65535))
    bundling: bool = param(False, "whether columns that are rarely other than zero at once are stored as one")
    max_conflict_rate: float = param(0.0, "share of the rows in which columns of a bundle may clash", between=(0, 1))
    booster: Literal["gbtree", "dart"] = param("gbtree", "dart lets stages forget some of those before them")
    rate_drop: float = param(0.1, "chance of each stage to be forgotten by the next, with dart", between=(0, 1))
    skip_drop: float = param(0.0, "chance that none is forgotten, with dart", between=(0, 1))
    base_score: float | None = param(None, "score before the first tree; None for the best constant")
    early_stopping_rounds: int | None = param(None, "stages without a gain that end boosting", at_least=1)
    tol: float = param(0.0, "gain of the score that counts", at_least=0)

    sparse = True
    storage = "csc"

    def _given(self, derivatives: Callable[..., Any], y: Array) -> GivenLoss:
        """A loss by its derivatives, which must be known itself to say when to stop."""
        loss = GivenLoss.of(derivatives, y)
        if self.early_stopping_rounds is not None and not loss.known:
            raise ParameterError(
                f"{type(self).__name__}: early_stopping_rounds needs a loss that is known; let the function `loss` "
                "return the losses of the rows third, after gradients and curvatures, or set early_stopping_rounds=None"
            )
        return loss

    def _measure(self, loss: Any) -> str:
        return loss.measure if isinstance(loss, GivenLoss) else super()._measure(loss)

    def _plan(self) -> Plan:
        return Plan(
            "n_estimators",
            self.n_estimators,
            self.learning_rate,
            0 if self.tree_method == "exact" else self.max_bin,
            65535,
            self.early_stopping_rounds is not None,
            self.validation_fraction,
            self.early_stopping_rounds or 1,
            self.tol,
            keep_best=True,
            sample=self._sample(),
            dropout=Dropout(self.rate_drop, self.skip_drop) if self.booster == "dart" else None,
            conflicts=self.max_conflict_rate if self.bundling else None,
            stopping="early_stopping_rounds",
        )

    def _sample(self) -> Sample | None:
        if self.sampling_method == "gradient_based":
            return GradientSample(self.top_rate, self.other_rate)
        return RowSample(self.subsample) if self.subsample < 1 else None

    def _rules(self, data: Data) -> HistogramRules:
        unit = self._score_unit()
        price = self.gamma / unit**2
        return HistogramRules(
            most_depth=self.max_depth or 0,
            most_leaves=self.max_leaves or 0,
            by_level=self.grow_policy == "depthwise",
            least_rows=float(self.min_samples_leaf),
            least_curvature=self.min_child_weight,
            least_gain=0.0 if self.post_pruning else price,
            prune_gain=price if self.post_pruning else 0.0,
            l1=self.reg_alpha / unit,
            l2=self.reg_lambda,
            longest_step=self.max_delta_step / unit,
            tree_share=self.colsample_bytree,
            level_share=self.colsample_bylevel,
            node_share=self.colsample_bynode,
            direction=named_directions(self, self.monotonic_cst, data),
            groups=groups(self, self.interaction_cst, data.p),
        )
