"""Random training and test groups, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..core import RandomState
from ..core.registry import value
from ..engines.folds import Fold
from .shuffle_split import draws
from .sizes import Size, check_sizes, train_and_test
from .splitter import Splitter, group_codes, whole_number


@value
@dataclass
class GroupShuffleSplit(Splitter):
    """`n_splits` independent draws of whole groups of rows to test on; sizes count groups. A fifth by default.

    >>> X, groups = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> [test.tolist() for train, test in GroupShuffleSplit(1, test_size=0.5, random_state=0).split(X, groups=groups)]
    [[2, 3]]
    """

    n_splits: int = 5
    _: KW_ONLY
    test_size: Size = None
    train_size: Size = None
    random_state: RandomState = None

    uses_groups = True

    def __post_init__(self) -> None:
        whole_number("GroupShuffleSplit", "n_splits", self.n_splits, 1)
        check_sizes("GroupShuffleSplit", self.test_size, self.train_size)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many draws there are."""
        return self.n_splits

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        names, codes = group_codes(groups, "GroupShuffleSplit")
        train, test = train_and_test("GroupShuffleSplit", len(names), self.test_size, self.train_size, 0.2)
        for training, tested in draws(len(names), train, test, self.n_splits, self.random_state):
            yield np.flatnonzero(np.isin(codes, training)), np.flatnonzero(np.isin(codes, tested))
