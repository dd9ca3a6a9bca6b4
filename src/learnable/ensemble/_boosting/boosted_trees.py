"""Base class of boosted trees: scores are a constant plus the sum of the leaf values of all trees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ...core import Array, Data, Estimator, Matrix, Traits, declaring, learned, param
from ...core.validate.sparse_input import as_dense
from ...engines.columns.table_encoding import Coding
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.forest import Forest
from ...engines.trees.tree import Tree
from ...engines.trees.tree_checks import flaw_of_columns
from ...engines.trees.tree_stack import TreeStack
from .heads import Head


@declaring
class BoostedTrees(Estimator):
    """Base class of sums of trees grown one after the other, a tree for each output in each stage."""

    warm_start: bool = param(False, "whether a further fit adds stages to those of the last fit")
    baseline_: Array = learned("score of each output before the first tree", shape="outputs")
    stack_: TreeStack = learned("the fitted trees, packed")
    nodes_: Array = learned("impurity, number and weight of the rows of every node", shape="nodes three")
    coding_: Coding = learned("the encoding of categorical columns")
    n_iter_: int = learned("number of boosting stages")
    n_trees_per_iteration_: int = learned("number of trees per stage", least=1)

    traits = Traits(missing="native", parametric=False)
    stagewise = True
    base_score: ClassVar[float | None] = None  # a parameter of classes that start from a given score

    @abstractmethod
    def _head(self) -> Head:
        """What maps scores to predictions."""

    @abstractmethod
    def _encode_target(self, data: Data) -> Array:
        """The targets as the loss takes them."""

    def _row_weights(self, data: Data) -> Array | None:
        """The weights of the rows in the loss."""
        return data.weight

    def _unsound(self) -> str:
        """Check that nodes, outputs and stages are those of the trees."""
        stack, outputs = self.stack_, len(self.baseline_)
        if self.nodes_.shape != (len(stack.left), 3) or stack.value.shape[1] != 1:
            return f"nodes_ must hold three numbers for each of {len(stack.left)} nodes with one value each"
        if (stack.output >= outputs).any() or len(stack) % self.n_trees_per_iteration_:
            return f"trees must add to the {outputs} outputs, as many in each stage"
        return flaw_of_columns(stack.feature, self.n_features_in_)

    @property
    def trees_(self) -> list[Tree]:
        """The trees, those of a stage side by side."""
        impurity, rows, weight = self.nodes_.T
        return Forest(self.stack_, impurity, rows.astype(np.int64), weight, 1).trees()

    @property
    def feature_importances_(self) -> Array:
        """Importance of each column: its fraction of the total decrease of the second-order loss."""
        columns = self.n_features_in_
        found = np.zeros(columns)
        for tree in self.trees_:
            found += tree.compute_feature_importances(columns, normalize=False) * tree.weighted_n_node_samples[0]
        total = found.sum()
        return found / total if total > 0 else found

    def _is_warm(self) -> bool:
        """Whether a fit adds to fitted trees, whose categories and scales then stay."""
        return self.warm_start and "stack_" in self.__dict__

    def _store_trees(self, trees: list[Tree], outputs: int) -> None:
        self.stack_ = TreeStack.of(trees, np.arange(len(trees), dtype=np.int32) % outputs)
        columns = [(tree.impurity, tree.n_node_samples, tree.weighted_n_node_samples) for tree in trees]
        self.nodes_ = np.column_stack([np.concatenate(arrays) for arrays in zip(*columns, strict=True)])
        self.n_trees_per_iteration_ = outputs
        self.n_iter_ = len(trees) // outputs

    def _scores(self, X: Matrix) -> Array:
        """The score of each row for each output."""
        return np.asarray(self.stack_.sums(as_dense(X)) + self.baseline_)

    def _tree_sum(self) -> TreeSum:
        """The scores as an additive tree model, for explanations."""
        scale = self._head().scale
        return TreeSum(self.stack_, np.ascontiguousarray(self.nodes_[:, 2]), scale, scale * self.baseline_)

    def _tree_rows(self, X: Matrix) -> Array:
        """Rows as the trees read them."""
        return as_dense(X)

    def _staged_scores(self, X: Matrix) -> Iterator[Array]:
        """The scores after each stage."""
        matrix, outputs = as_dense(X), self.n_trees_per_iteration_
        scores = np.tile(self.baseline_, (len(matrix), 1))
        for stage in range(self.n_iter_):
            scores = scores + self.stack_.sums(matrix, (stage + 1) * outputs, stage * outputs)
            yield scores
