"""The elastic net: least squares with an absolute and a squared penalty."""

from __future__ import annotations

from ..core import estimator, param
from ._penalised.penalised_regressor import SingleTargetBase


@estimator
class ElasticNet(SingleTargetBase):
    """Elastic net: linear regression with an l1 and a squared l2 penalty.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    The l1 part selects columns, the l2 part distributes weight among correlated ones. The weights
    s_i sum to one. Coordinate descent on working sets to a certified duality gap, as in Lasso. [Zou and Hastie, 2005]

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [1.0, 3.0, 5.0, 7.0]
    >>> ElasticNet(alpha=0.1).fit(X, y).coef_.round(2)
    array([1.88, 0.  ])
    """

    l1_ratio: float = param(
        0.5,
        "fraction of the l1 part in the penalty",
        between=(0, 1),
        tune=(0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0),
        simpler="larger",
    )

    title = "elastic net"
    reference = "Zou and Hastie, Regularization and variable selection via the elastic net, JRSS B 67, 2005"
