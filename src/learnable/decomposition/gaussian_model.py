"""The normal distribution behind principal components: few directions, and the same noise in all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Transformer
from ..engines import design
from ..engines.apart import apart


class GaussianModel(Transformer):
    """A transformer whose components and noise make a normal distribution of the rows."""

    components_: Array
    explained_variance_: Array
    noise_variance_: float
    mean_: Array

    def get_covariance(self) -> Array:
        """The covariance of the model: variances along the components, that of the noise in all other directions."""
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        noise = self.noise_variance_ * np.eye(self.components_.shape[1])
        return np.asarray((self.components_.T * above) @ self.components_ + noise, dtype=self.components_.dtype)

    def get_precision(self) -> Array:
        """The inverse of the covariance of the model."""
        if self.noise_variance_ == 0:
            return np.linalg.inv(self.get_covariance())
        above = self._along(1 / self._variances() - 1 / self.noise_variance_)
        return np.asarray(above + np.eye(len(above)) / self.noise_variance_)

    def score_samples(self, X: Any) -> Array:
        """The log density of each row under the model."""
        X = self._read(X)
        centred = (X.toarray() if design.is_sparse(X) else X) - self.mean_
        p = centred.shape[1]
        if self.noise_variance_ == 0 and len(self.components_) < p:
            precision = self.get_precision()
            log_det = float(np.linalg.slogdet(precision)[1])
            distance = np.einsum("ij,ij->i", apart(np.matmul, centred, precision), centred)
        else:
            along = centred @ self.components_.T
            rest = np.einsum("ij,ij->i", centred, centred) - np.einsum("ij,ij->i", along, along)
            noise = self.noise_variance_ or 1.0
            distance = (along**2 / self._variances()).sum(axis=1) + np.maximum(rest, 0.0) / noise
            log_det = -float(np.log(self._variances()).sum()) - (p - len(self.components_)) * np.log(noise)
        return np.asarray(-0.5 * (distance + p * np.log(2 * np.pi) - log_det))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows under the model."""
        return float(self.score_samples(X).mean())

    def _variances(self) -> Array:
        """Variances along the components, at least that of the noise."""
        return np.maximum(self.explained_variance_.astype(np.float64), self.noise_variance_)

    def _along(self, factors: Array) -> Array:
        return np.asarray((self.components_.T * factors) @ self.components_)
