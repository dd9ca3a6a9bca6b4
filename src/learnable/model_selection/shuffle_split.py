"""Random training and test rows, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

from ..core import RandomState
from ..core.random import stream
from ..core.registry import value
from ..engines.folds import Fold
from .sizes import Size, check_sizes, train_and_test
from .splitter import Splitter, whole_number


@value
@dataclass
class ShuffleSplit(Splitter):
    """`n_splits` independent draws of test rows; unlike folds, they may overlap. A tenth is tested by default.

    >>> [len(test) for train, test in ShuffleSplit(2, test_size=0.5, random_state=0).split([[1], [2], [3], [4]])]
    [2, 2]
    """

    n_splits: int = 10
    _: KW_ONLY
    test_size: Size = None
    train_size: Size = None
    random_state: RandomState = None

    def __post_init__(self) -> None:
        whole_number("ShuffleSplit", "n_splits", self.n_splits, 1)
        check_sizes("ShuffleSplit", self.test_size, self.train_size)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many draws there are."""
        return self.n_splits

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        train, test = train_and_test("ShuffleSplit", n, self.test_size, self.train_size, 0.1)
        yield from draws(n, train, test, self.n_splits, self.random_state)


def draws(n: int, train: int, test: int, count: int, random_state: RandomState) -> Iterator[Fold]:
    """`count` times a random order of `n` things, of which the first are tested and the next train."""
    rng = stream(random_state)
    for _ in range(count):
        order = rng.permutation(n)
        yield order[test : test + train], order[:test]
