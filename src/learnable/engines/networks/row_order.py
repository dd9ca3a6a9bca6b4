"""The order of the rows in each epoch."""

from __future__ import annotations

import numpy as np

from ...core.validate.features import Array


class ShuffledRows:
    """Rows in an order that is shuffled again for each epoch by NumPy's legacy stream, as in scikit-learn.

    A fit that resumes at a later epoch draws the shuffles before it again.

    >>> rows = ShuffledRows(np.arange(4), np.random.RandomState(0))
    >>> rows.order(0).tolist()
    [2, 3, 1, 0]
    """

    def __init__(self, rows: Array, stream: np.random.RandomState | None) -> None:
        self._order = rows
        self._stream = stream  # None: the order never changes
        self._shuffles = 0

    def order(self, epoch: int) -> Array:
        """The rows in the order of an epoch, counted from 0; epochs are requested in ascending order."""
        while self._stream is not None and self._shuffles <= epoch:
            permutation = np.arange(len(self._order))
            self._stream.shuffle(permutation)
            self._order = self._order[permutation]
            self._shuffles += 1
        return self._order
