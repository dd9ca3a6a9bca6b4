"""Exclusive feature bundling: sparse columns that are rarely nonzero together share one stored column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.validate.features import Array, Matrix
from .histograms import Bins

MAX_BINS = 256  # of a stored column
MAX_ROWS = 20_000  # sampled to count conflicts
MAX_DENSITY = 0.5  # fraction of nonzero entries from which on a column is not bundled


def bundle_features(bins: Bins, X: Matrix, rows: Array, conflicts: float | None) -> list[list[int]]:
    """Bundles of columns of which at most one is nonzero, except in a fraction `conflicts` of the rows; None for none.

    Each column, those with most nonzero entries first, goes to the first bundle that has room for it: greedy colouring
    of the conflict graph. [Ke et al., 2017]

    >>> X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> rows = np.arange(5, dtype=np.uint32)
    >>> bundle_features(Bins.of(X, rows, None, 255, [0, 0, 0], 0), X, rows, 0.0)
    [[0, 1]]
    """
    if conflicts is None:
        return []
    seen = rows[:: max(1, len(rows) // MAX_ROWS)] if conflicts > 0 else rows
    nonzero = _nonzero(X, seen)
    density = np.array([nonzero(j).mean() for j in range(X.shape[1])])
    allowed = conflicts * len(seen)
    bundles: list[tuple[list[int], Array, int]] = []
    for j in np.argsort(-density, kind="stable"):
        if density[j] > MAX_DENSITY or bins.categorical[j]:
            continue
        for k, (members, taken, size) in enumerate(bundles):
            clash = int((taken & nonzero(j)).sum())
            if clash <= allowed and size + bins.values[j] <= MAX_BINS:
                bundles[k] = ([*members, int(j)], taken | nonzero(j), size + bins.values[j])
                break
        else:
            bundles.append(([int(j)], nonzero(j), 1 + bins.values[j]))
    return sorted(sorted(members) for members, _, _ in bundles if len(members) > 1)


def _nonzero(X: Matrix, rows: Array) -> Callable[[int], Array]:
    """A function from a column to the mask of its nonzero entries in some rows."""
    if isinstance(X, np.ndarray):
        table = X[rows] != 0
        return lambda j: table[:, j]
    sample = X[rows].tocsc()

    def of_column(j: int) -> Array:
        mask, entries = np.zeros(len(rows), dtype=bool), slice(sample.indptr[j], sample.indptr[j + 1])
        mask[sample.indices[entries]] = sample.data[entries] != 0
        return mask

    return of_column
