"""K-fold cross-validation of sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.registry import value
from ..core.validate.rows import row_count
from ..engines.folds import Fold
from .group_k_fold import GroupKFold


@value
@dataclass
class SequenceKFold(GroupKFold):
    """Sequence k-fold: `n_splits` folds of whole sequences with about equally many rows.

    Rows of `X` lie one sequence after the other.

    `lengths` has the number of rows of each sequence; without it, `groups` in `split` name the sequence of each row.
    Training rows before and after a test sequence do not become neighbours: `split_lengths` gives the lengths of the
    training and of the test sequences of each fold, to be passed on to a hidden Markov model.

    >>> folds = SequenceKFold(2, lengths=[2, 1, 1])
    >>> [test.tolist() for train, test in folds.split([[1], [2], [3], [4]])]
    [[0, 1], [2, 3]]
    >>> [(train.tolist(), test.tolist()) for train, test in folds.split_lengths()]
    [([1, 1], [2]), ([2], [1, 1])]
    """

    _: KW_ONLY
    lengths: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_lengths()

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Fold]:
        """Indices of the training rows and of the test rows of each fold."""
        if self.lengths is not None:
            count = np.sum(self.lengths)
            if row_count(X) != count:
                raise DataError(f"SequenceKFold: lengths add up to {count}, but X has {row_count(X)} rows")
            groups = np.repeat(np.arange(len(self.lengths)), self.lengths)
        yield from super().split(X, y, groups)

    def split_lengths(self) -> Iterator[tuple[Array, Array]]:
        """The lengths of the training sequences and of the test sequences of each fold."""
        if self.lengths is None:
            raise DataError("SequenceKFold: split_lengths needs lengths; give them to the constructor")
        lengths = np.asarray(self.lengths)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        for train, test in self.split(np.empty((len(owner), 1))):
            yield lengths[np.unique(owner[train])], lengths[np.unique(owner[test])]

    def _check_lengths(self) -> None:
        if self.lengths is None:
            return
        found = np.asarray(self.lengths)
        if found.ndim != 1 or found.dtype.kind not in "iu" or len(found) == 0 or (found < 1).any():
            raise DataError(
                f"SequenceKFold: lengths must be whole numbers from 1, one for each sequence; got {self.lengths!r:.60}"
            )
