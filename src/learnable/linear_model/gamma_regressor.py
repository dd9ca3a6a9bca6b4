"""Gamma regression."""

from __future__ import annotations

from ..core import Traits, estimator
from ..parts.losses.gamma import Gamma
from ._glm.glm_base import GeneralizedLinear


@estimator
class GammaRegressor(GeneralizedLinear):
    """Gamma regression: a generalised linear model of positive amounts with the log link.

    minimise over w, b    sum_i s_i (y_i exp(-z_i) + z_i) + alpha |w|^2 / 2,   z = Xw + b,   s_i = weight_i / sum weight

    The standard deviation is proportional to the mean. Newton's method costs n p^2 a step, L-BFGS n p; both start at
    the best intercept and stop where no entry of the gradient exceeds tol^2 of the terms that it sums.
    [Nelder and Wedderburn, 1972]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 4.0, 8.0]
    >>> model = GammaRegressor(alpha=0.0).fit(X, y)
    >>> model.predict([[4.0]]).round(6)
    array([16.])
    """

    traits = Traits(positive_target=True)
    title = "gamma regression"
    reference = "Nelder and Wedderburn, Generalized linear models, JRSS A 135, 1972"

    _loss = Gamma()
    _power = 2.0
