"""Random training and test groups, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.declare.registry import value
from ..engines.folds import Fold, group_codes
from ._random_splitter_base import RandomSplitter
from .shuffle_split import draws


@value
@dataclass
class GroupShuffleSplit(RandomSplitter):
    """Group shuffle split: `n_splits` random test sets of whole groups, a fifth of the groups by default.

    >>> X, groups = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> [test.tolist() for train, test in GroupShuffleSplit(1, test_size=0.5, random_state=0).split(X, groups=groups)]
    [[2, 3]]
    """

    n_splits: int = 5

    usual = 0.2
    uses_groups = True

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        names, codes = group_codes(groups, "GroupShuffleSplit")
        train, test = self._sizes(len(names))
        for training, tested in draws(len(names), train, test, self.n_splits, self.random_state):
            yield np.flatnonzero(np.isin(codes, training)), np.flatnonzero(np.isin(codes, tested))
