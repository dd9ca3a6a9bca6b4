"""The lasso."""

from __future__ import annotations

from ..core import estimator
from ._penalised.penalised_regressor import SingleTargetBase


@estimator
class Lasso(SingleTargetBase):
    """Lasso: linear regression with an l1 penalty, which sets coefficients to exactly zero.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha |w|_1,      sum_i s_i = 1

    Coordinate descent on a working set that grows by the columns that violate the optimality conditions, until the
    duality gap is `tol` times the weighted mean square of the centred target. A pass over all columns costs
    n p; there are a few. Sparse data stay sparse, and nothing is copied but the columns in use. [Tibshirani, 1996]

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [1.0, 3.0, 5.0, 7.0]
    >>> Lasso(alpha=0.1).fit(X, y).coef_.round(2)
    array([1.92, 0.  ])
    """

    title = "lasso"
    reference = "Tibshirani, Regression shrinkage and selection via the lasso, JRSS B 58, 1996"
    l1_ratio = 1.0
