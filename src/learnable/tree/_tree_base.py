"""Base class of decision trees."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Estimator, Matrix, RandomState, Trace, Traits, declaring, learned, param
from ..core.errors import ParameterError
from ..core.runtime.random import seed_of
from ..core.sklearn_api.bunch import Bunch
from ..engines.trees.additive_trees import TreeSum
from ..engines.trees.builder import Sampling, SplitSearch, grow
from ..engines.trees.classification_target import ClassificationTarget
from ..engines.trees.growth_limits import MaxFeatures as MaxFeatures
from ..engines.trees.growth_limits import TreeLimits, resolve_max_features, resolve_monotonic_cst
from ..engines.trees.pruning.cost_complexity import prune_by_cost_complexity, pruning_path
from ..engines.trees.pruning.score_target import explained_impurity, grown_until, training_accuracy
from ..engines.trees.regression_target import ScaledTarget
from ..engines.trees.tree import Tree
from ._categorical_features import CategoricalFeatures, Splits
from ._decision_paths import ExplainableTree
from ._growth_limits import TreeLimitParams


@declaring
class DecisionTreeBase(CategoricalFeatures, TreeLimitParams, ExplainableTree):
    """Base class of trees with binary splits of one column each."""

    splitter: Literal["best", "random"] = param(
        "best", "whether to choose the best threshold of a column, or a random one"
    )
    max_depth: int | None = param(
        None, "maximum depth of the tree", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    max_features: MaxFeatures = param(None, "columns tried at each node: number, fraction or rule", above=0)
    random_state: RandomState = param(None, "seed of the draws of columns and thresholds")
    ccp_alpha: float = param(
        0.0,
        "cost per leaf of minimal cost-complexity pruning",
        at_least=0,
        tune=(0.0, 1e-3, 1e-2, 0.1),
        simpler="larger",
    )
    monotonic_cst: Array | None = param(
        None, "monotonic constraint of each column: 1 increasing, -1 decreasing, 0 none"
    )
    splits: Splits = param("exact", "whether thresholds lie between any two values, or between histogram bins")
    max_bins: int = param(255, "maximum number of bins of a numeric column", between=(2, 65535))
    target_score: float | None = param(
        None,
        "training score at which growth stops: accuracy, or the fraction of the impurity that is explained (R²); "
        "the node that reduces the impurity most is split first",
        above=0,
        at_most=1,
    )
    tree_: Tree = learned("the fitted tree as arrays with an entry for each node")
    max_features_: int = learned("number of columns tried at each node")
    n_outputs_: int = learned("number of targets")

    traits = Traits(sparse=True, storage="csc", missing="native", multi_target=True, parametric=False)

    def _unsound(self) -> str:
        return self._flaw_of_trees(self.tree_.feature, *self.tree_.value.shape[1:])

    def _grow(self, target: ClassificationTarget | ScaledTarget, data: Data, weight: Array, trace: Trace) -> None:
        """Grow, prune and store the tree."""
        owner = type(self).__name__
        if self.splitter == "random" and self.splits == "histogram":
            raise ParameterError(
                f"{owner}: splitter='random' draws thresholds from all values, not from bins; use splits='exact'"
            )
        self.max_features_ = resolve_max_features(self.max_features, data.p, owner)
        self.n_outputs_ = 1 if data.y.ndim == 1 else data.y.shape[1]
        sampling = Sampling.of(weight, np.array([seed_of(self.random_state) % 2**64], dtype=np.uint64))
        limits = TreeLimits.of(self, len(sampling.rows), float(weight.sum()), target.unit)
        constraint = resolve_monotonic_cst(self.monotonic_cst, data.p, self.n_outputs_, owner)
        search = SplitSearch(
            max_features=0 if self.max_features_ == data.p else self.max_features_,
            random_thresholds=self.splitter == "random",
            monotonic_cst=target.constraint(constraint, owner),
        )
        tree = grow(target, self._ranked_columns(data, weight), sampling, limits, search).tree(0)
        if self.target_score is not None:
            value = training_accuracy(tree) if self.traits.task == "classification" else explained_impurity(tree)
            enough = self.target_score * float(tree.weighted_n_node_samples[0])
            tree = grown_until(tree, value, enough * (1 - 1e-12))
        self.tree_ = prune_by_cost_complexity(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree
        trace.exact("each split is the best of all candidates", self.tree_.mean_impurity)

    def _adopt(self, tree: Tree, ensemble: Estimator | None, **learned_values: Any) -> Self:
        """Take over a tree of an ensemble, with the columns of that, and what else a fit would have learned."""
        self.tree_ = tree
        for name, value in learned_values.items():
            setattr(self, name, value)
        if ensemble is not None:
            self._remember_columns_of(ensemble)
        return self

    def _leaf_values(self, X: Matrix) -> Array:
        return self.tree_.predict(self._coded(X))

    def _tree_sum(self) -> TreeSum:
        """The tree as an additive model, for explanations."""
        return TreeSum.of([self._fitted_tree()])

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importance of each column: its fraction of the total impurity decrease."""
        return self.tree_.compute_feature_importances(self.n_features_in_)

    def apply(self, X: Any, check_input: bool = True) -> Array:
        """The leaf of each row of `X`."""
        return self.tree_.apply(self._coded(self._read(X)))

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """A sparse indicator matrix of the nodes that each row of `X` passes."""
        return self.tree_.decision_path(self._coded(self._read(X)))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The effective `ccp_alphas` of the pruning sequence, and the total leaf `impurities` of its subtrees."""
        whole: Any = self.clone().set_params(ccp_alpha=0.0)
        whole.fit(X, y, sample_weight)
        alphas, impurities = pruning_path(whole.tree_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)
