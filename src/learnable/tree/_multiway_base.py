"""What trees of many branches share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, declaring, learned
from ..engines.columns.table_encoding import coded, learned_categories
from ..engines.trees.multiway_builder import BranchingGrowth, Rules
from ..engines.trees.multiway_tree import BranchingTree
from ..engines.trees.tree_checks import flaw_of_categories, flaw_of_columns, flaw_of_labels
from ._decision_paths import Telling


@declaring
class BranchingClassifier(Telling, ProbabilisticClassifier):
    """A tree of classes with a branch for each category; a class says which columns hold them and what is chosen."""

    tree_: BranchingTree = learned("the tree as arrays, an entry for each node")
    categories_: list[Any] = learned("sorted values of each column of categories, None for numbers", counts="features")
    classes_: Array = learned("the classes, sorted", shape="classes")

    takes = "table"
    missing = "native"
    parametric = False
    spread: ClassVar[bool] = True  # whether a row goes all ways, in parts, where its entry is missing

    def _unsound(self) -> str:
        tree = self.tree_
        return (
            flaw_of_columns(tree.feature, self.n_features_in_)
            or flaw_of_categories(self.categories_)
            or ("" if tree.value.ndim == 3 else "every node needs a table of values")
            or flaw_of_labels([self.classes_], *tree.value.shape[1:])
        )

    @abstractmethod
    def _rules(self, data: Data) -> Rules: ...

    def _grow(self, data: Data, chosen: Array, trace: Trace) -> BranchingTree:
        """The tree of a table whose `chosen` columns hold categories."""
        owner = type(self).__name__
        self.categories_ = learned_categories(data.X, chosen, gaps_too=not self.spread, owner=owner)
        sizes = np.array([0 if values is None else max(len(values), 1) for values in self.categories_])
        weight = np.ones(data.n) if data.weight is None else data.weight
        growth = BranchingGrowth(self._coded(data.X), sizes, data.y, weight, len(self.classes_), self._rules(data))
        return growth.grow()

    def _keep(self, tree: BranchingTree, trace: Trace) -> None:
        self.tree_ = tree
        trace.exact("each division is the best of all that were looked at", tree.mean_impurity)

    def _coded(self, X: Matrix) -> Array:
        return coded(X, self.categories_, type(self).__name__)

    def _categories(self) -> list[Array | None] | None:
        return self.categories_

    def _probabilities(self, X: Matrix) -> Array:
        return self.tree_.predict(self._coded(X), self.spread)[:, 0]

    @property
    def feature_importances_(self) -> Array:
        """The share of the impurity that each column removes."""
        return self.tree_.compute_feature_importances(self.n_features_in_)

    def decision_path(self, X: Any) -> Any:
        """A sparse matrix with the share of each row of `X` that comes to each node."""
        return self._grown().decision_path(self._coded(self._read(X)), self.spread)

    def apply(self, X: Any) -> Array:
        """The node that the largest part of each row of `X` ends in."""
        ways = self._grown().ways(self._coded(self._read(X)), self.spread)
        order = np.argsort(ways.share[ways.ended], kind="stable")
        leaf = np.empty(int(ways.row.max()) + 1, dtype=np.int64)
        leaf[ways.row[ways.ended][order]] = ways.node[ways.ended][order]  # the last one written stays
        return leaf
