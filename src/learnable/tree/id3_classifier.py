"""ID3 decision tree: multiway splits by the best information gain."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, RandomState, Trace, Traits, estimator, generator, param, seed_of
from ..engines.trees.growth_limits import TreeLimits
from ..engines.trees.multiway_builder import Criterion, Level, MultiwayConfig, weighted_impurity
from ._multiway_base import MultiwayTreeClassifier

Choice = Literal[
    "information_gain", "gain_ratio", "gini", "error", "gain_over_entropy", "fewest_values", "most_values", "random"
]


@estimator
class ID3Classifier(MultiwayTreeClassifier):
    """ID3 decision tree classifier: a branch for each value of the column of the best information gain.

    choose A at each node to maximise    g(D, A) = H(D) - sum_i |D_i| / |D| H(D_i),   D_i: the rows with value i of A

    Every column is treated as categorical, numeric columns too; missing is a category of its own. A node becomes a leaf
    when it is pure, when no column splits it, or when the best gain is below `min_gain`. The tree is not pruned. A row
    with a category that a node has not seen ends at that node. `criterion` selects other measures: "gain_ratio" divides
    the gain by the entropy of the branches, "gain_over_entropy" by H(D), which only rescales the gains.
    [Quinlan, 1986]

    >>> days, play = [["sunny", "hot"], ["sunny", "mild"], ["rain", "mild"]], ["no", "no", "yes"]
    >>> ID3Classifier().fit(days, play).predict([["rain", "hot"]])
    array(['yes'], dtype='<U3')
    """

    criterion: Choice = param("information_gain", "measure by which the split column is chosen")
    max_depth: int | None = param(
        None, "maximum depth of the tree", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    min_gain: float = param(
        0.0,
        "minimum gain of a split, in bits or in units of `criterion`",
        at_least=0,
        tune=(0.0, 0.01, 0.1),
        simpler="larger",
    )
    min_samples_split: int = param(
        2, "minimum weight of a node to be split", at_least=2, tune=(2, 5, 10, 20), simpler="larger"
    )
    random_state: RandomState = param(None, 'seed of criterion="random"')

    traits = Traits(categorical=True)
    spread = False
    title = "ID3 decision tree classifier"
    reference = "Quinlan, Induction of decision trees, Machine Learning 1, 1986"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._store(self._grow(data, np.ones(data.p, dtype=bool), trace), trace)

    @property
    def impurity_measure(self) -> Criterion:
        """The name of the impurity of a node: entropy, unless `criterion` is another impurity."""
        return self.criterion if self.criterion in ("gini", "error") else "entropy"

    def _config(self, data: Data) -> MultiwayConfig:
        limits = TreeLimits(self.max_depth, min_samples_leaf=self.min_samples_split / 2, min_gain=self.min_gain)
        return MultiwayConfig(self.impurity_measure, self._score, limits, small_branches=True)

    def _score(self, gain: Array, information: Array, level: Level, depth: int) -> Array:
        """The score of each column at each node."""
        if self.criterion == "gain_ratio":
            return gain / np.where(information > 0, information, 1.0)
        if self.criterion == "gain_over_entropy":
            return gain / (weighted_impurity(level.counts, "entropy") / level.total)[:, None]
        if self.criterion == "random":
            return np.asarray(generator(seed_of(self.random_state), depth).random(gain.shape))
        if self.criterion in ("fewest_values", "most_values"):
            sizes = np.array([len(values) for values in self.categories_], dtype=float)
            return np.tile(sizes if self.criterion == "most_values" else -sizes, (len(gain), 1))
        return gain
