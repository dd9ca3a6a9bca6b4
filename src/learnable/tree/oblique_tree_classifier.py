"""Oblique decision tree: splits by linear combinations of columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, Traits, estimator, learned, param
from ..engines.trees.growth_limits import TreeLimits
from ..engines.trees.oblique_builder import DIRECTIONS, ObliqueBuilder
from ..engines.trees.oblique_tree import PlaneTree
from ..engines.trees.tree_checks import flaw_of_labels
from ._decision_paths import ExplainableTree


@estimator
class ObliqueTreeClassifier(ExplainableTree, ProbabilisticClassifier):
    """Oblique decision tree classifier: splits by hyperplanes in any direction.

    choose w, t at each node to minimise    W_left H(left) + W_right H(right),   left: w . x <= t

    among thresholds t along a direction w that a linear classifier finds for the rows of the node: Fisher's linear
    discriminant ("lda"), a logistic regression or a perceptron between two superclasses; and along single columns, with
    `axis_parallel`. A slanted decision boundary takes one split instead of a staircase. O(p^2 n) per level. All three
    methods separate classes, so there is no oblique regression tree. [Murthy, Kasif and Salzberg, 1994]

    >>> X, y = [[0.0, 0.1], [1.0, 1.2], [0.1, 0.0], [1.2, 1.0]], ["above", "above", "below", "below"]
    >>> model = ObliqueTreeClassifier().fit(X, y)
    >>> model.get_n_leaves(), model.predict([[0.5, 0.7]]).item()
    (2, 'above')
    """

    method: Literal["lda", "logistic", "perceptron"] = param("lda", "linear method that finds the direction of a split")
    criterion: Literal["gini", "entropy", "error"] = param("gini", "impurity that a split reduces")
    axis_parallel: bool = param(True, "whether splits by single columns are tried too")
    max_depth: int | None = param(
        None, "maximum depth of the tree", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    min_samples_split: float = param(
        2.0, "minimum weight of a node to be split", at_least=2, tune=(2.0, 5.0, 10.0, 20.0), simpler="larger"
    )
    min_samples_leaf: float = param(
        1.0, "minimum weight of a leaf", above=0, tune=(1.0, 2.0, 5.0, 10.0), simpler="larger"
    )
    tree_: PlaneTree = learned("the fitted tree as arrays with an entry for each node")
    classes_: Array = learned("the classes, sorted", shape="classes")

    traits = Traits(parametric=False)
    title = "oblique decision tree classifier"
    reference = "Murthy, Kasif and Salzberg, A system for induction of oblique decision trees, JAIR 2, 1994"

    def _unsound(self) -> str:
        tree = self.tree_
        if tree.value.ndim != 3 or tree.weights.shape[1] != self.n_features_in_ or tree.weights.dtype.kind != "f":
            return f"every node needs {self.n_features_in_} weights and a table of values"
        return flaw_of_labels([self.classes_], *tree.value.shape[1:])

    def _fit(self, data: Data, trace: Trace) -> None:
        builder = ObliqueBuilder(
            data.X.astype(np.float64, copy=False),
            data.y,
            np.ones(data.n) if data.weight is None else data.weight,
            len(self.classes_),
            DIRECTIONS[self.method],
            self.criterion,
            self.axis_parallel,
            TreeLimits(self.max_depth, None, self.min_samples_split, self.min_samples_leaf),
        )
        self.tree_ = builder.grow()
        trace.exact("each threshold is the best along the directions that were tried", self.tree_.mean_impurity)

    def _probabilities(self, X: Matrix) -> Array:
        return np.asarray(self.tree_.predict(self._coded(X))[:, 0])

    def _coded(self, X: Matrix) -> Array:
        return np.asarray(X, dtype=np.float64)

    def apply(self, X: Any) -> Array:
        """The leaf of each row of `X`."""
        return np.asarray(self._fitted_tree().apply(self._coded(self._read(X))))

    def decision_path(self, X: Any) -> Any:
        """A sparse indicator matrix of the nodes that each row of `X` passes."""
        return self._fitted_tree().decision_path(self._coded(self._read(X)))
