"""Multi-task elastic net."""

from __future__ import annotations

from ..core import estimator, param
from ._penalised.penalised_regressor import MultiTaskBase


@estimator
class MultiTaskElasticNet(MultiTaskBase):
    """Multi-task elastic net: several targets with a group lasso and a squared l2 penalty.

    minimise over W, b    sum_i s_i |y_i - x_i W - b|^2 / 2  +  alpha (l1_ratio sum_j |W_j| + (1 - l1_ratio) |W|^2 / 2)

    W_j holds the coefficients of column j for all targets: all of them are zero or none is. The weights s_i sum to one.
    Block coordinate descent on working sets to a certified duality gap. [Yuan and Lin, 2006; Zou and Hastie, 2005]

    >>> X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0], [7.0, 3.0]]
    >>> MultiTaskElasticNet(alpha=0.1).fit(X, Y).coef_.round(2)
    array([[1.89, 0.  ],
           [0.94, 0.  ]])
    """

    l1_ratio: float = param(0.5, "fraction of the group l1 part in the penalty", between=(0, 1))

    title = "multi-task elastic net"
    reference = "Yuan and Lin, Model selection and estimation in regression with grouped variables, JRSS B 68, 2006"
