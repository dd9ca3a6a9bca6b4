"""Poisson regression."""

from __future__ import annotations

from ..core import Traits, estimator
from ..parts.losses.poisson import Poisson
from ._glm.glm_base import GeneralizedLinear


@estimator
class PoissonRegressor(GeneralizedLinear):
    """Poisson regression: a generalised linear model of counts with the log link.

    minimise over w, b    sum_i s_i (exp(z_i) - y_i z_i) + alpha |w|^2 / 2,   z = Xw + b,   s_i = weight_i / sum weight

    A column that rises by one multiplies the mean by exp(w). Newton's method costs n p^2 a step, L-BFGS n p; both start
    at the best intercept and stop where no entry of the gradient exceeds tol^2 of the terms that it sums. If a group
    has no counts at all and alpha is 0, its coefficient has no finite optimum: the fit warns, and stops when its
    gradient has vanished.
    [Nelder and Wedderburn, 1972]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 8]
    >>> model = PoissonRegressor(alpha=0.0).fit(X, y)
    >>> model.predict([[4.0]]).round(6)
    array([16.])
    """

    traits = Traits(positive_target=True)
    title = "Poisson regression"
    reference = "Nelder and Wedderburn, Generalized linear models, JRSS A 135, 1972"

    _loss = Poisson()
    _power = 1.0
