"""Whatever was given as `cv`, as a splitter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from ..core import ParameterError, RandomState
from ..core.declare.checked_functions import Rows, checked
from ..engines.folds import Fold, given_pairs, holds_classes, is_splitting
from ._splitter_base import Splitter
from .k_fold import KFold
from .stratified_k_fold import StratifiedKFold


@checked()
def check_cv(
    cv: Any = 5,
    y: Rows | None = None,
    *,
    classifier: bool = False,
    shuffle: bool = False,
    random_state: RandomState = None,
) -> Any:
    """A splitter for `cv`: None or a number gives folds, stratified where a classifier has classes to predict.

    >>> check_cv(3, [0, 1, 0, 1, 0, 1], classifier=True)
    StratifiedKFold(n_splits=3, shuffle=False, random_state=None)
    """
    if not is_splitting(cv):
        raise ParameterError(
            f"cv is a number of folds, a splitter or a list of pairs (rows to train, rows to test); got {cv!r}"
        )
    if cv is None or isinstance(cv, Integral):
        kind = StratifiedKFold if classifier and holds_classes(y) else KFold
        return kind(5 if cv is None else int(cv), shuffle=shuffle, random_state=random_state)
    return cv if hasattr(cv, "split") else GivenPairs(given_pairs(cv, "check_cv"))


@dataclass
class GivenPairs(Splitter):
    """(train, test) pairs that were given."""

    cv: list[Fold]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs there are."""
        return len(self.cv)

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Fold]:
        """The pairs."""
        return iter(self.cv)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        return iter(self.cv)
