"""A tree of balls round points."""

from __future__ import annotations

from typing import ClassVar

from ..engines.neighbours import Algorithm
from ._point_index import PointIndex


class BallTree(PointIndex):
    """A ball tree: points halved recursively, with an enclosing ball for every node.

    d(x, centre) - radius <= d(x, x_i)    for every point x_i in the ball, by the triangle inequality

    For metrics without boxes: canberra, hamming, haversine. Minkowski's keep their boxes, which are tighter, and all
    others are compared with every point. Exact. [Omohundro, 1989]

    >>> BallTree([[0.0, 0.0], [0.1, 3.0]], metric="haversine").query([[0.0, 2.9]], return_distance=False).tolist()
    [[1]]
    """

    algorithm: Algorithm = "ball_tree"
    valid_metrics: ClassVar[list[str]] = [
        "euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity", "seuclidean",
        "mahalanobis", "hamming", "canberra", "haversine", "braycurtis", "jaccard", "dice", "rogerstanimoto",
        "russellrao", "sokalmichener", "sokalsneath", "pyfunc",
    ]  # fmt: skip
