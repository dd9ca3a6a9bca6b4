"""How far the rounding of its entries may have moved each column."""

from __future__ import annotations

import numpy as np

from ....core.numeric import EPSILON, EXACT
from ....core.validate.features import Array


def entry_rounding(X: Array, mean: Array, root: Array) -> Array:
    """The length of one rounding of the mean in every row, `root` being the roots of their weights.

    Columns far from zero are dependent where they differ by no more than this. Columns of whole numbers were never
    rounded, so that years and their powers stay independent.
    """
    whole = np.array([_is_whole(column) for column in X.T], dtype=bool)
    return np.asarray(EPSILON * np.linalg.norm(root) * np.where(whole, 0.0, np.abs(mean.astype(np.float64))))


def _is_whole(column: Array) -> bool:
    return bool(np.abs(column).max(initial=0.0) <= EXACT and (column == np.rint(column)).all())
