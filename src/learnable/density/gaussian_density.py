"""Gaussian density estimation."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
from ..core.roles.density_estimator import DensityEstimator
from ..engines.algebra.covariances import FLOOR, has_inverse, shrunk
from ..engines.sufficient_statistics import Moments


@estimator
class GaussianDensity(DensityEstimator):
    """Gaussian density estimation: the maximum likelihood mean and covariance of the rows.

    log p(x) = -(x - m)' S^-1 (x - m) / 2 - log|S| / 2 - p log(2 pi) / 2

    S is the maximum likelihood covariance (divided by n, not n - 1), its diagonal, or one variance
    sum |x_i - m|^2 / (n p) for all columns. With `shrinkage` s it is shrunk towards its mean variance,
    (1 - s) S + s tr(S)/p I; where S has no inverse, as for collinear columns, s is at least 1e-6. [Gauss, 1823]

    >>> GaussianDensity().fit([[0.0], [2.0]]).score_samples([[1.0]]).round(4)
    array([-0.9189])
    """

    shrinkage: float = param(
        0.0, "shrinkage intensity of the covariance towards its mean variance", between=(0, 1), tune=(0.0, 0.01, 0.1)
    )
    covariance_type: Literal["full", "diag", "spherical"] = param("full", "form of the covariance")
    mean_: Array = learned("mean of the rows", shape="features")
    covariance_: Array = learned("covariance of the rows", shape="features features")

    title = "Gaussian density estimation"
    reference = "Gauss, Theoria combinationis observationum erroribus minimis obnoxiae, 1823"

    def _fit(self, data: Data, trace: Trace) -> None:
        moments = Moments.of(data.X, np.zeros(data.n), data.weight)
        allowed = self._allowed(moments.gram / moments.weight)
        least = 0.0 if has_inverse(allowed, data.X.dtype) else FLOOR
        covariance = shrunk(allowed, max(self.shrinkage, least))
        if not np.diag(covariance).any():  # all rows are equal: a width of rounding size
            size = max(float(np.abs(moments.mean_x).max()), np.finfo(data.X.dtype).tiny ** 0.25)
            covariance = np.eye(data.p) * (size * np.finfo(data.X.dtype).eps) ** 2
        self.mean_ = moments.mean_x.astype(data.X.dtype, copy=False)
        self.covariance_ = covariance.astype(data.X.dtype, copy=False)
        trace.exact("mean and covariance of the rows, computed directly")

    def _allowed(self, covariance: Array) -> Array:
        """The covariance in the form of `covariance_type`."""
        if self.covariance_type == "full":
            return covariance
        variances = np.diag(covariance)
        return np.diag(variances if self.covariance_type == "diag" else np.full(len(variances), variances.mean()))

    def _log_density(self, X: Matrix) -> Array:
        scale, variances, axes = self._axes()
        whitened = ((X - self.mean_) / scale) @ (axes / np.sqrt(variances))
        norm = len(scale) * np.log(2 * np.pi) + np.log(variances).sum() + 2 * np.log(scale).sum()
        return np.asarray(-0.5 * (np.einsum("ij,ij->i", whitened, whitened) + norm), dtype=X.dtype)

    def _drawn(self, count: int, rng: np.random.RandomState) -> Array:
        scale, variances, axes = self._axes()
        normal = rng.standard_normal((count, len(scale)))
        return np.asarray(self.mean_ + (normal * np.sqrt(variances)) @ axes.T * scale)

    def _axes(self) -> tuple[Array, Array, Array]:
        """Standard deviations of the columns; variances and axes of the correlations, none below rounding."""
        covariance = self.covariance_.astype(np.float64)
        scale = np.sqrt(np.diag(covariance))
        scale[scale == 0] = 1.0
        variances, axes = np.linalg.eigh(covariance / scale / scale[:, None])
        return scale, np.maximum(variances, 1e-14), axes
