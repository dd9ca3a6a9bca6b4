"""Bayesian linear regression."""

from __future__ import annotations

from ..core import Data, Trace, estimator
from ._normal_regressor import NormalPosteriorRegressor, rows_of


@estimator
class BayesianLinearRegression(NormalPosteriorRegressor):
    """Bayesian linear regression by Markov chain Monte Carlo, with predictive intervals.

    y = Xw + b + e,   e ~ N(0, sigma^2),   w_j ~ N(0, (prior_scale sd(y) / sd(x_j))^2),   sigma ~ Exponential(1 / sd(y))

    NUTS draws from the joint posterior of all parameters; sums over the rows are made once, so that a draw costs p^2
    whatever the number of rows. `BayesianRidge` maximises over the precisions instead of averaging over them. Targets
    count as rounded to a millionth of their standard deviation, so that a perfect fit has a posterior.
    [Gelman et al., 2013]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.1, 0.9, 2.1, 2.9, 4.0]
    >>> model = BayesianLinearRegression(random_state=0).fit(X, y)
    >>> model.predict([[5.0]]).round(1), model.certificate_.holds
    (array([4.9]), True)
    >>> low, high = model.predict_interval([[5.0]], confidence=0.9)[0]
    >>> bool(low < 4.9 < high)
    True
    """

    title = "Bayesian linear regression"
    reference = "Gelman, Carlin, Stern, Dunson, Vehtari and Rubin, Bayesian Data Analysis, 3rd edition, 2013"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = rows_of(self, data)
        self._fit_rows(data, trace, X, y, weight, None)
        self._certify(trace, self._quantities())
