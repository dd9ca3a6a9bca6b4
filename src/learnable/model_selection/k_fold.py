"""Folds of neighbouring or shuffled rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..core import RandomState
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold, contiguous, pairs
from ._splitter_base import Splitter, check_seeded_shuffle, whole_number


@value
@dataclass
class KFold(Splitter):
    """k-fold cross-validation, `n_splits` folds of equal size, each the test set once.

    CV = 1/n sum_k sum_{i in F_k} L(y_i, f_{-k}(x_i)).

    Neighbouring rows share a fold, unless `shuffle` draws the order with `random_state`. [Stone, 1974]

    >>> [test.tolist() for train, test in KFold(2).split([[1], [2], [3], [4]])]
    [[0, 1], [2, 3]]
    """

    n_splits: int = 5
    _: KW_ONLY
    shuffle: bool = False
    random_state: RandomState = None

    def __post_init__(self) -> None:
        whole_number("KFold", "n_splits", self.n_splits, 2)
        check_seeded_shuffle("KFold", self.shuffle, self.random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        return self.n_splits

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        order = np.arange(n)
        if self.shuffle:
            stream(self.random_state).shuffle(order)
        yield from pairs(contiguous(self.n_splits, n, "KFold", order), n)
