"""Every set of p groups the test set once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..core import DataError
from ..core.declare.registry import value
from ..engines.folds import Fold, group_codes, pairs
from ._splitter_base import Splitter, whole_number


@value
@dataclass
class LeavePGroupsOut(Splitter):
    """Leave-p-groups-out cross-validation: each set of `n_groups` groups is a test set.

    >>> [test.tolist() for train, test in LeavePGroupsOut(2).split([[1], [2], [3]], groups=["a", "b", "c"])]
    [[0, 1], [0, 2], [1, 2]]
    """

    n_groups: int

    uses_groups = True

    def __post_init__(self) -> None:
        whole_number("LeavePGroupsOut", "n_groups", self.n_groups, 1)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits: that of the sets of `n_groups` groups."""
        return comb(len(group_codes(groups, "LeavePGroupsOut")[0]), self.n_groups)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        names, codes = group_codes(groups, "LeavePGroupsOut")
        if self.n_groups >= len(names):
            raise DataError(
                f"LeavePGroupsOut: leaving out n_groups={self.n_groups} needs at least {self.n_groups + 1} unique "
                f"groups; groups holds {len(names)}: {names.tolist()!s:.60}"
            )
        chosen = combinations(range(len(names)), self.n_groups)
        yield from pairs((np.flatnonzero(np.isin(codes, some)) for some in chosen), n)
