"""Random training and test rows with equal shares of each class, drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.registry import value
from ..core.runtime.random import stream
from ..engines.folds import Fold
from ._random_splitter_base import RandomSplitter


@value
@dataclass
class StratifiedShuffleSplit(RandomSplitter):
    """Stratified shuffle split.

    `n_splits` random test sets that preserve the class proportions, a tenth of the rows by default.

    >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> splits = StratifiedShuffleSplit(1, test_size=0.5, random_state=0).split(X, y)
    >>> [sorted(y[row] for row in test) for train, test in splits]
    [['a', 'b']]
    """

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Fold]:  # type: ignore[override]  # y is needed
        """Generate indices of the training and test rows of each split; `y` holds the classes."""
        return super().split(X, y, groups)

    def _pairs(self, n: int, y: Any, groups: Any) -> Iterator[Fold]:
        train, test = self._sizes(n)
        codes, sizes = _strata(y, train, test)
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
        rng = stream(self.random_state)
        for _ in range(self.n_splits):
            training = rounded_shares(sizes, train, rng)
            tested = rounded_shares(sizes - training, test, rng)
            orders = [rows[rng.permutation(len(rows))] for rows in members]
            parts = list(zip(orders, training, tested, strict=True))
            chosen = np.concatenate([rows[:some] for rows, some, _ in parts])
            left_out = np.concatenate([rows[some : some + more] for rows, some, more in parts])
            yield rng.permutation(chosen), rng.permutation(left_out)


def _strata(y: Any, train: int, test: int) -> tuple[Array, Array]:
    """The class of each row as a number, and how many rows each class has; several columns make one class together."""
    owner = "StratifiedShuffleSplit"
    if y is None:
        raise DataError(f"{owner}: y must be the classes of the rows; got None")
    values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if values.ndim == 2:
        values = np.array([" ".join(row) for row in values.astype(str)])
    labels, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        rare = labels[sizes < 2].tolist()
        raise DataError(
            f"{owner}: some classes have one row: {rare!s:.80}; each class needs at least 2, one to train and one to "
            "test"
        )
    for name, rows in (("train_size", train), ("test_size", test)):
        if rows < len(labels):
            raise DataError(f"{owner}: {name}={rows} rows cannot hold each of {len(labels)} classes; increase it")
    return codes, sizes


def rounded_shares(sizes: Array, count: int, rng: np.random.RandomState) -> Array:
    """`count` draws divided in proportion to `sizes`, in whole numbers; what rounding leaves goes to the largest rests.

    This is the most likely outcome of drawing without replacement; `rng` breaks ties.
    """
    exact = sizes / sizes.sum() * count
    whole = np.floor(exact)
    missing = int(count - whole.sum())
    rest = exact - whole
    for largest in np.sort(np.unique(rest))[::-1]:
        if missing <= 0:
            break
        (tied,) = np.nonzero(rest == largest)
        lucky = rng.choice(tied, size=min(len(tied), missing), replace=False)
        whole[lucky] += 1
        missing -= len(lucky)
    return np.asarray(whole, dtype=int)
