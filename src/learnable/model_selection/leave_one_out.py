"""Every row the test set once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import DataError
from ..core.declare.registry import value
from ..core.validate.rows import row_count
from ..engines.folds import Fold, pairs
from ._splitter_base import Splitter


@value
@dataclass
class LeaveOneOut(Splitter):
    """Leave-one-out cross-validation: each row is the test set once.

    Nearly unbiased, of high variance, and costly for models without a shortcut.

    >>> [test.tolist() for train, test in LeaveOneOut().split([[1], [2]])]
    [[0], [1]]
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds: that of rows."""
        if X is None:
            raise DataError("LeaveOneOut: X is needed to count the rows")
        return row_count(X)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        if n < 2:
            raise DataError(f"LeaveOneOut: Cannot perform LeaveOneOut with n_samples={n}; at least 2 rows are needed")
        yield from pairs((np.array([row]) for row in range(n)), n)
