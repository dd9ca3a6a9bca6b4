"""Repeated stratified k-fold cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core import RandomState
from ..core.declare.registry import value
from ..engines.folds import Fold
from ._repeat import repeated
from ._splitter_base import Splitter, whole_number
from .stratified_k_fold import StratifiedKFold


@value
@dataclass(kw_only=True)
class RepeatedStratifiedKFold(Splitter):
    """Repeated stratified k-fold: `n_repeats` times `n_splits` shuffled folds that preserve the class proportions.

    >>> RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0).get_n_splits()
    6
    """

    n_splits: int = 5
    n_repeats: int = 10
    random_state: RandomState = None

    def __post_init__(self) -> None:
        whole_number("RepeatedStratifiedKFold", "n_splits", self.n_splits, 2)
        whole_number("RepeatedStratifiedKFold", "n_repeats", self.n_repeats, 1)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits: folds times repetitions."""
        return self.n_splits * self.n_repeats

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Fold]:  # type: ignore[override]  # y is needed
        """Generate indices of the training and test rows of each split; `y` holds the classes."""
        return super().split(X, y, groups)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        def once(rng: RandomState) -> Iterator[Fold]:
            return StratifiedKFold(self.n_splits, shuffle=True, random_state=rng)._pairs(n, y, groups)

        return repeated(once, self.n_repeats, self.random_state)
