"""Lasso with cross-validation."""

from __future__ import annotations

from ..core import estimator
from ._penalised.penalised_regressor_cv import SingleTargetCV


@estimator
class LassoCV(SingleTargetCV):
    """Lasso with cross-validation of alpha along a regularisation path.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha |w|_1,      alpha by cross-validation

    One warm-started path per fold, to a certified duality gap at every alpha. With rule="one_standard_error" the
    strongest penalty within one standard error of the best is taken, for a simpler model. [Tibshirani, 1996]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]]
    >>> model = LassoCV(alphas=[1.0, 0.01], cv=3).fit(X, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    >>> model.alpha_, model.coef_.round(2)
    (0.01, array([2., 0.]))
    """

    title = "lasso with cross-validation"
    reference = "Tibshirani, Regression shrinkage and selection via the lasso, JRSS B 58, 1996"
