"""C4.5 decision tree: gain ratio, thresholds, fractional rows for missing values, and pessimistic pruning."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, param
from ..engines.columns.table_encoding import chosen_columns
from ..engines.trees.growth_limits import TreeLimits
from ..engines.trees.multiway_builder import Level, MultiwayConfig
from ..engines.trees.multiway_tree import BranchingTree
from ..engines.trees.pruning.error_pruning import prune_pessimistically
from ..engines.trees.pruning.subtree_raising import SubtreeRaising
from ._multiway_base import MultiwayTreeClassifier

MEAN_TOLERANCE = 1e-3  # bits below the mean gain that still count as the mean


@estimator
class C45Classifier(MultiwayTreeClassifier):
    """C4.5 decision tree classifier: splits by the best gain ratio, with a branch for each category or two for numbers.

    choose A at each node to maximise    g(D, A) / -sum_i |D_i| / |D| log2 |D_i| / |D|   among gains above the mean

    The entropy of the branches in the denominator (split information) penalises columns with many values, such as
    identifiers. Gains count the rows whose value is known; a row with a missing value takes all branches in fractions,
    in training and in prediction. Thresholds cost log2(candidates) bits. A subtree becomes a leaf if the upper
    `confidence` limit of its errors is at least that of the leaf, or is replaced by its largest branch if that
    does better for all of its rows. [Quinlan, 1993]

    >>> X, y = [["a", 1.0], ["a", 2.0], ["b", 1.5], ["b", float("nan")]], ["no", "no", "yes", "yes"]
    >>> C45Classifier().fit(X, y).predict([["b", 0.0]])
    array(['yes'], dtype='<U3')
    """

    confidence: float | None = param(
        0.25,
        "confidence level of the error estimates of pruning; None for no pruning",
        above=0,
        at_most=0.5,
        tune=(0.01, 0.05, 0.25, None),
        simpler="smaller",
    )
    subtree_raising: bool = param(True, "whether pruning may replace a node by its largest branch")
    min_samples_leaf: float = param(
        2.0,
        "minimum weight of at least two branches of a split",
        above=0,
        tune=(2.0, 5.0, 10.0, 20.0),
        simpler="larger",
    )
    max_depth: int | None = param(
        None, "maximum depth of the tree", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    categorical_features: list[Any] | Array | Literal["from_dtype"] = param(
        "from_dtype", 'categorical columns: names, indices, mask, or "from_dtype" for those that are not numeric'
    )

    title = "C4.5 decision tree classifier"
    reference = "Quinlan, C4.5: Programs for Machine Learning, 1993"

    def _fit(self, data: Data, trace: Trace) -> None:
        chosen = chosen_columns(data.X, self.categorical_features, type(self).__name__)
        tree = self._grow(data, chosen, trace)
        self._store(tree if self.confidence is None else self._prune(tree, data, self.confidence), trace)

    def _prune(self, tree: BranchingTree, data: Data, confidence: float) -> BranchingTree:
        if not self.subtree_raising:
            smaller: BranchingTree = prune_pessimistically(tree, confidence)
            return smaller
        weight = np.ones(data.n) if data.weight is None else data.weight
        return SubtreeRaising(tree, self._coded(data.X), data.y, weight, confidence).prune()

    @property
    def impurity_measure(self) -> str:
        """The name of the impurity of a node."""
        return "entropy"

    def _config(self, data: Data) -> MultiwayConfig:
        limits = TreeLimits(self.max_depth, min_samples_leaf=self.min_samples_leaf, min_gain=1e-10)
        return MultiwayConfig("entropy", _score, limits, threshold_penalty=True)


def _score(gain: Array, information: Array, level: Level, depth: int) -> Array:
    """The gain ratio of columns whose gain is at least the mean of all gains."""
    valid = np.isfinite(gain) & (information > 0)
    mean = np.where(valid, gain, 0.0).sum(axis=1) / np.maximum(valid.sum(axis=1), 1)
    ratio = gain / np.where(information > 0, information, 1.0)
    return np.where(valid & (gain >= mean[:, None] - MEAN_TOLERANCE), ratio, -np.inf)
