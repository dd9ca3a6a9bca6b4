"""Every set of p rows the test set once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..core import DataError
from ..core.declare.registry import value
from ..core.validate.rows import row_count
from ..engines.folds import Fold, pairs
from ._splitter_base import Splitter, whole_number


@value
@dataclass
class LeavePOut(Splitter):
    """Leave-p-out cross-validation: each of the n! / (p! (n - p)!) sets of `p` rows is a test set.

    For very small data only.

    >>> [test.tolist() for train, test in LeavePOut(2).split([[1], [2], [3]])]
    [[0, 1], [0, 2], [1, 2]]
    """

    p: int

    def __post_init__(self) -> None:
        whole_number("LeavePOut", "p", self.p, 1)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits: that of the sets of `p` rows."""
        if X is None:
            raise DataError("LeavePOut: X is needed to count the rows")
        return comb(row_count(X), self.p)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        if n <= self.p:
            raise DataError(f"LeavePOut: leaving p={self.p} of {n} rows out leaves none to train on")
        yield from pairs((np.array(rows) for rows in combinations(range(n), self.p)), n)
