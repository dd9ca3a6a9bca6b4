"""Random test groups in which each class has its share as far as groups allow, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold, class_labels, group_codes
from ._random_splitter_base import RandomSplitter
from .stratified_group_k_fold import counts_by_group


@value
@dataclass
class StratifiedGroupShuffleSplit(RandomSplitter):
    """Stratified group shuffle split.

    Random test sets of whole groups that approximately preserve the class proportions.

    Sizes count rows. Groups come in random order, and each joins the test rows if that brings the counts of classes
    nearer to the requested ones: sum over classes of (count / total - share)^2 falls. A fifth is tested by default.

    >>> X, y, groups = [[1], [2], [3], [4]], [0, 1, 0, 1], ["a", "a", "b", "b"]
    >>> splitter = StratifiedGroupShuffleSplit(1, test_size=0.5, random_state=0)
    >>> [test.tolist() for train, test in splitter.split(X, y, groups)]
    [[2, 3]]
    """

    n_splits: int = 5

    usual = 0.2
    uses_groups = True

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        owner = "StratifiedGroupShuffleSplit"
        train, test = self._sizes(n)
        labels, classes = np.unique(class_labels(y, owner), return_inverse=True)
        names, codes = group_codes(groups, owner)
        if len(names) < 2:
            raise DataError(f"{owner}: groups holds one group only, {names[0]!r}; at least 2 are needed")
        table = counts_by_group(codes, classes, len(names), len(labels))
        rng = stream(self.random_state)
        for _ in range(self.n_splits):
            order = rng.permutation(len(names))
            tested = _nearest(table, order, test / n)
            left = order[~np.isin(order, tested)]
            training = left if train + test >= n else _nearest(table, left, train / n)
            yield np.flatnonzero(np.isin(codes, training)), np.flatnonzero(np.isin(codes, tested))


def _nearest(table: Array, order: Array, share: float) -> Array:
    """Groups, at least one and not all, that contain about a fraction `share` of the rows of each class."""
    shares = table / table.sum(axis=0)
    have, chosen = np.zeros(table.shape[1]), np.zeros(len(table), dtype=bool)
    for group in order[: len(order) - 1]:
        if ((have + shares[group] - share) ** 2).sum() < ((have - share) ** 2).sum():
            chosen[group] = True
            have = have + shares[group]
    return np.flatnonzero(chosen) if chosen.any() else order[[table[order].sum(axis=1).argmin()]]
