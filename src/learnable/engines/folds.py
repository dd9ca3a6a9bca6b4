"""How a cross-validating estimator divides its rows, whatever it was given as `cv`."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from ..core.data import Array
from ..core.errors import DataError, ParameterError

Fold = tuple[Array, Array]


def folds(cv: Any, n: int, y: Array | None = None, owner: str = "cross-validation") -> list[Fold]:
    """The (train, test) row indices that `cv` asks for on `n` rows.

    `cv` is None (5 folds), a number of folds, an object with `split(X, y)`, or (train, test) pairs of indices or masks.
    A number gives neighbouring rows the same fold, without shuffling; the first folds hold the odd rows. Messages name
    the `owner` of the parameter.

    >>> [test.tolist() for train, test in folds(2, 5)]
    [[0, 1, 2], [3, 4]]
    """
    if not is_splitting(cv):
        raise ParameterError(
            f"{owner}: cv must be None, a number of folds, a splitter, or (train, test) pairs; got {cv!r}"
        )
    if cv is None or isinstance(cv, Integral):
        return list(_contiguous(5 if cv is None else int(cv), n, owner))
    pairs = cv.split(np.zeros((n, 1)), y) if hasattr(cv, "split") else cv
    try:
        found = [(_rows(train, n, owner), _rows(test, n, owner)) for train, test in pairs]
    except TypeError:
        raise ParameterError(f"{owner}: cv must give (train, test) pairs of row numbers or masks; got {cv!r}") from None
    if not found:
        raise ParameterError(f"{owner}: cv must be at least one (train, test) pair; it gives none")
    return found


def is_splitting(cv: Any) -> bool:
    """Whether `cv` is something that `folds` understands."""
    if cv is None or isinstance(cv, Integral):
        return not isinstance(cv, bool)
    return not isinstance(cv, str) and (hasattr(cv, "split") or hasattr(cv, "__iter__"))


def _contiguous(count: int, n: int, owner: str) -> Iterator[Fold]:
    if count < 2:
        raise ParameterError(f"{owner}: cv must be at least 2 folds; got {count}")
    if count > n:
        raise DataError(
            f"{owner}: Cannot have number of splits n_splits={count} greater than the number of samples n_samples={n}; "
            "set cv to fewer folds"
        )
    rows = np.arange(n)
    for test in np.array_split(rows, count):
        yield np.concatenate([rows[: test[0]], rows[test[-1] + 1 :]]), test


def _rows(chosen: Any, n: int, owner: str) -> Array:
    """Indices or a mask as checked indices."""
    rows = np.asarray(chosen)
    if rows.dtype == np.bool_:
        if rows.shape != (n,):
            raise ParameterError(
                f"{owner}: cv must be masks or indices; a mask of shape {rows.shape} does not fit {n} rows"
            )
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ParameterError(f"{owner}: cv must be pairs of non-empty lists of row indices, or of masks")
    if rows.min() < -n or rows.max() >= n:
        raise ParameterError(f"{owner}: cv must be indices of the {n} rows; got {rows.max()}")
    return rows % n
