"""Bayesian model averaging of regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator
from ._voting.model_averaging_base import ModelAveragingBase
from ._voting.voting_base import VotingRegressorBase


@estimator
class BayesianModelAveragingRegressor(ModelAveragingBase, VotingRegressorBase):
    """Bayesian model averaging regressor: predictions averaged by the posterior probability of each model.

    f(x) = sum_j P(M_j | data) f_j(x),    P(M_j | data) proportional to P(M_j) exp(-BIC_j / 2)

    BIC_j = k_j log n - 2 log L_j, for Gaussian errors whose variance is fitted too: n log(RSS_j / n) + (k_j + 1) log n
    up to a constant. The posterior is over the given models and concentrates on one of them as the data grow.
    [Hoeting, Madigan, Raftery and Volinsky, 1999]

    >>> from learnable import LinearRegression, Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> model = BayesianModelAveragingRegressor([("line", LinearRegression()), ("flat", Ridge(1e9))]).fit(X, y)
    >>> model.probability_.round(3)
    array([1., 0.])
    """

    title = "Bayesian model averaging regressor"
    reference = "Hoeting, Madigan, Raftery and Volinsky, Bayesian model averaging, Statistical Science 14, 1999"

    def _parameter_count(self, model: Any) -> float:
        return super()._parameter_count(model) + 1  # the variance of the errors

    def _log_likelihood(self, model: Any, X: Any, target: Array, weight: Array) -> float:
        residual = np.asarray(model.predict(X), dtype=np.float64).ravel() - target
        n, size = weight.sum(), np.abs(target).max()
        variance = max(float(weight @ residual**2) / n, float(np.finfo(np.float64).eps * size) ** 2, 1e-300)
        return float(-0.5 * n * (np.log(2 * np.pi * variance) + 1))

    def _predict(self, X: Any) -> Array:
        predictions = np.stack([np.asarray(model.predict(X)).ravel() for model in self.estimators_])
        return np.asarray(self.probability_ @ predictions).astype(predictions.dtype, copy=False)
