"""Base class of multiway decision trees."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, Traits, declaring, learned
from ..engines.columns.table_encoding import coded, learned_categories
from ..engines.trees.multiway_builder import MultiwayBuilder, MultiwayConfig
from ..engines.trees.multiway_tree import BranchingTree
from ..engines.trees.tree_checks import flaw_of_categories, flaw_of_columns, flaw_of_labels
from ._decision_paths import ExplainableTree


@declaring
class MultiwayTreeClassifier(ExplainableTree, ProbabilisticClassifier):
    """Base class of multiway tree classifiers: a branch for each category, or two for a threshold."""

    tree_: BranchingTree = learned("the fitted tree as arrays with an entry for each node")
    categories_: list[Any] = learned(
        "sorted values of each categorical column, None for numeric columns", counts="features"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")

    traits = Traits(takes="table", missing="native", parametric=False)
    spread: ClassVar[bool] = True  # whether a row with a missing value takes all branches, in fractions

    def _unsound(self) -> str:
        tree = self.tree_
        return (
            flaw_of_columns(tree.feature, self.n_features_in_)
            or flaw_of_categories(self.categories_)
            or ("" if tree.value.ndim == 3 else "every node needs a table of values")
            or flaw_of_labels([self.classes_], *tree.value.shape[1:])
        )

    @abstractmethod
    def _config(self, data: Data) -> MultiwayConfig: ...

    def _grow(self, data: Data, chosen: Array, trace: Trace) -> BranchingTree:
        """Grow the tree; the `chosen` columns of the table are categorical."""
        owner = type(self).__name__
        self.categories_ = learned_categories(data.X, chosen, with_missing=not self.spread, owner=owner)
        sizes = np.array([0 if values is None else max(len(values), 1) for values in self.categories_])
        weight = np.ones(data.n) if data.weight is None else data.weight
        builder = MultiwayBuilder(self._coded(data.X), sizes, data.y, weight, len(self.classes_), self._config(data))
        return builder.grow()

    def _store(self, tree: BranchingTree, trace: Trace) -> None:
        self.tree_ = tree
        trace.exact("each split is the best of all candidates", tree.mean_impurity)

    def _coded(self, X: Matrix) -> Array:
        return coded(X, self.categories_, type(self).__name__)

    def _categories(self) -> list[Array | None] | None:
        return self.categories_

    def _probabilities(self, X: Matrix) -> Array:
        return self.tree_.predict(self._coded(X), self.spread)[:, 0]

    @property
    def feature_importances_(self) -> Array:
        """Impurity-based importance of each column: its fraction of the total impurity decrease."""
        return self.tree_.compute_feature_importances(self.n_features_in_)

    def decision_path(self, X: Any) -> Any:
        """A sparse matrix with the fraction of each row of `X` that reaches each node."""
        return self._fitted_tree().decision_path(self._coded(self._read(X)), self.spread)

    def apply(self, X: Any) -> Array:
        """The node in which the largest fraction of each row of `X` ends."""
        paths = self._fitted_tree().paths(self._coded(self._read(X)), self.spread)
        order = np.argsort(paths.fraction[paths.ended], kind="stable")
        leaf = np.empty(int(paths.row.max()) + 1, dtype=np.int64)
        leaf[paths.row[paths.ended][order]] = paths.node[paths.ended][order]  # the largest is written last
        return leaf
