"""ID3: a branch for each value of the most telling column."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, RandomState, Trace, estimator, generator, param, seed_of
from ..core.numeric import MOST
from ..engines.trees.multiway_builder import Criterion, Level, Rules, disorder
from ._multiway_base import BranchingClassifier

Choice = Literal[
    "information_gain", "gain_ratio", "gini", "error", "gain_over_entropy", "fewest_values", "most_values", "random"
]


@estimator
class ID3Classifier(BranchingClassifier):
    """Classes told apart by a branch for each value of the column that tells most about them.

    choose A at each node to maximise    g(D, A) = H(D) - sum_i |D_i| / |D| H(D_i),   D_i: the rows with value i of A

    Every column is taken as categories, numbers too; a missing entry is a value like any other. A node becomes a leaf
    when it is pure, when no column divides it, or when the best gain is below `min_gain`; no pruning. A value that a
    node has not seen is answered by the node. `criterion` names other choices: "gain_ratio" divides the gain by the
    entropy of the branches, "gain_over_entropy" by H(D), which changes nothing but the numbers. [Quinlan, 1986]

    >>> days, play = [["sunny", "hot"], ["sunny", "mild"], ["rain", "mild"]], ["no", "no", "yes"]
    >>> ID3Classifier().fit(days, play).predict([["rain", "hot"]])
    array(['yes'], dtype='<U3')
    """

    criterion: Choice = param("information_gain", "by what a column is chosen")
    max_depth: int | None = param(
        None, "most divisions above a leaf", at_least=1, tune=(2, 3, 5, 8, 13, None), simpler="smaller"
    )
    min_gain: float = param(
        0.0,
        "least gain, in bits or of what `criterion` measures, that divides a node",
        at_least=0,
        tune=(0.0, 0.01, 0.1),
        simpler="larger",
    )
    min_samples_split: int = param(
        2, "least weight of rows that are divided", at_least=2, tune=(2, 5, 10, 20), simpler="larger"
    )
    random_state: RandomState = param(None, 'seed of the choice by "random"')

    categorical = True
    spread = False
    reference = "Quinlan, Induction of decision trees, Machine Learning 1, 1986"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._keep(self._grow(data, np.ones(data.p, dtype=bool), trace), trace)

    @property
    def impurity_measure(self) -> Criterion:
        """What the impurity of a node is: entropy, unless columns are chosen by another."""
        return self.criterion if self.criterion in ("gini", "error") else "entropy"

    def _rules(self, data: Data) -> Rules:
        depth = MOST if self.max_depth is None else self.max_depth
        return Rules(
            self.impurity_measure, self._score, self.min_samples_split / 2, self.min_gain, depth, any_branch=True
        )

    def _score(self, gain: Array, information: Array, level: Level, depth: int) -> Array:
        """The worth of each column at each node."""
        if self.criterion == "gain_ratio":
            return gain / np.where(information > 0, information, 1.0)
        if self.criterion == "gain_over_entropy":
            return gain / (disorder(level.counts, "entropy") / level.total)[:, None]
        if self.criterion == "random":
            return np.asarray(generator(seed_of(self.random_state), depth).random(gain.shape))
        if self.criterion in ("fewest_values", "most_values"):
            sizes = np.array([len(values) for values in self.categories_], dtype=float)
            return np.tile(sizes if self.criterion == "most_values" else -sizes, (len(gain), 1))
        return gain
