"""The Gaussian model of PCA: a few components, and isotropic noise in all other directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Transformer
from ..core.validate.sparse_input import as_dense
from ..engines.algebra.covariances import FLOOR, has_inverse


class GaussianModel(Transformer):
    """Base class of transformers whose components and noise define a Gaussian model of the rows."""

    components_: Array
    explained_variance_: Array
    noise_variance_: float
    mean_: Array

    def get_covariance(self) -> Array:
        """The covariance of the model: variances along the components, noise variance elsewhere."""
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        noise = self.noise_variance_ * np.eye(self.components_.shape[1])
        return np.asarray((self.components_.T * above) @ self.components_ + noise, dtype=self.components_.dtype)

    def get_precision(self) -> Array:
        """The inverse of the covariance of the model; a singular one gets a little noise."""
        variances, noise = self._spread()
        above = (self.components_.T * (1 / variances - 1 / noise)) @ self.components_
        return np.asarray(above + np.eye(len(above)) / noise)

    def score_samples(self, X: Any) -> Array:
        """The log density of each row under the model.

        A singular covariance has no density; then 1e-6 of the mean variance is used as noise.
        """
        X, (variances, noise) = self._read(X), self._spread()
        centred = as_dense(X) - self.mean_
        p = centred.shape[1]
        along = centred @ self.components_.T
        rest = np.einsum("ij,ij->i", centred, centred) - np.einsum("ij,ij->i", along, along)
        distance = (along**2 / variances).sum(axis=1)
        if len(variances) < p:
            distance += np.maximum(rest, 0.0) / noise
        log_det = float(np.log(variances).sum()) + (p - len(variances)) * np.log(noise)
        return np.asarray(-0.5 * (distance + p * np.log(2 * np.pi) + log_det))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows under the model."""
        return float(self.score_samples(X).mean())

    def _spread(self) -> tuple[Array, float]:
        """Variances along the components, and the noise variance of all other directions, the smallest one."""
        along = self.explained_variance_.astype(np.float64)
        count, p = self.components_.shape
        mean = (float(along.sum()) + (p - count) * float(self.noise_variance_)) / p
        if mean == 0:
            raise DataError(
                f"{type(self).__name__}: all columns were constant in training, so that rows have no density"
            )
        noise = float(self.noise_variance_) or (along.min() if self._has_full_rank() else FLOOR * mean)
        return np.maximum(along, noise), noise

    def _has_full_rank(self) -> bool:
        """Whether the components span all directions with positive variance."""
        count, p = self.components_.shape
        return count == p and has_inverse(self.get_covariance(), self.components_.dtype)
