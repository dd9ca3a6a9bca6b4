"""Base class of Bayesian regressions with normal noise: predictive distributions from draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, declaring, generator, learned, seed_of
from ._design import Scaling, distinct_rows
from ._normal_posterior import NormalModel
from ._posterior_base import SampledPosterior, checked_confidence


@declaring
class NormalPosteriorRegressor(SampledPosterior, Regressor):
    """Bayesian regression with normal noise."""

    sigma_: float = learned("posterior mean of the standard deviation of the noise")
    sigma_draws_: Array = learned("draws of sigma over the deviation of y", shape="chains draws")

    def _fit_rows(self, data: Data, trace: Trace, X: Array, y: Array, weight: Array, group: Array | None) -> Array:
        """Sample the posterior given rows; the standardised draws of tau."""
        columns, target = (Scaling.of(one, weight, self.fit_intercept) for one in (X, y[:, None]))
        scale = float(target.scale[0]) or max(float(np.abs(y).max(initial=0.0)), 1e-300)
        offset = float(target.offset[0])
        design, precision = self._design(X, columns)
        model = NormalModel(design, (y - offset) / scale, weight, precision, group)
        names = [f"z[{j}]" for j in range(len(model.start))]
        draws = self._sample(model.density, trace, model.start, names).matrix()
        coef, sigma, tau = model.coefficients(draws)
        self.sigma_draws_, self.sigma_ = sigma, float(sigma.mean() * scale)
        self._keep(*self._split(coef), columns, (offset, scale), data.X.dtype)
        return tau

    def _quantities(self) -> dict[str, Array]:
        return super()._quantities() | {"sigma": self.sigma_draws_ * self.y_scale_}

    def _predict(self, X: Matrix) -> Array:
        rows = np.asarray(X, dtype=np.float64)
        mean = self._scaling.applied(rows) @ self.coef_draws_.mean(axis=(0, 1)) + self.intercept_draws_.mean()
        return np.asarray(self.y_offset_ + self.y_scale_ * mean).astype(X.dtype)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The posterior predictive mean for the rows of `X`; with `return_std` also the standard deviation of each."""
        mean = super().predict(X)
        if not return_std:
            return mean
        return mean, self._in_parts(self._read(X), lambda rows: self._predictive_draws(rows, None).std(axis=0))

    def predict_interval(self, X: Any, confidence: float = 0.95) -> Array:
        """Central intervals of the posterior predictive distribution, a row (low, high) for each row of `X`."""
        quantiles = checked_confidence(type(self).__name__, confidence)
        matrix = self._read(X)
        return np.asarray(
            self._in_parts(matrix, lambda rows: np.quantile(self._predictive_draws(rows, None), quantiles, axis=0).T)
        )

    def sample_predictive(self, X: Any, random_state: RandomState = None) -> Array:
        """New targets for the rows of `X`, one for every draw: (chain, draw, row)."""
        matrix = self._read(X)
        found = self._predictive_draws(matrix, generator(seed_of(random_state)))
        return found.reshape(*self.sigma_draws_.shape, len(found[0]))

    def _predictive_draws(self, X: Matrix, random: Any) -> Array:
        """New targets (draw, row); without a generator the noise of a draw is the same for all rows and calls."""
        mean, spread = self._means_and_spreads(np.asarray(X, dtype=np.float64))
        shape = mean.shape if random is not None else (len(mean), 1)
        noise = (random or generator(0)).standard_normal(shape)
        return np.asarray(self.y_offset_ + self.y_scale_ * (mean + spread * noise))

    def _means_and_spreads(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of new targets, (draw, row), standardised."""
        return self._linear_draws(X), self.sigma_draws_.reshape(-1, 1)


def rows_of(model: SampledPosterior, data: Data) -> tuple[Array, Array, Array]:
    """Distinct rows, targets and weights of the data."""
    return distinct_rows(data, np.asarray(data.y, dtype=np.float64))
