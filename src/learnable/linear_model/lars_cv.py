"""Least angle regression with cross-validation."""

from __future__ import annotations

from ..core import estimator
from ._lars.lars_params import LarsCVBase


@estimator
class LarsCV(LarsCVBase):
    """Least angle regression with cross-validation of the stopping point.

    follow from w = 0    |x_j . r| = c for active columns j,  |x_j . r| <= c for the others,    c by cross-validation

    Each fold's path is followed exactly; between knots its error on the held-out rows is a quadratic, so every knot of
    every fold is compared. Cost: a path per fold and one on all rows. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X = [[-2.0, 1.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> y = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    >>> LarsCV(cv=3).fit(X, y).coef_.round(6) + 0.0
    array([1., 0.])
    """

    title = "least angle regression with cross-validation"
