"""Folds that keep groups together and classes balanced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, RandomState
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold, check_members, class_labels, group_codes, pairs
from ._splitter_base import Splitter, check_seeded_shuffle, whole_number
from .group_k_fold import check_group_count


@value
@dataclass
class StratifiedGroupKFold(Splitter):
    """Stratified group k-fold.

    No group appears in two folds, and class proportions are preserved as far as groups allow.

    Groups whose classes are least even go first, each to the fold that leaves the shares of classes most even.

    >>> X, y, groups = [[1], [2], [3], [4]], [0, 1, 0, 1], ["a", "a", "b", "b"]
    >>> [test.tolist() for train, test in StratifiedGroupKFold(2).split(X, y, groups)]
    [[0, 1], [2, 3]]
    """

    n_splits: int = 5
    shuffle: bool = False
    random_state: RandomState = None

    uses_groups = True

    def __post_init__(self) -> None:
        whole_number("StratifiedGroupKFold", "n_splits", self.n_splits, 2)
        check_seeded_shuffle("StratifiedGroupKFold", self.shuffle, self.random_state)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        return self.n_splits

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        owner = "StratifiedGroupKFold"
        labels, classes = np.unique(class_labels(y, owner), return_inverse=True)
        check_members(self.n_splits, labels, np.bincount(classes), owner)
        names, codes = group_codes(groups, owner)
        check_group_count(self.n_splits, len(names), owner)
        table = counts_by_group(codes, classes, len(names), len(labels))
        order = np.arange(len(names))
        if self.shuffle:
            stream(self.random_state).shuffle(order)
        place = np.empty(len(names), dtype=np.intp)
        place[order] = self._dealt(table[order])
        yield from pairs((np.flatnonzero(place[codes] == fold) for fold in range(self.n_splits)), n)

    def _dealt(self, table: Array) -> Array:
        """The fold of each group (row of `table`), those of the most uneven classes first."""
        place, filled = np.empty(len(table), dtype=np.intp), np.zeros((self.n_splits, table.shape[1]))
        for group in np.argsort(-table.std(axis=1), kind="stable"):
            place[group] = _evenest(filled, table[group], table.sum(axis=0))
            filled[place[group]] += table[group]
        return place


def counts_by_group(groups: Array, classes: Array, n_groups: int, n_classes: int) -> Array:
    """How many rows of each class (columns) each group (rows) has."""
    flat = np.bincount(groups * n_classes + classes, minlength=n_groups * n_classes)
    return flat.reshape(n_groups, n_classes).astype(np.float64)


def _evenest(filled: Array, group: Array, totals: Array) -> int:
    """The fold in which `group` leaves the shares of classes most even; among equals the one with the fewest rows."""
    unevenness = np.empty(len(filled))
    for fold in range(len(filled)):
        tried = filled.copy()
        tried[fold] += group
        unevenness[fold] = np.mean((tried / totals).std(axis=0))
    rows = filled.sum(axis=1)
    best = 0
    for fold in range(1, len(filled)):
        equal = np.isclose(unevenness[fold], unevenness[best])
        if unevenness[fold] < unevenness[best] or (equal and rows[fold] < rows[best]):
            best = fold
    return best
