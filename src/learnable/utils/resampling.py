"""Rows drawn at random, the same ones from several tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, RandomState
from ..core.declare.checked_functions import Rows, checked, limits, numbers
from ..core.errors import ParameterError
from ..core.runtime.random import stream
from ..core.validate.rows import check_equal_lengths, take_rows
from ..model_selection.stratified_shuffle_split import rounded_shares


@checked(n_samples=limits(at_least=0))
def resample(
    *arrays: Rows,
    replace: bool = True,
    n_samples: int | None = None,
    random_state: RandomState = None,
    stratify: Rows | None = None,
    sample_weight: Rows | None = None,
) -> Any:
    """Rows drawn at random, with replacement unless `replace` is False: one step of the bootstrap.

    With `stratify` every class keeps its proportion; with `sample_weight` the probability of a row is proportional to
    its weight. The same seed draws the same rows as in scikit-learn.

    >>> resample([10, 20, 30, 40], [1, 2, 3, 4], random_state=0)
    [[10, 40, 20, 10], [1, 4, 2, 1]]
    """
    if not arrays:
        return None
    named = {f"array {place}": array for place, array in enumerate(arrays)}
    n = check_equal_lengths("resample", **named, stratify=stratify, sample_weight=sample_weight)
    count = n if n_samples is None else int(n_samples)
    if count > n and not replace:
        raise ParameterError(f"resample: {count} rows cannot be drawn from {n} unless replace=True")
    if sample_weight is not None and (stratify is not None or not replace):
        raise ParameterError(
            "resample: sample_weight sets the probability of each row; it needs replace=True and stratify=None"
        )
    rows = _drawn(n, count, replace, stream(random_state), stratify, sample_weight)
    found = [take_rows(array, rows) for array in arrays]
    return found[0] if len(found) == 1 else found


@checked(n_samples=limits(at_least=0))
def shuffle(*arrays: Rows, random_state: RandomState = None, n_samples: int | None = None) -> Any:
    """The same tables with their rows in another order, or the first `n_samples` of them.

    >>> shuffle([1, 2, 3, 4], random_state=0)
    [3, 4, 2, 1]
    """
    return resample(*arrays, replace=False, n_samples=n_samples, random_state=random_state)


def _drawn(n: int, count: int, replace: bool, draws: Any, stratify: Any, weight: Any) -> Array:
    if stratify is not None:
        return _by_class(np.asarray(stratify), count, replace, draws)
    if replace and weight is not None:
        share = numbers("resample", "sample_weight", weight, n)
        return np.asarray(draws.choice(n, size=count, p=share / share.sum(), replace=True))
    if replace:
        return np.asarray(draws.randint(0, n, size=(count,)))
    order = np.arange(n)
    draws.shuffle(order)
    return order[:count]


def _by_class(labels: Array, count: int, replace: bool, draws: Any) -> Array:
    """Rows of each class in proportion to its size."""
    if labels.ndim == 2:
        labels = np.array([" ".join(row.astype("str")) for row in labels])
    codes = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(codes)
    members = np.split(np.argsort(codes, kind="mergesort"), np.cumsum(sizes)[:-1])
    requested = rounded_shares(sizes, count, draws)
    chosen = [draws.choice(rows, many, replace=replace) for rows, many in zip(members, requested, strict=True)]
    return np.asarray(draws.permutation(np.concatenate(chosen)))
