"""The past as training rows, what follows as test rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..core import DataError
from ..core.declare.registry import value
from ..engines.folds import Fold
from ._splitter_base import Splitter, whole_number


@value
@dataclass
class TimeSeriesSplit(Splitter):
    """Time series cross-validation: each test set follows its training rows, which grow from split to split.

    `max_train_size` keeps the latest of them only, `gap` rows in between are used by neither.

    >>> [(train.tolist(), test.tolist()) for train, test in TimeSeriesSplit(2).split([[1], [2], [3]])]
    [([0], [1]), ([0, 1], [2])]
    """

    n_splits: int = 5
    _: KW_ONLY
    max_train_size: int | None = None
    test_size: int | None = None
    gap: int = 0

    def __post_init__(self) -> None:
        whole_number("TimeSeriesSplit", "n_splits", self.n_splits, 2)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits: folds times repetitions."""
        return self.n_splits

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        size = self.test_size if self.test_size is not None else n // (self.n_splits + 1)
        if self.n_splits + 1 > n:
            raise DataError(
                f"TimeSeriesSplit: {self.n_splits} test sets and a training set cannot be formed from {n} rows; use "
                "fewer splits"
            )
        if n - self.gap - size * self.n_splits <= 0:
            raise DataError(
                f"TimeSeriesSplit: Too many splits={self.n_splits} for number of samples={n} with test_size={size} and "
                f"gap={self.gap}; nothing would be left to train on"
            )
        rows = np.arange(n)
        for first in range(n - self.n_splits * size, n, size):
            end = first - self.gap
            begin = max(0, end - self.max_train_size) if self.max_train_size else 0
            yield rows[begin:end], rows[first : first + size]
