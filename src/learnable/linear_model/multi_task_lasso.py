"""Multi-task lasso."""

from __future__ import annotations

from ..core import estimator
from ._penalised.penalised_regressor import MultiTaskBase


@estimator
class MultiTaskLasso(MultiTaskBase):
    """Multi-task lasso: several targets with a group lasso penalty, so that all use the same columns.

    minimise over W, b    sum_i s_i |y_i - x_i W - b|^2 / 2  +  alpha sum_j |W_j|,      sum_i s_i = 1

    W_j holds the coefficients of column j for all targets, |W_j| is their Euclidean length. Block coordinate descent on
    working sets to a certified duality gap; the lasso is the case of one target. [Yuan and Lin, 2006]

    >>> X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0], [7.0, 3.0]]
    >>> MultiTaskLasso(alpha=0.1).fit(X, Y).coef_.round(2)
    array([[1.93, 0.  ],
           [0.96, 0.  ]])
    """

    title = "multi-task lasso"
    reference = "Yuan and Lin, Model selection and estimation in regression with grouped variables, JRSS B 68, 2006"
    l1_ratio = 1.0
