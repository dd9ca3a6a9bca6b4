"""Splits of ratings into training and test: the last ones by time, or some of each user."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, RandomState
from ..core.declare.checked_functions import Column, checked, limits
from ..core.errors import warn
from ..core.runtime.random import stream
from ..engines.columns.categories import factorised
from ._ratings import pairs_of


@checked(k=limits(at_least=1))
def leave_k_out(
    X: Any, *, k: int = 1, time: Column | None = None, random_state: RandomState = None
) -> tuple[Array, Array]:
    """Rows for training and test: of each user with more than `k` ratings, `k` are held out.

    test = the k latest ratings of each user by `time`, or k random ones

    >>> train, test = leave_k_out([["a", 1], ["a", 2], ["b", 1]], time=[10, 20, 5])
    >>> train.tolist(), test.tolist()
    ([0, 2], [1])
    """
    table, _ = pairs_of("leave_k_out", X)
    user = factorised(table.parts[0], "column 0")[1]
    key = stream(random_state).random_sample(len(user)) if time is None else _times("leave_k_out", time, len(user))
    order = np.lexsort((key, user))
    counts = np.bincount(user)
    from_end = (np.cumsum(counts)[user[order]] - 1) - np.arange(len(user))
    held = np.zeros(len(user), dtype=bool)
    held[order] = (from_end < k) & (counts[user[order]] > k)
    return np.flatnonzero(~held), np.flatnonzero(held)


@checked(test_size=limits(above=0, below=1))
def split_by_time(time: Column, *, test_size: float = 0.1) -> tuple[Array, Array]:
    """Rows for training and test: the latest fraction of all ratings is held out, as a recommender is used.

    test = rows later than the (1 - test_size) quantile of `time`; ratings of one time are not split

    >>> train, test = split_by_time([5, 1, 9, 7], test_size=0.25)
    >>> test.tolist()
    [2]
    """
    times = _times("split_by_time", time, None)
    if not len(times):
        raise DataError("split_by_time: time is empty; give the time of each rating")
    ordered = np.sort(times)
    border = ordered[min(int(np.ceil(len(times) * (1 - test_size))), len(times) - 1)]
    test = np.flatnonzero(times >= border)
    if len(test) == len(times):
        raise DataError("split_by_time: too many ratings have the same time; no earlier ones are left for training")
    return np.flatnonzero(times < border), test


@checked()
def future_leakage(time: Column, train: Column, test: Column) -> float:
    """How much of the future a split lets a recommender see; a warning above 0.1.

    leakage = mean over test rows of the fraction of training rows that are later

    Zero for a split by time, about a half for a random one: then a recommender is evaluated with knowledge of the
    future, and its error is too low. [Ji, Sun, Zhang and Li, 2023]

    >>> future_leakage([1, 2, 3, 4], [0, 1, 2], [3])
    0.0
    """
    times = _times("future_leakage", time, None)
    before, after = (times[_rows_of(name, rows, len(times))] for name, rows in (("train", train), ("test", test)))
    before = np.sort(before)
    later = 1 - np.searchsorted(before, after, side="right") / len(before)
    leakage = float(later.mean())
    if leakage > 0.1:
        warn(
            f"future_leakage: {leakage:.0%} of the pairs of a test and a training rating have the training rating "
            "later; errors will be too optimistic, use split_by_time",
            UserWarning,
        )
    return leakage


def _rows_of(name: str, rows: Any, count: int) -> Array:
    """The rows of one side of a split, as indices into the times."""
    indices = np.asarray(rows)
    if not len(indices) or indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= count:
        raise DataError(f"future_leakage: {name} must hold row indices below {count}, at least one; got {rows!r:.60}")
    return indices


def _times(owner: str, time: Any, rows: int | None) -> Array:
    values = np.asarray(time)
    if values.dtype.kind == "M":
        values = values.astype(np.int64)
    if values.dtype.kind not in "iuf" or values.ndim != 1 or (rows is not None and len(values) != rows):
        raise DataError(f"{owner}: time must be one number or date for each rating; got {values.dtype} {values.shape}")
    if not np.isfinite(values).all():
        raise DataError(f"{owner}: time is missing in row {int(np.argmax(~np.isfinite(values)))}")
    return values
