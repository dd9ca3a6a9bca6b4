"""The normal distribution behind principal components: few directions, and the same noise in all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Transformer
from ..engines import design
from ..engines.covariances import has_inverse


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
        variances = self._spreading()
        if self.noise_variance_ == 0:
            return self._along(1 / variances)
        above = self._along(1 / variances - 1 / self.noise_variance_)
        return np.asarray(above + np.eye(len(above)) / self.noise_variance_)

    def score_samples(self, X: Any) -> Array:
        """The log density of each row under the model."""
        X, variances = self._read(X), self._spreading()
        centred = (X.toarray() if design.is_sparse(X) else X) - self.mean_
        p = centred.shape[1]
        along = centred @ self.components_.T
        rest = np.einsum("ij,ij->i", centred, centred) - np.einsum("ij,ij->i", along, along)
        noise = self.noise_variance_ or 1.0  # without noise there is a component for every column, and no rest
        distance = (along**2 / variances).sum(axis=1) + np.maximum(rest, 0.0) / noise
        log_det = float(np.log(variances).sum()) + (p - len(variances)) * np.log(noise)
        return np.asarray(-0.5 * (distance + p * np.log(2 * np.pi) + log_det))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows under the model."""
        return float(self.score_samples(X).mean())

    def _spreading(self) -> Array:
        """Variances along the components, at least that of the noise; refused if the rows fill no more than a plane."""
        if self.noise_variance_ == 0 and not self._fills_all():
            raise DataError(
                f"{type(self).__name__}: the training rows do not vary in every direction, so they have no density; "
                "fit fewer components, so that the others make the noise, or leave out columns that depend on others"
            )
        return np.maximum(self.explained_variance_.astype(np.float64), self.noise_variance_)

    def _fills_all(self) -> bool:
        """Whether a model without noise has a component with some variance for every direction."""
        count, p = self.components_.shape
        return count == p and has_inverse(self.get_covariance(), self.components_.dtype)

    def _along(self, factors: Array) -> Array:
        return np.asarray((self.components_.T * factors) @ self.components_)
