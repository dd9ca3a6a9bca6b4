"""Random split into a training and a test set."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import DataError, ParameterError, RandomState
from ..core.declare.checked_functions import Rows, checked
from ..core.validate.rows import check_equal_lengths, take_rows
from ..engines.folds import Fold
from ._split_sizes import Size, train_and_test
from .group_shuffle_split import GroupShuffleSplit
from .shuffle_split import ShuffleSplit
from .stratified_group_shuffle_split import StratifiedGroupShuffleSplit
from .stratified_shuffle_split import StratifiedShuffleSplit


@checked()
def train_test_split(
    *arrays: Rows,
    test_size: Size = None,
    train_size: Size = None,
    random_state: RandomState = None,
    shuffle: bool = True,
    stratify: Rows | None = None,
    groups: Rows | None = None,
) -> list[Any]:
    """Train-test split of arrays or data frames with the same rows; a quarter is the test set by default.

    `stratify` names the class of each row, of which both parts get their share. `groups` names the group of each row,
    and no group is divided; sizes then count groups (rows, if `stratify` is given too). The same seed gives the same
    rows as in scikit-learn.

    >>> train_test_split([1, 2, 3, 4], ["a", "b", "c", "d"], random_state=0)
    [[4, 2, 1], [3], ['d', 'b', 'a'], ['c']]
    """
    if not arrays:
        raise DataError("train_test_split: give at least one table to split")
    n = check_equal_lengths("train_test_split", **_named(arrays), stratify=stratify, groups=groups)
    if not shuffle:
        if stratify is not None or groups is not None:
            raise ParameterError("train_test_split: stratify and groups need shuffle=True")
        train, test = train_and_test("train_test_split", n, test_size, train_size, 0.25)
        chosen = np.arange(train), np.arange(train, train + test)
    else:
        chosen = _drawn(n, test_size, train_size, random_state, stratify, groups)
    arrays = tuple(array.tocsr() if hasattr(array, "tocsr") else array for array in arrays)  # for rows to be taken
    return [take_rows(array, rows) for array in arrays for rows in chosen]


def _named(arrays: tuple[Any, ...]) -> dict[str, Any]:
    """Names for tables that came without: X, y, then by their place."""
    names = ("X", "y", *(f"array {place}" for place in range(2, len(arrays))))
    return dict(zip(names, arrays, strict=False))


def _drawn(n: int, test_size: Size, train_size: Size, random_state: RandomState, stratify: Any, groups: Any) -> Fold:
    rows = np.empty((n, 0))
    if groups is None:
        train, test = train_and_test("train_test_split", n, test_size, train_size, 0.25)
        kind = ShuffleSplit if stratify is None else StratifiedShuffleSplit
        return next(kind(1, test_size=test, train_size=train, random_state=random_state).split(rows, stratify))
    if test_size is None and train_size is None:
        test_size = 0.25
    by_group = GroupShuffleSplit if stratify is None else StratifiedGroupShuffleSplit
    splitter = by_group(1, test_size=test_size, train_size=train_size, random_state=random_state)
    return next(splitter.split(rows, stratify, groups))


train_test_split.__test__ = False  # type: ignore[attr-defined]  # a name that test collectors would take for a test
