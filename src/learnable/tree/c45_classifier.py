"""C4.5: gain ratio, thresholds, rows in parts where entries are missing, and pruning by pessimism."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, param
from ..core.numeric import MOST
from ..engines.columns.table_encoding import chosen_columns
from ..engines.trees.multiway_builder import Level, Rules
from ..engines.trees.multiway_tree import BranchingTree
from ..engines.trees.pruning.error_pruning import pessimistic
from ..engines.trees.pruning.subtree_raising import SubtreeRaising
from ._multiway_base import BranchingClassifier

NEARLY = 1e-3  # bits below the mean gain that still count as the mean


@estimator
class C45Classifier(BranchingClassifier):
    """Classes told apart by the column of the best gain ratio, with a branch for each category or two for numbers.

    choose A at each node to maximise    g(D, A) / -sum_i |D_i| / |D| log2 |D_i| / |D|   among gains above the mean

    The entropy of the branches in the denominator stops columns of many values, such as numbers of customers, from
    winning. Gains count rows whose entry is known; a row with a missing entry goes down all branches in parts, in
    training and in prediction. Thresholds pay log2(candidates) bits. A subtree becomes a leaf where the upper
    `confidence` limit of its errors is no smaller than that of the leaf, or gives its place to its largest branch where
    that does better for all of its rows. [Quinlan, 1993]

    >>> X, y = [["a", 1.0], ["a", 2.0], ["b", 1.5], ["b", float("nan")]], ["no", "no", "yes", "yes"]
    >>> C45Classifier().fit(X, y).predict([["b", 0.0]])
    array(['yes'], dtype='<U3')
    """

    confidence: float | None = param(
        0.25,
        "level of the limit on errors for pruning, None for none",
        above=0,
        at_most=0.5,
        tune=(0.01, 0.05, 0.25, None),
        simpler="smaller",
    )
    subtree_raising: bool = param(True, "whether pruning may put the largest branch of a node in its place")
    min_samples_leaf: float = param(
        2.0,
        "least weight of at least two branches of a division",
        above=0,
        tune=(2.0, 5.0, 10.0, 20.0),
        simpler="larger",
    )
    max_depth: int | None = param(
        None, "most divisions above a leaf", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    categorical_features: list[Any] | Array | Literal["from_dtype"] = param(
        "from_dtype", 'columns of categories: names, numbers, marks, or "from_dtype" for those that hold no numbers'
    )

    reference = "Quinlan, C4.5: Programs for Machine Learning, 1993"

    def _fit(self, data: Data, trace: Trace) -> None:
        chosen = chosen_columns(data.X, self.categorical_features, type(self).__name__)
        tree = self._grow(data, chosen, trace)
        self._keep(tree if self.confidence is None else self._smaller(tree, data, self.confidence), trace)

    def _smaller(self, tree: BranchingTree, data: Data, confidence: float) -> BranchingTree:
        if not self.subtree_raising:
            smaller: BranchingTree = pessimistic(tree, confidence)
            return smaller
        weight = np.ones(data.n) if data.weight is None else data.weight
        return SubtreeRaising(tree, self._coded(data.X), data.y, weight, confidence).smaller()

    @property
    def impurity_measure(self) -> str:
        """What the impurity of a node is."""
        return "entropy"

    def _rules(self, data: Data) -> Rules:
        depth = MOST if self.max_depth is None else self.max_depth
        return Rules("entropy", _score, self.min_samples_leaf, 1e-10, depth, price_of_thresholds=True)


def _score(gain: Array, information: Array, level: Level, depth: int) -> Array:
    """The gain ratio, of columns whose gain is at least the mean of all gains."""
    there = np.isfinite(gain) & (information > 0)
    mean = np.where(there, gain, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    ratio = gain / np.where(information > 0, information, 1.0)
    return np.where(there & (gain >= mean[:, None] - NEARLY), ratio, -np.inf)
