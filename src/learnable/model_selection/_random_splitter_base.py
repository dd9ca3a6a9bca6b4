"""What the splitters that draw their test rows at random have in common."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from ..core import RandomState
from ._split_sizes import Size, check_sizes, train_and_test
from ._splitter_base import Splitter, whole_number


@dataclass
class RandomSplitter(Splitter):
    """`n_splits` independent draws; without any size, a `usual` share is tested."""

    n_splits: int = 10
    _: KW_ONLY
    test_size: Size = None
    train_size: Size = None
    random_state: RandomState = None

    usual: ClassVar[float] = 0.1

    def __post_init__(self) -> None:
        whole_number(type(self).__name__, "n_splits", self.n_splits, 1)
        check_sizes(type(self).__name__, self.test_size, self.train_size)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits."""
        return self.n_splits

    def _sizes(self, n: int) -> tuple[int, int]:
        """How many of `n` things train, and how many are tested."""
        return train_and_test(type(self).__name__, n, self.test_size, self.train_size, self.usual)
