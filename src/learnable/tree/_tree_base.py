"""What all trees share: where they end, what they look at, and what they can tell of themselves."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, declaring, learned, param
from ..core.errors import ParameterError
from ..core.runtime.random import seed_of
from ..core.sklearn_api.bunch import Bunch
from ..engines.trees.additive_trees import TreeSum
from ..engines.trees.builder import TreeGrower
from ..engines.trees.growth_limits import MaxFeatures as MaxFeatures
from ..engines.trees.growth_limits import columns_tried, directions
from ..engines.trees.pruning.cost_complexity import pruned, pruning_path
from ..engines.trees.tree import Tree
from ._categorical_features import CodedColumns, Splits
from ._decision_paths import Telling
from ._growth_limits import LimitedGrowth


@declaring
class DecisionTree(CodedColumns, LimitedGrowth, Telling):
    """A tree that divides rows by one column at a time; a class says what its leaves tell and `_grow`s it."""

    splitter: Literal["best", "random"] = param("best", "the best threshold of a column, or one at random")
    max_depth: int | None = param(
        None, "most divisions above a leaf", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    max_features: MaxFeatures = param(None, "columns tried at a node, drawn at random: number, share or rule", above=0)
    random_state: RandomState = param(None, "seed of the columns and thresholds that are drawn")
    ccp_alpha: float = param(
        0.0, "price of a leaf at which the tree is pruned", at_least=0, tune=(0.0, 1e-3, 1e-2, 0.1), simpler="larger"
    )
    monotonic_cst: Array | None = param(None, "1, -1 or 0 for each column: values must not fall, not rise, are free")
    splits: Splits = param("exact", "whether numbers are told apart one by one, or only by the bins of histograms")
    max_bins: int = param(255, "most bins of a column of numbers", between=(2, 65535))
    tree_: Tree = learned("the tree as arrays, an entry for each node")
    max_features_: int = learned("columns tried at a node")
    n_outputs_: int = learned("number of targets")

    sparse = True
    storage = "csc"
    missing = "native"
    multi_target = True
    parametric = False

    def _unsound(self) -> str:
        return self._flaw_of_trees(self.tree_.feature, *self.tree_.value.shape[1:])

    def _grower(self, data: Data, weight: Array, unit: float) -> TreeGrower:
        """What the tree grows from; `unit` times the total weight is the worth of an impurity of one."""
        if self.splitter == "random" and self.splits == "histogram":
            raise ParameterError(
                f"{type(self).__name__}: thresholds at random are drawn among all numbers, and bins have few; use "
                "splits='exact'"
            )
        rows = np.flatnonzero(weight > 0).astype(np.uint32)
        self.max_features_ = columns_tried(self.max_features, data.p, type(self).__name__)
        self.n_outputs_ = 1 if data.y.ndim == 1 else data.y.shape[1]
        growth = self._growth(
            len(rows),
            float(weight.sum()),
            unit,
            candidates=0 if self.max_features_ == data.p else self.max_features_,
            random_thresholds=self.splitter == "random",
            seed=seed_of(self.random_state) % 2**64,
            direction=directions(self.monotonic_cst, data.p, self.n_outputs_, type(self).__name__),
        )
        return TreeGrower(self._ranked(data, weight), rows, weight, growth)

    def _keep(self, tree: Tree, trace: Trace) -> None:
        self.tree_ = pruned(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree
        trace.exact("each division is the best of all that were looked at", self.tree_.mean_impurity)

    def _leaf_values(self, X: Matrix) -> Array:
        return self.tree_.predict(self._coded(X))

    def _tree_sum(self) -> TreeSum:
        """The tree as a sum of one, for explanations."""
        return TreeSum.of([self._grown()])

    @property
    def feature_importances_(self) -> Array:
        """The share of the impurity that each column removes."""
        return self.tree_.compute_feature_importances(self.n_features_in_)

    def apply(self, X: Any, check_input: bool = True) -> Array:
        """The number of the leaf that each row of `X` ends in."""
        return self.tree_.apply(self._coded(self._read(X)))

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """A sparse matrix that marks, for each row of `X`, the nodes on its way."""
        return self.tree_.decision_path(self._coded(self._read(X)))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The prices of a leaf, `ccp_alphas`, at which the pruned tree changes, and its `impurities`."""
        whole: Any = self.clone().set_params(ccp_alpha=0.0)
        whole.fit(X, y, sample_weight)
        prices, impurities = pruning_path(whole.tree_)
        return Bunch(ccp_alphas=prices, impurities=impurities)
