"""Canonical partial least squares."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._projection_base import PartialLeastSquares


@estimator
class PLSCanonical(PartialLeastSquares):
    """Canonical partial least squares: pairs of directions of two tables with the largest covariance, as equals.

    maximise over |a| = |b| = 1    cov(X a, Y b);    then X loses its projection on X a, and Y that on Y b

    Each pair is the exact first pair of singular vectors of X'Y. [Wold, 1975; Wegelin, 2000]

    >>> X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.5]], [[0.1, -0.2], [0.9, 1.1], [2.1, 2.0], [2.9, 3.1]]
    >>> PLSCanonical(n_components=1).fit(X, Y).transform(X).round(1)[:, 0]
    array([-1.3, -0.2,  0.3,  1.2])
    """

    algorithm: Literal["nipals", "svd"] = param("nipals", "accepted for compatibility; both are singular vectors here")

    title = "canonical partial least squares"
    reference = "Wegelin, A survey of partial least squares (PLS) methods, University of Washington, 2000"
