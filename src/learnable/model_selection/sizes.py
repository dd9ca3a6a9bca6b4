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
            raise ParameterError(f"{owner}: Invalid value for {name}: {size!r}; give a share or a number of rows")
        if size <= 0 or (not _is_count(size) and size >= 1):
            raise ParameterError(
                f"{owner}: {name}={size} should be either positive and smaller than the number of samples or a float "
                "in the (0, 1) range"
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
        raise DataError(
            f"{owner}: The sum of train_size and test_size = {train + test}, should be smaller than the number of "
            f"samples {n}. Reduce test_size and/or train_size."
        )
    if train == 0:
        raise DataError(
            f"{owner}: With n_samples={n}, test_size={test_size} and train_size={train_size}, the resulting train set "
            "will be empty. Adjust any of the aforementioned parameters."
        )
    return train, test


def _count(owner: str, name: str, size: float, n: int, rounded: Callable[[float], int]) -> int:
    """A size as a number of rows; shares are rounded."""
    if not _is_count(size):
        return rounded(size * n)
    if size >= n:
        raise DataError(
            f"{owner}: {name}={size} should be either positive and smaller than the number of samples {n} or a float "
            "in the (0, 1) range"
        )
    return int(size)


def _is_count(size: float) -> bool:
    return isinstance(size, (int, np.integer))
