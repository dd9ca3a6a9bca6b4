"""Bayesian Poisson regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, RandomState, Regressor, Trace, Traits, estimator, generator, seed_of
from ._design import Scaling
from ._glm_model import GlmModel
from ._normal_regressor import rows_of
from ._posterior_base import SampledPosterior, checked_confidence

MAX_MEAN = 1e15  # of predictive counts that are drawn


@estimator
class BayesianPoissonRegression(SampledPosterior, Regressor):
    """Bayesian Poisson regression of counts by Markov chain Monte Carlo, with predictive intervals.

    y ~ Poisson(mean),   log mean = Xw + b,   w_j ~ N(0, (prior_scale / sd(x_j))^2)

    NUTS starts at the mode, in a basis in which the posterior there is spherical. The intercept has a normal prior
    about the logarithm of the mean count. Predictions are posterior means of the expected counts;
    `predict_interval` is of new counts. [Gelman et al., 2013]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 8]
    >>> model = BayesianPoissonRegression(random_state=0).fit(X, y)
    >>> low, high = model.predict_interval([[3.0]], confidence=0.9)[0]
    >>> bool(1 <= low <= 5 and 10 <= high <= 20)
    True
    """

    traits = Traits(positive_target=True)
    title = "Bayesian Poisson regression"
    reference = "Gelman, Carlin, Stern, Dunson, Vehtari and Rubin, Bayesian Data Analysis, 3rd edition, 2013"

    def _fit(self, data: Data, trace: Trace) -> None:
        negative = np.asarray(data.y) < 0
        if negative.any():
            row = int(negative.argmax())
            raise DataError(
                f"BayesianPoissonRegression: y must hold counts of at least 0; got {data.y[row]:g} in row {row}"
            )
        X, y, weight = rows_of(self, data)
        columns = Scaling.of(X, weight, self.fit_intercept)
        mean = float(np.average(y, weights=weight))
        unit = mean if self.fit_intercept and mean > 0 else 1.0
        design, precision = self._design(X, columns)
        model = GlmModel(design, y / unit, weight * unit, precision, logistic=False)
        names = [f"z[{j}]" for j in range(len(model.start))]
        coef = model.coefficients(self._sample(model.density, trace, model.start, names).matrix())
        self._keep(*self._split(coef), columns, (float(np.log(unit)), 1.0), data.X.dtype)
        self._certify(trace, self._quantities())

    def _mean_draws(self, X: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self.y_offset_ + self._linear_draws(X)))

    def _predict(self, X: Matrix) -> Array:
        rows = np.asarray(X, dtype=np.float64)
        found: Array = self._in_parts(rows, lambda part: self._mean_draws(part).mean(axis=0))
        return found.astype(X.dtype)

    def predict_interval(self, X: Any, confidence: float = 0.95) -> Array:
        """Central intervals of new counts, a row (low, high) for each row of `X`."""
        quantiles = checked_confidence("BayesianPoissonRegression", confidence)
        rows = np.asarray(self._read(X), dtype=np.float64)

        def interval(part: Array) -> Array:
            counts = _counts(self._mean_draws(part), generator(0))
            return np.quantile(counts, quantiles, axis=0, method="inverted_cdf").T

        return np.asarray(self._in_parts(rows, interval), dtype=np.float64)

    def sample_predictive(self, X: Any, random_state: RandomState = None) -> Array:
        """New counts for the rows of `X`, one for every draw: (chain, draw, row)."""
        rows = np.asarray(self._read(X), dtype=np.float64)
        found = _counts(self._mean_draws(rows), generator(seed_of(random_state)))
        return found.reshape(*self.intercept_draws_.shape, len(rows))


def _counts(mean: Array, random: Any) -> Array:
    """Poisson counts, a normal approximation where means are too large to count."""
    drawn = random.poisson(np.minimum(mean, MAX_MEAN)).astype(np.float64)
    return np.where(mean > MAX_MEAN, mean, drawn)
