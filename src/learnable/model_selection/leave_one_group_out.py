"""Every group the test set once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import DataError
from ..core.declare.registry import value
from ..engines.folds import Fold, group_codes, pairs
from ._splitter_base import Splitter


@value
@dataclass
class LeaveOneGroupOut(Splitter):
    """Leave-one-group-out cross-validation: each group, such as a person or a year, is the test set once.

    >>> [test.tolist() for train, test in LeaveOneGroupOut().split([[1], [2], [3]], groups=["a", "b", "a"])]
    [[0, 2], [1]]
    """

    uses_groups = True

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds: that of groups."""
        return len(group_codes(groups, "LeaveOneGroupOut")[0])

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        names, codes = group_codes(groups, "LeaveOneGroupOut")
        if len(names) < 2:
            raise DataError(
                f"LeaveOneGroupOut: groups holds fewer than 2 unique groups ({names.tolist()}); at least 2 are needed"
            )
        yield from pairs((np.flatnonzero(codes == group) for group in range(len(names))), n)
