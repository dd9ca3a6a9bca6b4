"""The direction of a monotone relation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.validate.sparse_input import checks_sparse

DEVIATIONS = 1.96  # on both sides of the estimate: 95 % of a normal distribution


@checks_sparse
def check_increasing(x: Any, y: Any) -> bool:
    """Whether y increases with x, by the sign of Spearman's rank correlation.

    A warning says when the interval of 95 % around the correlation (by Fisher's transformation) holds zero.

    >>> check_increasing([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    True
    """
    first, second = (np.asarray(values, dtype=np.float64) for values in (x, y))
    if first.ndim != 1 or first.shape != second.shape or len(first) == 0:
        raise DataError(
            f"check_increasing: x and y must be columns of one length; got shapes {first.shape} and {second.shape}"
        )
    rho = _correlation(_ranks(first), _ranks(second))
    if len(first) > 3 and abs(rho) < 1:
        middle, reach = math.atanh(rho), DEVIATIONS / math.sqrt(len(first) - 3)
        if abs(middle) <= reach:
            warnings.warn(
                "Whether the curve rises or falls is not certain: the rank correlation may as well be zero.",
                stacklevel=2,
            )
    return rho >= 0


def _ranks(values: Array) -> Array:
    """The rank of each value; equal values share the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place])


def _correlation(a: Array, b: Array) -> float:
    """Pearson's correlation; 0 where one of the two is constant."""
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return min(max(float(a @ b) / spread, -1.0), 1.0) if spread > 0 else 0.0
