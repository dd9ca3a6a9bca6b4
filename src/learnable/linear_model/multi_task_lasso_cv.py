"""Multi-task lasso with cross-validation."""

from __future__ import annotations

from ..core import estimator
from ._penalised.penalised_regressor_cv import MultiTaskCV


@estimator
class MultiTaskLassoCV(MultiTaskCV):
    """Multi-task lasso with cross-validation of alpha.

    minimise over W, b    sum_i s_i |y_i - x_i W - b|^2 / 2  +  alpha sum_j |W_j|,      alpha by cross-validation

    One warm-started path per fold, to a certified duality gap at every alpha. [Yuan and Lin, 2006]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]]
    >>> Y = [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0], [7.0, 3.0], [9.0, 4.0], [11.0, 5.0]]
    >>> MultiTaskLassoCV(alphas=[1.0, 0.01], cv=3).fit(X, Y).alpha_
    0.01
    """

    title = "multi-task lasso with cross-validation"
    reference = "Yuan and Lin, Model selection and estimation in regression with grouped variables, JRSS B 68, 2006"
