"""Folds that are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.registry import value
from ..engines.folds import Fold, pairs
from ._splitter_base import Splitter


@value
@dataclass
class PredefinedSplit(Splitter):
    """Predefined split: `test_fold` is the test fold of each row, -1 for rows that are always in the training set.

    >>> [(train.tolist(), test.tolist()) for train, test in PredefinedSplit([0, 1, -1, 1]).split()]
    [([1, 2, 3], [0]), ([0, 2], [1, 3])]
    """

    test_fold: Any

    def __post_init__(self) -> None:
        self.test_fold = np.asarray(self.test_fold, dtype=int).ravel()
        self.unique_folds: Array = np.unique(self.test_fold[self.test_fold != -1])

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        return len(self.unique_folds)

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Fold]:
        """Generate indices of the training and test rows of each fold; the rows are those of `test_fold`."""
        return super().split(self.test_fold if X is None else X, y, groups)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        yield from pairs((np.flatnonzero(self.test_fold == fold) for fold in self.unique_folds), len(self.test_fold))
