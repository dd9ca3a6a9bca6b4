"""Columns that rarely have something to say at once, stored as one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.validate.features import Array, Matrix
from .histograms import Bins

MOST_BINS = 256  # of a stored column
MOST_ROWS = 20_000  # looked at for conflicts
DENSE = 0.5  # share of entries other than zero from which on a column stands alone


def bundles(bins: Bins, X: Matrix, rows: Array, conflicts: float | None) -> list[list[int]]:
    """Groups of columns of which, but for a share `conflicts` of the rows, at most one is not zero; None for none.

    Columns go, those with most entries first, to the first group that has room for them: the greedy colouring of the
    graph of conflicts. [Ke et al., 2017]

    >>> X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> rows = np.arange(5, dtype=np.uint32)
    >>> bundles(Bins.of(X, rows, None, 255, [0, 0, 0], 0), X, rows, 0.0)
    [[0, 1]]
    """
    if conflicts is None:
        return []
    seen = rows[:: max(1, len(rows) // MOST_ROWS)] if conflicts > 0 else rows
    marks = _marks(X, seen)
    share = np.array([marks(j).mean() for j in range(X.shape[1])])
    allowed = conflicts * len(seen)
    groups: list[tuple[list[int], Array, int]] = []
    for j in np.argsort(-share, kind="stable"):
        if share[j] > DENSE or bins.categorical[j]:
            continue
        for k, (members, taken, size) in enumerate(groups):
            clash = int((taken & marks(j)).sum())
            if clash <= allowed and size + bins.values[j] <= MOST_BINS:
                groups[k] = ([*members, int(j)], taken | marks(j), size + bins.values[j])
                break
        else:
            groups.append(([int(j)], marks(j), 1 + bins.values[j]))
    return sorted(sorted(members) for members, _, _ in groups if len(members) > 1)


def _marks(X: Matrix, rows: Array) -> Callable[[int], Array]:
    """Which of some rows are not zero, column by column."""
    if isinstance(X, np.ndarray):
        table = X[rows] != 0
        return lambda j: table[:, j]
    part = X[rows].tocsc()

    def of_column(j: int) -> Array:
        marks, entries = np.zeros(len(rows), dtype=bool), slice(part.indptr[j], part.indptr[j + 1])
        marks[part.indices[entries]] = part.data[entries] != 0
        return marks

    return of_column
