"""Folds with equal shares of each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

from ..core import RandomState
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold, pairs, stratified
from ._splitter_base import Splitter, check_seeded_shuffle, whole_number


@value
@dataclass
class StratifiedKFold(Splitter):
    """Stratified k-fold: `n_splits` folds that preserve the class proportions to within one row.

    Neighbouring rows of a class share a fold, unless `shuffle` draws their order with `random_state`.

    >>> [test.tolist() for train, test in StratifiedKFold(2).split([[1], [2], [3], [4]], [0, 0, 1, 1])]
    [[0, 2], [1, 3]]
    """

    n_splits: int = 5
    _: KW_ONLY
    shuffle: bool = False
    random_state: RandomState = None

    def __post_init__(self) -> None:
        whole_number("StratifiedKFold", "n_splits", self.n_splits, 2)
        check_seeded_shuffle("StratifiedKFold", self.shuffle, self.random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Fold]:  # type: ignore[override]  # y is needed
        """Generate indices of the training and test rows of each split; `y` holds the classes."""
        return super().split(X, y, groups)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        rng = stream(self.random_state) if self.shuffle else None
        yield from pairs(stratified(self.n_splits, y, "StratifiedKFold", rng), n)
