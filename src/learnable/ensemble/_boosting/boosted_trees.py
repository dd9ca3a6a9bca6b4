"""What models of boosted trees share: scores are a constant and the leaves of all trees, added up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core import Array, Estimator, Matrix, Traits, declaring, learned, param
from ...core.declare import params
from ...core.errors import DataError
from ...engines.columns.table_encoding import Coding
from ...engines.trees.additive_trees import TreeSum
from ...engines.trees.forest import Forest
from ...engines.trees.growth_limits import dense
from ...engines.trees.tree import Tree
from ...engines.trees.tree_checks import flaw_of_columns
from ...engines.trees.tree_stack import TreeStack


@declaring
class BoostedTrees(Estimator):
    """A sum of trees that grew one after the other, a tree for each output in each stage."""

    warm_start: bool = param(False, "whether a further fit adds stages to those of the last fit")
    baseline_: Array = learned("score of each output before the first tree", shape="outputs")
    stack_: TreeStack = learned("the fitted trees, packed")
    nodes_: Array = learned("impurity, number and weight of the rows of every node", shape="nodes three")
    coding_: Coding = learned("the encoding of categorical columns")
    n_iter_: int = learned("number of stages done")
    n_trees_per_iteration_: int = learned("number of trees per stage", least=1)

    traits = Traits(missing="native", parametric=False)
    stagewise = True

    def _unsound(self) -> str:
        """Nodes, outputs and stages are those of the trees."""
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
        """The share of the fall of the second-order loss that each column brought about."""
        columns = self.n_features_in_
        found = np.zeros(columns)
        for tree in self.trees_:
            found += tree.compute_feature_importances(columns, normalize=False) * tree.weighted_n_node_samples[0]
        total = found.sum()
        return found / total if total > 0 else found

    def _goes_on(self) -> bool:
        """Whether a fit adds to the trees that are there, whose categories and units then stay."""
        return self.warm_start and "stack_" in self.__dict__

    @contextmanager
    def _coded(self, X: Any, validation: tuple[Any, Any, Any], wanted: Any) -> Iterator[None]:
        """The scope of a fit: the categories of `X` are known, and rows to validate on are at hand."""
        params.check(self)
        X_val, y_val, _ = validation
        if (X_val is None) != (y_val is None):
            given, gone = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
            raise DataError(f"{type(self).__name__}: {given} is provided, but {gone} was not provided; give both")
        known = self.coding_ if self._goes_on() else Coding.of(X, wanted, self._validator)
        fresh = {"_coding": known, "_validation": validation}
        self.__dict__.update(fresh)
        try:
            yield
        finally:
            for name in fresh:
                self.__dict__.pop(name, None)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        coding = self.__dict__.get("_coding") or self.__dict__.get("coding_")
        return coding.matrix(X, self._validator) if coding is not None else super()._enter(X)

    def _keep_trees(self, trees: list[Tree], outputs: int) -> None:
        self.stack_ = TreeStack.of(trees, np.arange(len(trees), dtype=np.int32) % outputs)
        columns = [(tree.impurity, tree.n_node_samples, tree.weighted_n_node_samples) for tree in trees]
        self.nodes_ = np.column_stack([np.concatenate(parts) for parts in zip(*columns, strict=True)])
        self.n_trees_per_iteration_ = outputs
        self.n_iter_ = len(trees) // outputs

    def _scores(self, X: Matrix) -> Array:
        """The score of each row for each output."""
        return np.asarray(self.stack_.sums(dense(X)) + self.baseline_)

    def _score_unit(self) -> float:
        """What a score of one is in the eyes of the user."""
        return float(self.__dict__.get("scale_", 1.0))

    def _tree_sum(self) -> TreeSum:
        """The scores as a sum of trees, for explanations."""
        unit = self._score_unit()
        return TreeSum(self.stack_, np.ascontiguousarray(self.nodes_[:, 2]), unit, unit * self.baseline_)

    def _tree_rows(self, X: Matrix) -> Array:
        """Rows as the trees see them."""
        return dense(X)

    def _staged_scores(self, X: Matrix) -> Iterator[Array]:
        """The scores after each stage."""
        matrix, outputs = dense(X), self.n_trees_per_iteration_
        scores = np.tile(self.baseline_, (len(matrix), 1))
        for stage in range(self.n_iter_):
            scores = scores + self.stack_.sums(matrix, (stage + 1) * outputs, stage * outputs)
            yield scores
