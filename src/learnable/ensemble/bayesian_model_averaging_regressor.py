"""Bayesian model averaging of regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator
from ._voting.model_averaging_base import ModelAveraging
from ._voting.voting_base import NumberPanel


@estimator
class BayesianModelAveragingRegressor(ModelAveraging, NumberPanel):
    """Numbers by the mean of models, weighted by how probable each is after the data.

    f(x) = sum_j P(M_j | data) f_j(x),    P(M_j | data) proportional to P(M_j) exp(-BIC_j / 2)

    BIC_j = k_j log n - 2 log L_j, for Gaussian errors whose variance is fitted too: n log(RSS_j / n) + (k_j + 1) log n
    up to a constant. The probabilities hold among the models given, of which the data soon single out one.
    [Hoeting, Madigan, Raftery and Volinsky, 1999]

    >>> from learnable import LinearRegression, Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> model = BayesianModelAveragingRegressor([("line", LinearRegression()), ("flat", Ridge(1e9))]).fit(X, y)
    >>> model.probability_.round(3)
    array([1., 0.])
    """

    reference = "Hoeting, Madigan, Raftery and Volinsky, Bayesian model averaging, Statistical Science 14, 1999"

    def _parameters(self, part: Any) -> float:
        return super()._parameters(part) + 1  # the variance of the errors

    def _log_likelihood(self, part: Any, X: Any, target: Array, weight: Array) -> float:
        miss = np.asarray(part.predict(X), dtype=np.float64).ravel() - target
        n, size = weight.sum(), np.abs(target).max()
        variance = max(float(weight @ miss**2) / n, float(np.finfo(np.float64).eps * size) ** 2, 1e-300)
        return float(-0.5 * n * (np.log(2 * np.pi * variance) + 1))

    def _predict(self, X: Any) -> Array:
        answers = np.stack([np.asarray(part.predict(X)).ravel() for part in self.estimators_])
        return np.asarray(self.probability_ @ answers).astype(answers.dtype, copy=False)
