"""A tree of boxes round points."""

from __future__ import annotations

from typing import ClassVar

from ..engines.neighbours import Algorithm
from ._point_index import PointIndex


class KDTree(PointIndex):
    """A k-d tree: points halved recursively at the median of the column of the largest spread.

    d(x, box) = |max(low - x, x - high, 0)| <= d(x, x_i)    for every point x_i in the box

    A search passes over boxes that are farther away than what it has found. Exact, for Minkowski metrics.
    [Bentley, 1975]

    >>> KDTree([[0.0], [3.0], [4.0]]).query([[2.9]], k=2, return_distance=False).tolist()
    [[1, 2]]
    """

    algorithm: Algorithm = "kd_tree"
    valid_metrics: ClassVar[list[str]] = [
        "euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity",
    ]  # fmt: skip
