"""Lasso by least angle regression with cross-validation."""

from __future__ import annotations

from ..core import estimator, param
from ._lars.lars_params import LarsCVBase


@estimator
class LassoLarsCV(LarsCVBase):
    """Lasso by least angle regression with cross-validation of alpha over all knots of the path.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha |w|_1,    alpha by cross-validation

    Each fold's path is followed exactly; between knots its error on the held-out rows is a quadratic, so every knot of
    every fold is compared. Cost: a path per fold and one on all rows. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X = [[-2.0, 1.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> y = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    >>> LassoLarsCV(cv=3).fit(X, y).coef_.round(6) + 0.0
    array([1., 0.])
    """

    positive: bool = param(False, "whether coefficients are constrained to be non-negative")

    title = "lasso by least angle regression with cross-validation"
    lasso = True
