"""The density of a Gaussian with any covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Estimator, Trace, estimator, learned, param
from ..core import params as declarations
from ..core.random import stream
from ..engines.covariances import shrunk
from ..engines.summarise import Moments


@estimator
class GaussianDensity(Estimator):
    """The Gaussian of the rows: their mean and covariance.

    log p(x) = -(x - m)' S^-1 (x - m) / 2 - log|S| / 2 - p log(2 pi) / 2

    S is the covariance over the weight (not one less), with `shrinkage` s mixed with its mean variance,
    (1 - s) S + s tr(S)/p I, which a small s keeps from being singular. [Gauss, 1823]

    >>> GaussianDensity(shrinkage=0).fit([[0.0], [2.0]]).score_samples([[1.0]]).round(4)
    array([-0.9189])
    """

    shrinkage: float = param(
        1e-6, "share of the mean variance in the covariance", between=(0, 1), tune=(1e-6, 0.01, 0.1)
    )
    mean_: Array = learned("mean of the rows", shape="features")
    covariance_: Array = learned("covariance of the rows", shape="features features")

    task = "density estimation"
    reference = "Gauss, Theoria combinationis observationum erroribus minimis obnoxiae, 1823"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> GaussianDensity:
        """Learn mean and covariance of the rows of `X`; `y` is there for pipelines."""
        declarations.check(self)
        matrix, names = self._enter(X)
        data = Data(matrix, np.empty(0), self._door.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(matrix, names)
            self._fit(data, trace)
        return self

    def _fit(self, data: Data, trace: Trace) -> None:
        moments = Moments.of(data.X, np.zeros(data.n), data.weight)
        covariance = shrunk(moments.gram / moments.weight, self.shrinkage)
        if not np.diag(covariance).any():  # all rows are equal: as narrow as rounding
            size = max(float(np.abs(moments.mean_x).max()), np.finfo(data.X.dtype).tiny ** 0.25)
            covariance = np.eye(data.p) * (size * np.finfo(data.X.dtype).eps) ** 2
        self.mean_ = moments.mean_x.astype(data.X.dtype, copy=False)
        self.covariance_ = covariance.astype(data.X.dtype, copy=False)
        trace.exact("mean and covariance of the rows, computed directly")

    def score_samples(self, X: Any) -> Array:
        """The logarithm of the density at each row of `X`."""
        matrix = self._read(X)
        scale, variances, axes = self._axes()
        whitened = ((matrix - self.mean_) / scale) @ (axes / np.sqrt(variances))
        norm = len(scale) * np.log(2 * np.pi) + np.log(variances).sum() + 2 * np.log(scale).sum()
        return np.asarray(-0.5 * (np.einsum("ij,ij->i", whitened, whitened) + norm), dtype=matrix.dtype)

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of the logarithms of the density over the rows of `X`."""
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """New rows of this Gaussian."""
        scale, variances, axes = self._axes()
        normal = stream(random_state).standard_normal((n_samples, len(scale)))
        return np.asarray(self.mean_ + (normal * np.sqrt(variances)) @ axes.T * scale)

    def _axes(self) -> tuple[Array, Array, Array]:
        """Standard deviations of the columns; variances and axes of the correlations, none below rounding."""
        covariance = self.covariance_.astype(np.float64)
        scale = np.sqrt(np.diag(covariance))
        scale[scale == 0] = 1.0
        variances, axes = np.linalg.eigh(covariance / scale / scale[:, None])
        return scale, np.maximum(variances, 1e-14), axes
