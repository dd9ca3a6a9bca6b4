"""How many rows train and how many test, from shares or numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor

import numpy as np

from ..core import DataError, ParameterError

Size = float | int | None


def check_sizes(owner: str, test_size: Size, train_size: Size) -> None:
    """Refuse what cannot be the size of a part of any table."""
    for name, size in (("test_size", test_size), ("train_size", train_size)):
        if size is None:
            continue
        if isinstance(size, bool) or not isinstance(size, (int, float, np.number)):
            raise ParameterError(f"{owner}: Invalid value for {name}: {size!r}; give a fraction or a number of rows")
        if size <= 0 or (not _is_count(size) and size >= 1):
            raise ParameterError(
                f"{owner}: {name}={size} must be a number of rows from 1, or a fraction between 0 and 1"
            )
    shares = [size for size in (test_size, train_size) if size is not None and not _is_count(size)]
    if len(shares) == 2 and sum(shares) > 1:
        raise ParameterError(
            f"{owner}: The sum of test_size and train_size = {sum(shares)}, should be in the (0, 1) range; reduce one"
        )


def train_and_test(owner: str, n: int, test_size: Size, train_size: Size, usual: float) -> tuple[int, int]:
    """Numbers of training and test rows among `n`; without any size, a share `usual` is tested."""
    check_sizes(owner, test_size, train_size)
    if train_size is None:
        test = _count(owner, "test_size", usual if test_size is None else test_size, n, ceil)
        train = n - test
    else:
        train = _count(owner, "train_size", train_size, n, floor)
        test = n - train if test_size is None else _count(owner, "test_size", test_size, n, ceil)
    if train + test > n:
        raise DataError(f"{owner}: train_size and test_size ask for {train + test} rows of {n}; reduce one of them")
    if train == 0:
        raise DataError(
            f"{owner}: test_size={test_size} and train_size={train_size} leave none of {n} rows to train on"
        )
    return train, test


def _count(owner: str, name: str, size: float, n: int, rounded: Callable[[float], int]) -> int:
    """A size as a number of rows; shares are rounded."""
    if not _is_count(size):
        return rounded(size * n)
    if size >= n:
        raise DataError(
            f"{owner}: {name}={size} must be a number of rows from 1 to {n - 1}, or a fraction between 0 and 1"
        )
    return int(size)


def _is_count(size: float) -> bool:
    return isinstance(size, (int, np.integer))
