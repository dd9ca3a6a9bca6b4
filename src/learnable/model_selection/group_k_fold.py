"""Group k-fold: folds that keep groups together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, RandomState
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold, group_codes, pairs
from ._splitter_base import Splitter, check_seeded_shuffle, whole_number


@value
@dataclass
class GroupKFold(Splitter):
    """Group k-fold: `n_splits` folds of about equal size; no group appears in two folds.

    The largest group goes first, each to the fold that has the fewest rows; with `shuffle`, groups are dealt at random.

    >>> X, groups = [[1], [2], [3], [4]], ["a", "b", "a", "c"]
    >>> [test.tolist() for train, test in GroupKFold(2).split(X, groups=groups)]
    [[0, 2], [1, 3]]
    """

    n_splits: int = 5
    _: KW_ONLY
    shuffle: bool = False
    random_state: RandomState = None

    uses_groups = True

    def __post_init__(self) -> None:
        whole_number("GroupKFold", "n_splits", self.n_splits, 2)
        check_seeded_shuffle("GroupKFold", self.shuffle, self.random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        return self.n_splits

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        names, codes = group_codes(groups, "GroupKFold")
        check_group_count(self.n_splits, len(names), "GroupKFold")
        place = self._dealt(names) if self.shuffle else self._balanced(np.bincount(codes))
        yield from pairs((np.flatnonzero(place[codes] == fold) for fold in range(self.n_splits)), n)

    def _dealt(self, names: Array) -> Array:
        """The fold of each group, in a random order."""
        place = np.empty(len(names), dtype=np.intp)
        order = stream(self.random_state).permutation(len(names))
        for fold, chosen in enumerate(np.array_split(order, self.n_splits)):
            place[chosen] = fold
        return place

    def _balanced(self, sizes: Array) -> Array:
        """The fold of each group, the largest first and each where the fewest rows are."""
        place, rows = np.empty(len(sizes), dtype=np.intp), np.zeros(self.n_splits)
        for group in np.argsort(sizes, kind="stable")[::-1]:
            place[group] = rows.argmin()
            rows[place[group]] += sizes[group]
        return place


def check_group_count(count: int, groups: int, owner: str) -> None:
    """Refuse more folds than there are groups."""
    if count > groups:
        raise DataError(f"{owner}: n_splits={count} folds cannot be formed from {groups} groups; use fewer folds")
