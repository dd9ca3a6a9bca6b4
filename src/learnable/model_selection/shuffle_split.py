"""Random training and test rows, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core import RandomState
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold
from ._random_splitter_base import RandomSplitter


@value
@dataclass
class ShuffleSplit(RandomSplitter):
    """Shuffle split: `n_splits` random test sets, which may overlap, a tenth of the rows by default.

    >>> [len(test) for train, test in ShuffleSplit(2, test_size=0.5, random_state=0).split([[1], [2], [3], [4]])]
    [2, 2]
    """

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        train, test = self._sizes(n)
        yield from draws(n, train, test, self.n_splits, self.random_state)


def draws(n: int, train: int, test: int, count: int, random_state: RandomState) -> Iterator[Fold]:
    """`count` times a random order of `n` things, of which the first are tested and the next train."""
    rng = stream(random_state)
    for _ in range(count):
        order = rng.permutation(n)
        yield order[test : test + train], order[:test]
